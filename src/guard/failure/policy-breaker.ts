import type { Mode } from '../../core/decision.ts';
import { Fault, type FaultCode } from '../../core/fault.ts';
import type { Policy } from '../../core/policy.ts';
import type { Store } from '../../stores/store.ts';
import { isStoreFailure } from '../../stores/store-failure.ts';
import type { OperationName } from '../engine.ts';
import type { EventHub, GuardEvents } from '../events.ts';
import {
  advance,
  type Breaker,
  freshBreaker,
  noteFailure,
  noteProbe,
  type Phase,
  phaseOf,
} from './breaker.ts';
import { withinDeadline } from './deadline.ts';
import type { CapVerdict, LocalCaps } from './degraded-caps.ts';
import { DegradedEpoch } from './degraded-epoch.ts';
import { modeOf } from './failure-answer.ts';
import type { FailureSettings } from './failure-options.ts';
import type { Spell } from './operation-line.ts';
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

/** What the breakers of all policies share. */
export interface BreakerParts {
  readonly store: Store;
  readonly settings: FailureSettings;
  readonly events: EventHub<GuardEvents>;
}

/**
 * The breaker of one policy on one node, in time: trips it, probes the store while it is open, and tells of all that changes
 * with it. When it trips and closes is decided in `breaker.ts`.
 */
export class PolicyBreaker {
  /** What begins now begins in this one. */
  spell: Spell = { isOver: false };
  /** The time at the last {@link tick}, whole. */
  now = 0;
  readonly #policy: Policy;
  readonly #store: Store;
  readonly #settings: FailureSettings;
  readonly #events: EventHub<GuardEvents>;
  readonly #caps: LocalCaps;
  readonly #probes: ProbeLoop;
  #breaker: Breaker = freshBreaker;
  #epoch: DegradedEpoch | null = null;
  #mode: Mode = 'NORMAL';
  #since: number | null = null;
  #fault: FaultCode | null = null;
  #isStopped = false;

  /** @param before whose place it takes, after a change of policies */
  constructor(
    policy: Policy,
    { store, settings, events }: BreakerParts,
    caps: LocalCaps,
    before: PolicyBreaker | null,
  ) {
    this.#policy = policy;
    this.#store = store;
    this.#settings = settings;
    this.#events = events;
    this.#caps = caps;
    this.#probes = new ProbeLoop(() => this.#probe(), settings.breaker.probeEveryMs, settings.clock);
    if (before !== null) this.#continue(before);
  }

  get isOpen(): boolean {
    return this.#breaker.state === 'open';
  }

  get phase(): Phase {
    return phaseOf(this.#breaker, this.now);
  }

  status(): PolicyStatus {
    this.tick();
    const fault = this.#mode === 'NORMAL' ? null : this.#fault;
    return { policy: this.#policy.name, mode: this.#mode, since: this.#since, fault };
  }

  /** Takes the time, which never runs backwards; what is due by then happens first. */
  tick(): void {
    this.now = Math.max(this.now, Math.floor(this.#settings.clock.now()));
    const before = this.#breaker;
    this.#breaker = advance(before, this.now, this.#settings.breaker);
    if (before.state === 'open' && this.#breaker.state === 'closed') this.#onClose();
    this.#announceMode();
  }

  /** A failure of the store, at the time of the last tick. */
  noteFailure(): void {
    if (this.#isStopped) return;
    const before = this.#breaker;
    this.#breaker = noteFailure(before, this.now, this.#settings.breaker);
    if (before.state === 'closed' && this.#breaker.state === 'open') this.#onTrip(this.#breaker.shutUntil);
    this.#announceMode();
  }

  /** What local caps said of a call, for the report at the end of the outage. */
  noteCaps(verdict: CapVerdict): void {
    this.#epoch?.note(verdict);
  }

  /**
   * Tells how a call of the store has ended.
   *
   * @param startedAt null where nobody listened yet
   * @param cause null when it went well
   */
  report(op: OperationName | 'probe', startedAt: number | null, cause: unknown): void {
    if (isStoreFailure(cause)) this.#fault = cause.code;
    if (startedAt === null || !this.#events.hears('store')) return;
    const { name: policy } = this.#policy;
    const durationMs = Math.max(0, this.#settings.clock.now() - startedAt);
    const fault = cause === null ? null : codeOf(cause);
    this.#events.emit('store', { policy, op, durationMs, fault });
  }

  /** Ends probing; what is under way trips no breaker any more. */
  stop(): void {
    this.#isStopped = true;
    this.#probes.stop();
  }

  /** A change of policies heals no store: what was let through stays counted, and an open breaker stays open. */
  #continue(before: PolicyBreaker): void {
    this.#breaker = before.#breaker;
    this.#epoch = before.#epoch;
    this.#mode = before.#mode;
    this.#since = before.#since;
    this.#fault = before.#fault;
    this.now = before.now;
    this.spell = before.spell;
    if (this.#breaker.state !== 'open') return;
    const { breaker, clock } = this.#settings;
    // At the pace of before: put off by every change, probes would be missing when the breaker looks for them.
    this.#probes.start(Math.max(1, this.#breaker.probedAt + breaker.probeEveryMs - clock.now()));
  }

  #onTrip(shutUntil: number | null): void {
    const { name } = this.#policy;
    this.spell.isOver = true;
    this.spell = { isOver: false };
    this.#epoch = new DegradedEpoch(this.now);
    this.#probes.start();
    this.#events.emit('breaker', {
      at: this.now,
      policy: name,
      what: 'tripped',
      entries: this.#breaker.entries.length,
    });
    if (shutUntil !== null) {
      this.#events.emit('critical', { at: this.now, policy: name, what: 'reentry', until: shutUntil });
    }
  }

  #onClose(): void {
    this.#probes.stop();
    this.#caps.endEpoch();
    const { name } = this.#policy;
    this.#events.emit('breaker', {
      at: this.now,
      policy: name,
      what: 'closed',
      entries: this.#breaker.entries.length,
    });
    const { capsOf, nodes } = this.#settings;
    if (this.#epoch !== null) {
      const event = this.#epoch.end(this.now, name, capsOf(this.#policy), nodes);
      this.#events.emit('degradedEpoch', event);
    }
    this.#epoch = null;
  }

  #announceMode(): void {
    const to = modeOf(this.phase, this.#policy);
    const from = this.#mode;
    if (to === from) return;
    this.#mode = to;
    this.#since = this.now;
    this.#events.emit('mode', { at: this.now, policy: this.#policy.name, from, to });
  }

  async #probe(): Promise<void> {
    const { clock, deadlineMs, breaker } = this.#settings;
    const startedAt = clock.now();
    const { spell } = this;
    const cause = await withinDeadline(this.#ping(), deadlineMs ?? breaker.probeEveryMs, clock).then(
      () => null,
      (rejection: unknown) => rejection ?? new Fault('STORE_FAILED', 'A probe failed without a reason.'),
    );
    this.report('probe', startedAt, cause);
    // The one that has taken the place of this one began with what was known then, and goes on by itself.
    if (this.#isStopped) return;
    if (!spell.isOver) {
      this.#breaker = noteProbe(this.#breaker, cause === null, Math.floor(startedAt), breaker);
    }
    this.tick();
  }

  /** Async, so that a store which throws instead of rejecting is a failed probe too. */
  async #ping(): Promise<void> {
    await this.#store.ping();
  }
}

/** What is not a fault of ours is a bug: in a look, in a step or in the store. */
const codeOf = (cause: unknown): FaultCode => (cause instanceof Fault ? cause.code : 'INVARIANT_BROKEN');
