import { randomBytes } from 'node:crypto';
import type { Decision, Reason } from '../../src/core/decision.ts';
import { defaultPolicies, type Policy } from '../../src/core/policy.ts';
import type { Confidence } from '../../src/core/subject.ts';
import { Engine, type OperationName } from '../../src/guard/engine.ts';
import { runImmediately } from '../../src/guard/run.ts';
import type { GuardRequest } from '../../src/guard/signals.ts';
import { createIdentifier } from '../../src/identity/identifier.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import type { ImmediateStore } from '../../src/stores/store.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Who acts, in few words; what is not said is that of an ordinary person at home. */
export interface Actor {
  readonly action?: string;
  readonly account?: string;
  readonly ip?: string;
  readonly ua?: string;
  /** `d1` for MEDIUM, `d1/HIGH` or `d1/LOW`; null: missing. */
  readonly device?: string | null;
  readonly cost?: number;
}

const secret = randomBytes(32);
const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36';

/** An engine on a memory store whose time is handed in: what tests of the contract act on. */
export class Scene {
  t = 0;
  readonly store: ImmediateStore;
  readonly engine: Engine;

  constructor(policies: readonly Policy[] = defaultPolicies) {
    this.store = createMemoryStore({
      clock: () => this.t,
      sweptBy: () => Number.NEGATIVE_INFINITY,
    }).immediate;
    this.engine = new Engine({ identifier: createIdentifier({ secret }), policies, environment: 'test' });
  }

  /** Moves time on. */
  wait(ms: number): this {
    this.t += ms;
    return this;
  }

  check = (actor: Actor = {}): Decision => this.#run('check', actor);
  fail = (actor: Actor = {}): Decision => this.#run('fail', actor);
  succeed = (actor: Actor = {}): Decision => this.#run('succeed', actor);
  consume = (actor: Actor = {}): Decision => this.#run('consume', { action: 'api.heavy', ...actor });

  /** The same failure, a number of times; the last decision. */
  failTimes(times: number, actor: (index: number) => Actor, everyMs = 0): Decision {
    let decision: Decision | null = null;
    for (let index = 0; index < times; index += 1) {
      if (index > 0) this.wait(everyMs);
      decision = this.fail(actor(index));
    }
    if (decision === null) throw new RangeError('times must be at least 1');
    return decision;
  }

  #run(op: OperationName, actor: Actor): Decision {
    const { operation } = this.engine.prepare(op, requestOf(actor), actor.cost);
    return runImmediately(this.store, operation, this.t);
  }
}

function requestOf({
  action = 'auth.login',
  account = 'a1',
  ip = '192.0.2.1',
  ua = CHROME,
  device,
}: Actor): GuardRequest {
  return { action, account, ip, ua, device: device ? deviceOf(device) : null };
}

function deviceOf(text: string): { id: string; confidence: Confidence } {
  const [id = '', confidence = 'MEDIUM'] = text.split('/');
  return { id, confidence: confidence as Confidence };
}

/** `score K4 HARD 2` for each reason: what a decision says, in few words. */
export function said(decision: Decision): string[] {
  return decision.reasons.map(
    ({ rule, scope, outcome, level }: Reason) => `${rule} ${scope} ${outcome.slice(0, 4)} ${level}`,
  );
}
