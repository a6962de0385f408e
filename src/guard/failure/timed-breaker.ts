import type { Mode } from '../../core/decision.ts';
import { Fault, type FaultCode } from '../../core/fault.ts';
import { isStoreFailure } from '../../stores/store-failure.ts';
import type { BreakerEvent, CriticalEvent, ModeEvent } from '../events.ts';
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
import type { FailureSettings } from './failure-options.ts';
import { ProbeLoop } from './probe-loop.ts';

/** The time between two trips of a breaker: an operation that began in one counts for no other. */
export interface Spell {
  isOver: boolean;
}

/** How a breaker stands on this node. */
export interface BreakerStatus {
  readonly mode: Mode;
  /** When it entered this mode; null where it never left NORMAL. */
  readonly since: number | null;
  /** The last fault of the store that led out of NORMAL, or keeps it there; null in NORMAL. */
  readonly fault: FaultCode | null;
}

/** Where a breaker tells of itself. */
export interface BreakerOutlet {
  emit(name: 'mode', event: ModeEvent): void;
  emit(name: 'breaker', event: BreakerEvent): void;
  emit(name: 'critical', event: CriticalEvent): void;
}

/** What a breaker in time rests on. `Op` names the calls of the store that are reported to it. */
export interface TimedBreakerParts<Op extends string> {
  /** Whose breaker it is, in all that it tells. */
  readonly policy: string;
  readonly settings: Pick<FailureSettings, 'deadlineMs' | 'clock' | 'breaker'>;
  readonly events: BreakerOutlet;
  readonly ping: () => Promise<void>;
  /** The mode that requests are answered in while it is in this phase. */
  readonly modeOf: (phase: Phase) => Mode;
  /** Is told how each call of the store has ended, probes among them; `fault` is null where it went well. */
  readonly onCall: (op: Op | 'probe', durationMs: number, fault: FaultCode | null) => void;
  /** Comes before all that is told of the trip. */
  readonly onTrip?: (at: number) => void;
  /** Comes when the close has been told, before the change of mode is. */
  readonly onClose?: (at: number) => void;
}

/**
 * A breaker on one node, in time: trips it, probes the store while it is open, and tells of all that changes with it. When it
 * trips and closes is decided in `breaker.ts`.
 */
export class TimedBreaker<Op extends string> {
  /** What begins now begins in this one. */
  spell: Spell = { isOver: false };
  /** The time at the last {@link tick}, whole. */
  now = 0;
  readonly #parts: TimedBreakerParts<Op>;
  readonly #probes: ProbeLoop;
  #breaker: Breaker = freshBreaker;
  #mode: Mode = 'NORMAL';
  #since: number | null = null;
  #fault: FaultCode | null = null;
  #isStopped = false;

  /** @param before whose place it takes, after a change of policies */
  constructor(parts: TimedBreakerParts<Op>, before: TimedBreaker<Op> | null = null) {
    const { breaker, clock } = parts.settings;
    this.#parts = parts;
    this.#probes = new ProbeLoop(() => this.#probe(), breaker.probeEveryMs, clock);
    if (before !== null) this.#continue(before);
  }

  get isOpen(): boolean {
    return this.#breaker.state === 'open';
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** At the time of the last tick. */
  get phase(): Phase {
    return phaseOf(this.#breaker, this.now);
  }

  get status(): BreakerStatus {
    this.tick();
    const fault = this.#mode === 'NORMAL' ? null : this.#fault;
    return { mode: this.#mode, since: this.#since, fault };
  }

  /** Takes the time, which never runs backwards; what is due by then happens first. */
  tick(): number {
    const { clock, breaker } = this.#parts.settings;
    this.now = Math.max(this.now, Math.floor(clock.now()));
    const before = this.#breaker;
    this.#breaker = advance(before, this.now, breaker);
    if (before.state === 'open' && this.#breaker.state === 'closed') this.#close();
    this.#tellMode();
    return this.now;
  }

  /** A failure of the store, at the time of the last tick. */
  noteFailure(): void {
    if (this.#isStopped) return;
    const before = this.#breaker;
    this.#breaker = noteFailure(before, this.now, this.#parts.settings.breaker);
    if (before.state === 'closed' && this.#breaker.state === 'open') this.#trip(this.#breaker.shutUntil);
    this.#tellMode();
  }

  /**
   * Tells how a call of the store has ended.
   *
   * @param startedAt null where nobody listened yet
   * @param cause null when it went well
   */
  report(op: Op | 'probe', startedAt: number | null, cause: unknown): void {
    if (isStoreFailure(cause)) this.#fault = cause.code;
    if (startedAt === null) return;
    const durationMs = Math.max(0, this.#parts.settings.clock.now() - startedAt);
    this.#parts.onCall(op, durationMs, cause === null ? null : codeOf(cause));
  }

  /** Ends probing; what is under way trips no breaker any more. */
  stop(): void {
    this.#isStopped = true;
    this.#probes.stop();
  }

  /** A change of policies heals no store: an open breaker stays open. */
  #continue(before: TimedBreaker<Op>): void {
    this.#breaker = before.#breaker;
    this.#mode = before.#mode;
    this.#since = before.#since;
    this.#fault = before.#fault;
    this.now = before.now;
    this.spell = before.spell;
    if (this.#breaker.state !== 'open') return;
    const { breaker, clock } = this.#parts.settings;
    // At the pace of before: put off by every change, probes would be missing when the breaker looks for them.
    this.#probes.start(Math.max(1, this.#breaker.probedAt + breaker.probeEveryMs - clock.now()));
  }

  #trip(shutUntil: number | null): void {
    const { policy, events, onTrip } = this.#parts;
    this.spell.isOver = true;
    this.spell = { isOver: false };
    onTrip?.(this.now);
    this.#probes.start();
    this.#tellBreaker('tripped');
    if (shutUntil !== null) {
      events.emit('critical', { at: this.now, policy, what: 'reentry', until: shutUntil });
    }
  }

  #close(): void {
    this.#probes.stop();
    this.#tellBreaker('closed');
    this.#parts.onClose?.(this.now);
  }

  #tellBreaker(what: BreakerEvent['what']): void {
    const { policy, events } = this.#parts;
    const { entries } = this.#breaker;
    events.emit('breaker', { at: this.now, policy, what, entries: entries.length });
  }

  #tellMode(): void {
    const { policy, events, modeOf } = this.#parts;
    const to = modeOf(this.phase);
    const from = this.#mode;
    if (to === from) return;
    this.#mode = to;
    this.#since = this.now;
    events.emit('mode', { at: this.now, policy, from, to });
  }

  async #probe(): Promise<void> {
    const { clock, deadlineMs, breaker } = this.#parts.settings;
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
    await this.#parts.ping();
  }
}

/** What is not a fault of ours is a bug: in a look, in a step or in the store. */
const codeOf = (cause: unknown): FaultCode => (cause instanceof Fault ? cause.code : 'INVARIANT_BROKEN');
