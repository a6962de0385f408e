import type { Decision, Mode } from '../../core/decision.ts';
import { Fault, type FaultCode } from '../../core/fault.ts';
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
import { advance, type Breaker, freshBreaker, noteFailure, noteProbe, phaseOf } from './breaker.ts';
import { withinDeadline } from './deadline.ts';
import type { LocalCaps } from './degraded-caps.ts';
import { DegradedEpoch } from './degraded-epoch.ts';
import { answerByCaps, modeOf, refuse } from './failure-answer.ts';
import type { FailureSettings } from './failure-options.ts';
import { OperationLine, type Spell } from './operation-line.ts';
import { ProbeLoop } from './probe-loop.ts';

/** How a policy stands on this node. */
export interface PolicyStatus {
  readonly policy: string;
  readonly mode: Mode;
  /** When it entered this mode; null for a policy that never left NORMAL. */
  readonly since: number | null;
  /** The last fault of the store that led out of NORMAL, or keeps the policy there; null in NORMAL. */
  readonly fault: FaultCode | null;
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
 * §12). What is decided lies in the breaker and the caps; this is where they meet store, time and events.
 */
export class PolicyMode {
  readonly #policy: Policy;
  readonly #store: Store;
  readonly #immediate: ImmediateStore | undefined;
  readonly #settings: FailureSettings;
  readonly #events: EventHub<GuardEvents>;
  readonly #caps: LocalCaps;
  readonly #probes: ProbeLoop;
  readonly #decided: (call: Call, decision: Decision) => void;
  readonly #ending: Ending<OperationLine> = {
    decided: ({ call, startedAt }, decision) => this.#conclude(call, startedAt, decision),
    failed: (line, cause) => this.#recover(line, cause),
  };
  #breaker: Breaker = freshBreaker;
  #epoch: DegradedEpoch | null = null;
  #mode: Mode = 'NORMAL';
  #since: number | null = null;
  #fault: FaultCode | null = null;
  #now = 0;
  #spell: Spell = { isOver: false };
  #isStopped = false;

  /** @param before the mode of this policy that this one takes the place of, after a change of policies */
  constructor(policy: Policy, { store, settings, events, decided }: ModeParts, before?: PolicyMode) {
    this.#policy = policy;
    this.#decided = decided;
    this.#store = store;
    // Where records may have to be set aside, the keys of every call are needed: those of an operation at once are not known.
    this.#immediate = store.setAside === undefined ? store.immediate : undefined;
    this.#settings = settings;
    this.#events = events;
    this.#probes = new ProbeLoop(() => this.#probe(), settings.breaker.probeEveryMs, settings.clock);
    const goesOn = before !== undefined && before.#policy.kind === policy.kind;
    this.#caps = goesOn ? before.#caps : settings.openCaps(settings.capsOf(policy));
    if (goesOn) this.#continue(before);
  }

  /**
   * Decides an operation, on the store or without it; without a promise where nothing has to be waited for. Rejects with
   * what is not a failure of the store.
   */
  run(call: Call, at?: number): Decision | Promise<Decision> {
    // A closed breaker stays so whatever the time is, and to read the clock takes longer than many a rule.
    if (this.#breaker.state === 'open') this.#tick();
    if (this.#breaker.state === 'open') return this.#answer(call, at ?? this.#now);
    const startedAt = this.#events.hears('store') ? this.#settings.clock.now() : null;
    if (this.#immediate !== undefined) return this.#runAtOnce(this.#immediate, call, at, startedAt);
    return this.#runOn(new OperationLine(this.#store, this.#spell, call, at, startedAt));
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
      return this.#recover(new OperationLine(this.#store, this.#spell, call, at, startedAt), cause);
    }
  }

  #conclude(call: Call, startedAt: number | null, decision: Decision): Decision {
    this.#reportCall(call.op, startedAt, null);
    this.#decided(call, decision);
    return decision;
  }

  /** What is left of the operation reaches the store no more. */
  async #recover(line: OperationLine, cause: unknown): Promise<Decision> {
    const { call, at, startedAt } = line;
    line.end();
    this.#reportCall(call.op, startedAt, cause);
    if (isUnreadable(cause)) await this.#quarantine(call, line.stepKeys);
    if (!isStoreFailure(cause)) throw cause;
    this.#tick();
    if (!line.spell.isOver) this.#noteFailure();
    return this.#answer(call, at ?? this.#now);
  }

  /** Where the caps have counted it. The store keeps nothing of a `check`. */
  withdraw(request: Request): void {
    this.#caps.withdraw?.(request, this.#tick());
  }

  status(): PolicyStatus {
    this.#tick();
    const fault = this.#mode === 'NORMAL' ? null : this.#fault;
    return { policy: this.#policy.name, mode: this.#mode, since: this.#since, fault };
  }

  /** A change of policies heals no store: what was let through stays counted, and an open breaker stays open. */
  #continue(before: PolicyMode): void {
    this.#breaker = before.#breaker;
    this.#epoch = before.#epoch;
    this.#mode = before.#mode;
    this.#since = before.#since;
    this.#fault = before.#fault;
    this.#now = before.#now;
    this.#spell = before.#spell;
    if (this.#breaker.state !== 'open') return;
    const { breaker, clock } = this.#settings;
    // At the pace of before: put off by every change, probes would be missing when the breaker looks for them.
    this.#probes.start(Math.max(1, this.#breaker.probedAt + breaker.probeEveryMs - clock.now()));
  }

  /** Ends probing; what is under way trips no breaker any more. */
  stop(): void {
    this.#isStopped = true;
    this.#probes.stop();
  }

  /** The time now, which never runs backwards; what is due by then happens first. */
  #tick(time = this.#settings.clock.now()): number {
    this.#now = Math.max(this.#now, Math.floor(time));
    const before = this.#breaker;
    this.#breaker = advance(before, this.#now, this.#settings.breaker);
    if (before.state === 'open' && this.#breaker.state === 'closed') this.#onClose();
    this.#announceMode();
    return this.#now;
  }

  #noteFailure(): void {
    if (this.#isStopped) return;
    const before = this.#breaker;
    this.#breaker = noteFailure(before, this.#now, this.#settings.breaker);
    if (before.state === 'closed' && this.#breaker.state === 'open') this.#onTrip(this.#breaker.shutUntil);
    this.#announceMode();
  }

  #onTrip(shutUntil: number | null): void {
    const { name } = this.#policy;
    this.#spell.isOver = true;
    this.#spell = { isOver: false };
    this.#epoch = new DegradedEpoch(this.#now);
    this.#probes.start();
    this.#events.emit('breaker', {
      at: this.#now,
      policy: name,
      what: 'tripped',
      entries: this.#breaker.entries.length,
    });
    if (shutUntil !== null) {
      this.#events.emit('critical', { at: this.#now, policy: name, what: 'reentry', until: shutUntil });
    }
  }

  #onClose(): void {
    this.#probes.stop();
    this.#caps.endEpoch();
    const { name } = this.#policy;
    this.#events.emit('breaker', {
      at: this.#now,
      policy: name,
      what: 'closed',
      entries: this.#breaker.entries.length,
    });
    const { capsOf, nodes } = this.#settings;
    if (this.#epoch !== null) {
      const event = this.#epoch.end(this.#now, name, capsOf(this.#policy), nodes);
      this.#events.emit('degradedEpoch', event);
    }
    this.#epoch = null;
  }

  #announceMode(): void {
    const to = modeOf(phaseOf(this.#breaker, this.#now), this.#policy);
    const from = this.#mode;
    if (to === from) return;
    this.#mode = to;
    this.#since = this.#now;
    this.#events.emit('mode', { at: this.#now, policy: this.#policy.name, from, to });
  }

  /** An answer without the store. A rate policy fails open under its guardrails, unless it is shut. */
  #answer(call: Call, t: number): Decision {
    const decision = this.#isClosed() ? refuse(call.policy, t) : this.#answerOpen(call, t);
    this.#decided(call, decision);
    return decision;
  }

  #answerOpen({ op, policy, request }: Call, t: number): Decision {
    const verdict = this.#caps.judge(op, request, this.#now);
    this.#epoch?.note(verdict);
    const decision = answerByCaps(policy, verdict.over, t);
    if (verdict.over.length > 0) {
      const { outcome, mode } = decision;
      this.#events.emit('cap', {
        at: this.#now,
        policy: policy.name,
        op,
        mode,
        outcome,
        scopes: verdict.over,
      });
    }
    return decision;
  }

  /** Whether nobody passes now; an operator's pin has the last word. */
  #isClosed(): boolean {
    const { kind, name } = this.#policy;
    const pinned = this.#settings.pinned(name);
    if (pinned !== null) return pinned === 'closed';
    const phase = phaseOf(this.#breaker, this.#now);
    return phase === 'shut' || (phase === 'normal' && kind === 'credential');
  }

  async #probe(): Promise<void> {
    const { clock, deadlineMs, breaker } = this.#settings;
    const startedAt = clock.now();
    const spell = this.#spell;
    const cause = await withinDeadline(this.#ping(), deadlineMs ?? breaker.probeEveryMs, clock).then(
      () => null,
      (rejection: unknown) => rejection ?? new Fault('STORE_FAILED', 'A probe failed without a reason.'),
    );
    this.#reportCall('probe', startedAt, cause);
    // The mode that has taken the place of this one began with what was known then, and goes on by itself.
    if (this.#isStopped) return;
    if (!spell.isOver) {
      this.#breaker = noteProbe(this.#breaker, cause === null, Math.floor(startedAt), breaker);
    }
    this.#tick();
  }

  /** Async, so that a store which throws instead of rejecting is a failed probe too. */
  async #ping(): Promise<void> {
    await this.#store.ping();
  }

  /** @param startedAt null where nobody listened yet */
  #reportCall(op: OperationName | 'probe', startedAt: number | null, cause: unknown): void {
    if (isStoreFailure(cause)) this.#fault = cause.code;
    if (startedAt === null || !this.#events.hears('store')) return;
    const { name: policy } = this.#policy;
    const durationMs = Math.max(0, this.#settings.clock.now() - startedAt);
    const fault = cause === null ? null : codeOf(cause);
    this.#events.emit('store', { policy, op, durationMs, fault });
  }

  /** A record that cannot be read is not trusted and not left to stop its subject for good: it is set aside. */
  async #quarantine({ op, operation }: Call, stepKeys: readonly Key[]): Promise<void> {
    const { name: policy } = this.#policy;
    const setAside = await setAsideAmong(this.#store, [...operation.wider().keys, ...stepKeys]);
    this.#events.emit('corrupt', { policy, op, setAside });
  }
}

/** What is not a fault of ours is a bug: in a look, in a step or in the store. */
const codeOf = (cause: unknown): FaultCode => (cause instanceof Fault ? cause.code : 'INVARIANT_BROKEN');
