import type { Decision } from '../../core/decision.ts';
import type { OperationName } from '../../guard/engine.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import type { Random } from '../random.ts';
import type { ActorPlan } from './scenario.ts';
import type { Timeline } from './timeline.ts';

/** Where an actor's attempts go. */
export interface Stage {
  readonly timeline: Timeline;
  readonly nodes: number;
  /** Runs an operation on the guard of a node. */
  operate(node: number, op: OperationName, request: GuardRequest, then: (decision: Decision) => void): void;
}

/** Plays one actor: attempts after its plan, some of them right. */
export class Actor {
  readonly #plan: ActorPlan;
  readonly #stage: Stage;
  readonly #random: Random;
  #attempts = 0;
  #moves = 0;
  /** What the last answer asked it to wait. */
  #retryAfterMs = 0;

  constructor(plan: ActorPlan, stage: Stage, random: Random) {
    this.#plan = plan;
    this.#stage = stage;
    this.#random = random;
  }

  start(): void {
    this.#stage.timeline.after(this.#plan.startMs, () => this.#move());
  }

  #move(): void {
    const { moves, parallel, movesPerRound, restMs, everyMs, obeys } = this.#plan;
    if (this.#moves >= moves) return;
    this.#moves += 1;
    for (let index = 0; index < parallel; index += 1) this.#attempt();
    const rest = this.#moves % movesPerRound === 0 ? restMs : 0;
    const jitter = this.#random.between(0, everyMs) - Math.floor(everyMs / 2);
    this.#stage.timeline.after(Math.max(1, everyMs + jitter) + rest, () => {
      const waitMs = obeys ? this.#retryAfterMs : 0;
      this.#retryAfterMs = 0;
      this.#stage.timeline.after(waitMs, () => this.#move());
    });
  }

  #attempt(): void {
    const request = this.#nextRequest();
    const node = this.#random.between(0, this.#stage.nodes - 1);
    const isRight = this.#random.chance(this.#plan.rightShare);
    if (this.#plan.action.startsWith('api')) this.#operate(node, 'consume', request);
    else if (this.#plan.isChecked) this.#check(node, isRight, request);
    else this.#end(node, isRight, request);
  }

  #check(node: number, isRight: boolean, request: GuardRequest): void {
    this.#operate(node, 'check', request, ({ outcome, deferred }) => {
      if (outcome !== 'ALLOW' && !deferred) return;
      const isStray = this.#random.chance(this.#plan.strayShare);
      const endNode = isStray ? this.#random.between(0, this.#stage.nodes - 1) : node;
      const verifyMs = this.#random.between(1, 200);
      this.#stage.timeline.after(verifyMs, () => this.#end(endNode, isRight, request));
    });
  }

  #end(node: number, isRight: boolean, request: GuardRequest): void {
    this.#operate(node, isRight ? 'succeed' : 'fail', request);
  }

  #operate(
    node: number,
    op: OperationName,
    request: GuardRequest,
    then: (decision: Decision) => void = () => {},
  ): void {
    this.#stage.operate(node, op, request, (decision) => {
      this.#retryAfterMs = Math.max(this.#retryAfterMs, decision.retryAfterMs);
      then(decision);
    });
  }

  #nextRequest(): GuardRequest {
    const { action, accounts, ips, agents, devices, stay } = this.#plan;
    const turn = this.#attempts;
    this.#attempts += 1;
    const at = <T>(values: readonly T[], each: number): T | undefined =>
      values[Math.floor(turn / each) % values.length];
    return {
      action,
      account: at(accounts, stay.account) ?? null,
      ip: at(ips, stay.ip) ?? '192.0.2.1',
      ua: at(agents, stay.agent) ?? null,
      device: at(devices, stay.device) ?? null,
    };
  }
}
