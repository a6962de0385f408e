import { assertWhole } from '../core/amounts.ts';
import type { Decision } from '../core/decision.ts';
import type { Policy } from '../core/policy.ts';
import type { Identifier } from '../identity/identifier.ts';
import type { OperatorNote } from '../operators/operator-note.ts';
import { clearingStore } from '../stores/clearing-store.ts';
import type { Store, WalkOptions } from '../stores/store.ts';
import { type Attempt, type AttemptOptions, attempt, type Verify } from './attempt.ts';
import { attemptedActions } from './attempted-actions.ts';
import { AuditTrail } from './audit-trail.ts';
import type { ActiveBlock } from './block-steps.ts';
import { type Call, Engine, type OperationName } from './engine.ts';
import {
  type AuditEvent,
  assertEventName,
  type DecisionEvent,
  EventHub,
  type GuardEvents,
  type Listener,
} from './events.ts';
import { explain } from './explain.ts';
import type { Explanation } from './explanation.ts';
import { FailureModes } from './failure/failure-modes.ts';
import { assertCapsFit, type FailureSettings, readFailureOptions } from './failure/failure-options.ts';
import type { PolicyStatus } from './failure/policy-mode.ts';
import { OperatorCalls, type Placement } from './operator-calls.ts';
import { assertTime, type GuardRequest } from './signals.ts';
import { type RunCall, type Witness, witnessed } from './witness.ts';

/** The parts a guard is made of. */
export interface GuardParts {
  readonly store: Store;
  readonly identifier: Identifier;
  readonly policies: readonly Policy[];
  readonly environment: string;
  /** Default: the numbers of the engine contract, on the clock of the process. */
  readonly failure?: FailureSettings;
  /** Of ALLOW decisions in mode NORMAL, every how many are told as `decision` events. Default 1: all. */
  readonly allowEventEvery?: number;
  /** Sees every decision with the hashes it rests on. Default: nobody does. */
  readonly witness?: Witness | undefined;
  /** The guard that this one takes the place of: its breakers and local caps go on as they stand. Default: none. */
  readonly before?: Guard | undefined;
}

/** When an operation happens; without it, now by the store's clock. */
export interface OperationTime {
  /** Milliseconds since the epoch, whole; else `INPUT_INVALID`. */
  readonly at?: number;
}

/** Risk decisions over a store. A denial is a decision; only faults and misuse throw. */
export interface Guard {
  /** Before credentials are looked at. Writes nothing. */
  check(request: GuardRequest, time?: OperationTime): Promise<Decision>;
  /** Credentials were wrong (login, otp). */
  fail(request: GuardRequest, time?: OperationTime): Promise<Decision>;
  /** Credentials were right (login, otp). A HARD_BLOCK answer means: refuse all the same, and tell it as a `fail`. */
  succeed(request: GuardRequest, time?: OperationTime): Promise<Decision>;
  /**
   * Credentials were right, and more is asked for before anybody is let in: refuses them where a block has come since their
   * `check`, by a guess in parallel. Writes nothing. A guard around another one may do without.
   */
  recheck?(request: GuardRequest): Promise<Decision>;
  /**
   * An attempt that `check` has allowed was not made: nobody has looked at its credentials, because what verifies them was
   * away. While the store is away too, it no longer counts on the local caps, which would keep its owner out. A guard around
   * another one may do without.
   */
  withdraw?(request: GuardRequest): Promise<void>;
  /** One call of an api action. `cost` defaults to 1. */
  consume(request: GuardRequest, cost?: number, time?: OperationTime): Promise<Decision>;
  /** check → verify → fail or succeed. `verify` resolves to a value, or to null, undefined or false when wrong. */
  attempt<T>(request: GuardRequest, verify: Verify<T>, options?: AttemptOptions): Promise<Attempt<T>>;
  /** The subject's present state in words and numbers, and what the next operation would give. Writes nothing. */
  explain(request: GuardRequest, time?: OperationTime): Promise<Explanation>;
  /** All blocks that run now. A store may have to walk all of its records for them. */
  blocks(options?: WalkOptions): AsyncIterable<ActiveBlock>;
  /** Ends the blocks of a key, hard and soft, by the id of one of them. False when none was running. */
  lift(id: string, note: OperatorNote): Promise<boolean>;
  /** Places a HARD block on one key of the request. Throws `INPUT_INVALID` where the request or its policy has no such key. */
  place(request: GuardRequest, placement: Placement): Promise<ActiveBlock>;
  /**
   * Takes a device out of the account's book, for an owner who has lost it: its token is trusted no more, until it signs in
   * again. False when the book does not hold it.
   */
  forgetDevice(account: string, deviceId: string, note: OperatorNote): Promise<boolean>;
  /** What operators did, newest last. */
  audit(): Promise<readonly AuditEvent[]>;
  /** The mode of each policy on this node. */
  modes(): readonly PolicyStatus[];
  /** Listens; the result stops listening. Throws `INPUT_INVALID` when no event has this name. */
  on<N extends keyof GuardEvents>(name: N, listener: Listener<GuardEvents[N]>): () => void;
  /** Ends probing and closes the store. Operations after it throw `STORE_CLOSED`. */
  close(): Promise<void>;
}

/** Of every guard, for the one that takes its place. */
const modesOf = new WeakMap<Guard, FailureModes>();

/** Puts a guard together from its parts. */
export function assembleGuard(parts: GuardParts): Guard {
  const { store, identifier, policies, environment, failure = readFailureOptions(), witness } = parts;
  const engine = new Engine({ identifier, policies, environment, refusesUnknownFields: true });
  assertCapsFit(failure, policies);
  const events = new EventHub<GuardEvents>();
  const modesBefore = parts.before && modesOf.get(parts.before);
  const isTold = decisionSampler(parts.allowEventEvery ?? 1);
  const decided = ({ op, action, policy }: Call, decision: Decision) => {
    if (!events.hears('decision')) return;
    const event = { op, action, policy: policy.name, decision };
    if (isTold(event)) events.emit('decision', event);
  };
  const modes = new FailureModes(policies, { store, settings: failure, events, decided }, modesBefore);
  const run: RunCall = (call, at) => modes.run(call, at);
  const runSeen = witness === undefined ? null : witnessed(run, witness, failure.clock, events);
  const records = clearingStore(store, (setAside) =>
    events.emit('corrupt', { policy: null, op: 'operator', setAside }),
  );
  const audit = new AuditTrail(records, environment, (act) => events.emit('audit', act));
  const operators = new OperatorCalls(records, engine, audit);

  function decide(
    op: OperationName,
    request: GuardRequest,
    cost: number,
    time?: OperationTime,
  ): Promise<Decision> {
    try {
      const call = engine.prepare(op, request, cost);
      assertTime(time);
      return runPrepared(call, cost, time?.at);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  function runPrepared(call: Call, cost: number, at?: number): Promise<Decision> {
    const running = runSeen === null ? run(call, at) : runSeen(call, cost, at);
    return running instanceof Promise ? running : Promise.resolve(running);
  }

  const guard: Guard = {
    check: (request, time) => decide('check', request, 1, time),
    fail: (request, time) => decide('fail', request, 1, time),
    succeed: (request, time) => decide('succeed', request, 1, time),
    recheck: async (request) => runPrepared(engine.prepareRecheck(request), 1),
    withdraw: async (request) => modes.withdraw(engine.open(request)),
    consume: (request, cost = 1, time) => decide('consume', request, cost, time),
    attempt: async (request, verify, options) => {
      engine.assertAttempted(request);
      return attempt(guard, request, verify, options);
    },
    explain: async (request, time) => {
      const opened = engine.open(request);
      assertTime(time);
      return explain(records, opened, { at: time?.at, mode: modes.modeOf(opened.policy.name) });
    },
    blocks: (options) => operators.blocks(options),
    lift: (id, note) => operators.lift(id, note),
    place: (request, placement) => operators.place(request, placement),
    forgetDevice: (account, deviceId, note) => operators.forgetDevice(account, deviceId, note),
    audit: () => operators.audit(),
    modes: () => modes.status(),
    on: (name, listener) => {
      assertEventName(name);
      return events.on(name, listener);
    },
    close: () => {
      modes.close();
      return store.close();
    },
  };
  modesOf.set(guard, modes);
  attemptedActions.set(guard, engine.attempted);
  return guard;
}

/**
 * Denials and decisions made without the store are always told; of the others every so many, by count. Each policy and
 * operation has a count of its own, and so has what a rule in shadow speaks on: attempts come as a check and then its end,
 * and one count over both would, where `every` is even, tell of the same half forever.
 */
function decisionSampler(every: number): (event: DecisionEvent) => boolean {
  assertWhole('CONFIG_INVALID', 'allowEventEvery', every, 1);
  const allowed = new Map<string, number>();
  return ({ op, policy, decision: { outcome, mode, shadow } }) => {
    if (every === 1 || outcome !== 'ALLOW' || mode !== 'NORMAL') return true;
    const kind = `${policy} ${op} ${shadow === undefined ? 'plain' : 'shadowed'}`;
    const count = ((allowed.get(kind) ?? 0) + 1) % every;
    allowed.set(kind, count);
    return count === 0;
  };
}
