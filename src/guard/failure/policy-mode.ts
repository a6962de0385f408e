import type { Decision } from '../../core/decision.ts';
import type { Policy } from '../../core/policy.ts';
import type { Key } from '../../core/records.ts';
import type { Request } from '../../core/request.ts';
import { setAsideAmong } from '../../stores/clearing-store.ts';
import type { ImmediateStore, Store } from '../../stores/store.ts';
import { isStoreFailure } from '../../stores/store-failure.ts';
import { isUnreadable } from '../../stores/unreadable.ts';
import type { Call, OperationName } from '../engine.ts';
import type { EventHub, GuardEvents } from '../events.ts';
import { type Ending, runImmediately, runOperation } from '../run.ts';
import { withinDeadline } from './deadline.ts';
import type { LocalCaps } from './degraded-caps.ts';
import { DegradedEpoch } from './degraded-epoch.ts';
import { answerByCaps, modeOf, refuse } from './failure-answer.ts';
import type { FailureSettings } from './failure-options.ts';
import { OperationLine } from './operation-line.ts';
import { type BreakerStatus, TimedBreaker } from './timed-breaker.ts';

/** How a policy stands on this node. */
export interface PolicyStatus extends BreakerStatus {
  readonly policy: string;
}

/** What the modes of all policies share. */
export interface ModeParts {
  readonly store: Store;
  readonly settings: FailureSettings;
  readonly events: EventHub<GuardEvents>;
  /** Is told of every decision, before the caller is. */
  readonly decided: (call: Call, decision: Decision) => void;
}

/**
 * One policy on one node: runs its operations on the store and decides without it when it fails (engine contract
 * §12). Whether it fails says the breaker, and what is decided meanwhile the caps.
 */
export class PolicyMode {
  readonly #policy: Policy;
  readonly #store: Store;
  readonly #immediate: ImmediateStore | undefined;
  readonly #settings: FailureSettings;
  readonly #events: EventHub<GuardEvents>;
  readonly #caps: LocalCaps;
  readonly #breaker: TimedBreaker<OperationName>;
  #epoch: DegradedEpoch | null = null;
  readonly #decided: (call: Call, decision: Decision) => void;
  readonly #ending: Ending<OperationLine> = {
    decided: ({ call, startedAt }, decision) => this.#conclude(call, startedAt, decision),
    failed: (line, cause) => this.#recover(line, cause),
  };

  /** @param before the mode of this policy that this one takes the place of, after a change of policies */
  constructor(policy: Policy, parts: ModeParts, before?: PolicyMode) {
    const { store, settings, events, decided } = parts;
    this.#policy = policy;
    this.#decided = decided;
    this.#store = store;
    // Where records may have to be set aside, the keys of every call are needed: those of an operation at once are not known.
    this.#immediate = store.setAside === undefined ? store.immediate : undefined;
    this.#settings = settings;
    this.#events = events;
    const goesOn = before !== undefined && before.#policy.kind === policy.kind;
    this.#caps = goesOn ? before.#caps : settings.openCaps(settings.capsOf(policy));
    this.#epoch = goesOn ? before.#epoch : null;
    this.#breaker = this.#openBreaker(goesOn ? before.#breaker : null);
  }

  /**
   * Decides an operation, on the store or without it; without a promise where nothing has to be waited for. Rejects with
   * what is not a failure of the store.
   */
  run(call: Call, at?: number): Decision | Promise<Decision> {
    const breaker = this.#breaker;
    // A closed breaker stays so whatever the time is, and to read the clock takes longer than many a rule.
    if (breaker.isOpen) breaker.tick();
    if (breaker.isOpen) return this.#answer(call, at ?? breaker.now);
    const startedAt = this.#events.hears('store') ? this.#settings.clock.now() : null;
    if (this.#immediate !== undefined) return this.#runAtOnce(this.#immediate, call, at, startedAt);
    return this.#runOn(new OperationLine(this.#store, breaker.spell, call, at, startedAt));
  }

  status(): PolicyStatus {
    return { policy: this.#policy.name, ...this.#breaker.status };
  }

  /** Ends probing; what is under way trips no breaker any more. */
  stop(): void {
    this.#breaker.stop();
  }

  #openBreaker(before: TimedBreaker<OperationName> | null): TimedBreaker<OperationName> {
    const { name: policy } = this.#policy;
    const events = this.#events;
    return new TimedBreaker<OperationName>(
      {
        policy,
        settings: this.#settings,
        events,
        ping: () => this.#store.ping(),
        modeOf: (phase) => modeOf(phase, this.#policy),
        onCall: (op, durationMs, fault) => events.emit('store', { policy, op, durationMs, fault }),
        onTrip: (at) => {
          this.#epoch = new DegradedEpoch(at);
        },
        onClose: (at) => this.#endEpoch(at),
      },
      before,
    );
  }

  #endEpoch(at: number): void {
    const { capsOf, nodes } = this.#settings;
    this.#caps.endEpoch();
    if (this.#epoch !== null) {
      const event = this.#epoch.end(at, this.#policy.name, capsOf(this.#policy), nodes);
      this.#events.emit('degradedEpoch', event);
    }
    this.#epoch = null;
  }

  #runOn(line: OperationLine): Decision | Promise<Decision> {
    const { deadlineMs, clock } = this.#settings;
    const { call, at } = line;
    const ending = this.#ending;
    if (deadlineMs === null) return runOperation(line, call.operation, at, ending);
    try {
      const running = runOperation(line, call.operation, at);
      // Not by what a promise is: that of a host's own store may be of another library, or realm.
      if ('outcome' in running) return ending.decided(line, running);
      // Its end is heard here: what comes after the deadline has been decided without the store.
      return withinDeadline(running, deadlineMs, clock).then(
        (decision) => ending.decided(line, decision),
        (cause: unknown) => ending.failed(line, cause),
      );
    } catch (cause) {
      return ending.failed(line, cause);
    }
  }

  #runAtOnce(
    store: ImmediateStore,
    call: Call,
    at: number | undefined,
    startedAt: number | null,
  ): Decision | Promise<Decision> {
    try {
      return this.#conclude(call, startedAt, runImmediately(store, call.operation, at));
    } catch (cause) {
      return this.#recover(new OperationLine(this.#store, this.#breaker.spell, call, at, startedAt), cause);
    }
  }

  #conclude(call: Call, startedAt: number | null, decision: Decision): Decision {
    this.#breaker.report(call.op, startedAt, null);
    this.#decided(call, decision);
    return decision;
  }

  /** What is left of the operation reaches the store no more. */
  async #recover(line: OperationLine, cause: unknown): Promise<Decision> {
    const { call, at, startedAt } = line;
    const breaker = this.#breaker;
    line.end();
    breaker.report(call.op, startedAt, cause);
    if (isUnreadable(cause)) await this.#quarantine(call, line.stepKeys);
    if (!isStoreFailure(cause)) throw cause;
    breaker.tick();
    if (!line.spell.isOver) breaker.noteFailure();
    return this.#answer(call, at ?? breaker.now);
  }

  /** Where the caps have counted it. The store keeps nothing of a `check`. */
  withdraw(request: Request): void {
    const breaker = this.#breaker;
    breaker.tick();
    this.#caps.withdraw?.(request, breaker.now);
  }

  /** An answer without the store. A rate policy fails open under its guardrails, unless it is shut. */
  #answer(call: Call, t: number): Decision {
    const decision = this.#isClosed() ? refuse(call.policy, t) : this.#answerOpen(call, t);
    this.#decided(call, decision);
    return decision;
  }

  #answerOpen({ op, policy, request }: Call, t: number): Decision {
    const { now } = this.#breaker;
    const verdict = this.#caps.judge(op, request, now);
    this.#epoch?.note(verdict);
    const decision = answerByCaps(policy, verdict.over, t);
    if (verdict.over.length > 0) {
      const { outcome, mode } = decision;
      this.#events.emit('cap', { at: now, policy: policy.name, op, mode, outcome, scopes: verdict.over });
    }
    return decision;
  }

  /** Whether nobody passes now; an operator's pin has the last word. */
  #isClosed(): boolean {
    const { kind, name } = this.#policy;
    const pinned = this.#settings.pinned(name);
    if (pinned !== null) return pinned === 'closed';
    const { phase } = this.#breaker;
    return phase === 'shut' || (phase === 'normal' && kind === 'credential');
  }

  /** A record that cannot be read is not trusted and not left to stop its subject for good: it is set aside. */
  async #quarantine({ op, operation }: Call, stepKeys: readonly Key[]): Promise<void> {
    const { name: policy } = this.#policy;
    const setAside = await setAsideAmong(this.#store, [...operation.wider().keys, ...stepKeys]);
    this.#events.emit('corrupt', { policy, op, setAside });
  }
}
