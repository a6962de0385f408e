import type { Decision } from '../../core/decision.ts';
import { defaultPolicies, type Policy } from '../../core/policy.ts';
import { otherAgentKey } from '../../core/request.ts';
import { Engine, type OperationName } from '../../guard/engine.ts';
import type { GuardEvents } from '../../guard/events.ts';
import { type FailureSettings, readFailureOptions } from '../../guard/failure/failure-options.ts';
import { assembleGuard, type Guard } from '../../guard/guard.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import { createIdentifier, type Identifier } from '../../identity/identifier.ts';
import type { Store } from '../../stores/store.ts';
import { Random } from '../random.ts';
import { ActiveTroubles } from './active-troubles.ts';
import { Actor, type Stage } from './actor.ts';
import type { Telling, Watcher } from './guarantees/guarantee.ts';
import type { OperationTrace } from './operation-trace.ts';
import type { Scenario, Trouble } from './scenario.ts';
import { type LinkSurroundings, SimulatedLink } from './simulated-link.ts';
import { SimulatedNode } from './simulated-node.ts';
import { SimulatedServer } from './simulated-server.ts';
import { Timeline } from './timeline.ts';

/** Parts of a world that may be exchanged, to see whether somebody notices. */
export interface Tampering {
  readonly policies?: (policies: readonly Policy[]) => readonly Policy[];
  readonly failure?: (settings: FailureSettings) => FailureSettings;
  readonly store?: (store: Store) => Store;
  readonly guard?: (guard: Guard) => Guard;
}

/** What a world tells of itself while it runs. */
export interface WorldWatch extends Required<Watcher> {
  /** A guard threw instead of deciding. */
  threw(operation: OperationTrace, cause: unknown): void;
}

const events = [
  'mode',
  'breaker',
  'critical',
  'cap',
  'degradedEpoch',
  'store',
  'corrupt',
  'listenerFault',
] as const satisfies readonly (keyof GuardEvents)[];

const ENVIRONMENT = 'simulation';
/** One for all worlds, which have the same people in them: hashing is most of the cost of a new one. */
const identifier: Identifier = createIdentifier({ secret: 'a secret of simulated worlds' });

/** Nodes with guards, one server, actors and troubles, in one time. */
export class World implements Stage {
  readonly timeline = new Timeline();
  readonly server: SimulatedServer;
  readonly #scenario: Scenario;
  readonly #watch: WorldWatch;
  readonly #engine: Engine;
  readonly #nodes: readonly SimulatedNode[];
  readonly #guards: readonly Guard[];
  #current: OperationTrace | null = null;
  #operations = 0;
  #requests = 0;

  constructor(scenario: Scenario, watch: WorldWatch, tampering: Tampering = {}) {
    this.#scenario = scenario;
    this.#watch = watch;
    const random = new Random(`world ${scenario.seed}`);
    this.server = new SimulatedServer(this.timeline, scenario.server, watch);
    this.#nodes = scenario.nodes.map(({ skewMs }, index) => new SimulatedNode(index, this.timeline, skewMs));
    const troubles = new ActiveTroubles(
      this.timeline,
      scenario.troubles,
      (trouble) => this.#begin(trouble),
      (trouble) => this.#end(trouble),
    );
    const policies = (tampering.policies?.(defaultPolicies) ?? defaultPolicies).map((policy) =>
      adapt(policy, scenario),
    );
    this.#engine = new Engine({ identifier, policies, environment: ENVIRONMENT });
    this.#guards = this.#nodes.map((node) => {
      const link = new SimulatedLink(node, this.#surroundings(troubles), random.fork(`link ${node.index}`));
      const settings = readFailureOptions({ clock: node, nodes: scenario.nodes.length });
      const assembled = assembleGuard({
        store: tampering.store?.(link) ?? link,
        identifier,
        policies,
        environment: ENVIRONMENT,
        failure: tampering.failure?.(settings) ?? settings,
      });
      const guard = tampering.guard?.(assembled) ?? assembled;
      this.#listen(guard, node.index);
      return guard;
    });
    scenario.actors.forEach((plan, index) => {
      new Actor(plan, this, random.fork(`actor ${index} ${plan.role}`)).start();
    });
  }

  get nodes(): number {
    return this.#nodes.length;
  }

  nodeNow(node: number): number {
    return this.#nodes[node]?.now() ?? 0;
  }

  /** Runs up to `time`, or until `isOver` says so. */
  runUntil(time: number, isOver: () => boolean): Promise<void> {
    return this.timeline.runUntil(time, () => {
      this.#current = null;
      return !isOver();
    });
  }

  operate(node: number, op: OperationName, request: GuardRequest, then: (decision: Decision) => void): void {
    const guard = this.#guards[node];
    if (guard === undefined) return;
    this.#nodes[node]?.deliver(() => {
      const trace = this.#trace(node, op, request);
      this.#current = trace;
      guard[op](request).then(
        (decision) => {
          trace.decision = decision;
          trace.endedAt = this.nodeNow(node);
          this.#watch.decided(trace);
          then(decision);
        },
        (cause: unknown) => this.#watch.threw(trace, cause),
      );
      this.#current = null;
    });
  }

  #trace(node: number, op: OperationName, request: GuardRequest): OperationTrace {
    const opened = this.#engine.open(request);
    const { policy, subject, keys } = opened;
    this.#operations += 1;
    return {
      id: this.#operations,
      node,
      op,
      policy: policy.name,
      request,
      subject,
      keys,
      otherAgentKey: otherAgentKey(opened),
      startedAt: this.nodeNow(node),
      messages: [],
      t: null,
      decision: null,
      endedAt: null,
    };
  }

  #surroundings(troubles: ActiveTroubles): LinkSurroundings {
    return {
      timeline: this.timeline,
      server: this.server,
      troubles,
      plan: this.#scenario.server,
      current: () => this.#current,
      resume: (operation) => {
        this.#current = operation;
      },
      sent: (node, kind, operation) => this.#watch.sent(node, kind, operation),
      nextRequest: () => {
        this.#requests += 1;
        return this.#requests;
      },
    };
  }

  #listen(guard: Guard, node: number): void {
    for (const name of events) {
      guard.on(name, (event) => this.#watch.told(node, { name, event } as Telling));
    }
  }

  #begin(trouble: Trouble): void {
    if (trouble.kind === 'crash' || trouble.kind === 'failover') this.server.isUp = false;
    if (trouble.kind === 'pause') this.#nodes[trouble.node]?.pause(trouble.forMs);
  }

  #end(trouble: Trouble): void {
    if (trouble.kind !== 'crash' && trouble.kind !== 'failover') return;
    this.server.isUp = true;
    if (trouble.kind === 'failover') this.server.failOver(trouble.lagMs, trouble.clockStepMs);
    else if (trouble.losesData) this.server.loseAll();
  }
}

/** The policy, with records that last and limits that are as the scenario says. */
function adapt(policy: Policy, { server, apiLimits }: Scenario): Policy {
  const retention = { ...policy.retention, recordMs: server.recordMs ?? policy.retention.recordMs };
  return policy.kind === 'rate'
    ? { ...policy, retention, limits: apiLimits ?? policy.limits }
    : { ...policy, retention };
}
