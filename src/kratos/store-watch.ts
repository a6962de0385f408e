import type { Mode } from '../core/decision.ts';
import { Fault, type FaultCode } from '../core/fault.ts';
import type { EventHub } from '../guard/events.ts';
import {
  advance,
  type Breaker,
  freshBreaker,
  noteFailure,
  noteProbe,
  type Phase,
  phaseOf,
} from '../guard/failure/breaker.ts';
import { withinDeadline } from '../guard/failure/deadline.ts';
import type { FailureSettings } from '../guard/failure/failure-options.ts';
import { ProbeLoop } from '../guard/failure/probe-loop.ts';
import { isStoreFailure } from '../stores/store-failure.ts';
import type { CounterStoreEvent, KratosEvents } from './events.ts';
import type { BackoffStatus } from './login-backoff.ts';

/** Stands in events where a policy's name does. */
export const policyName = 'kratos';

/** What a watch rests on. */
export interface StoreWatchParts {
  readonly ping: () => Promise<void>;
  readonly settings: Pick<FailureSettings, 'deadlineMs' | 'clock' | 'breaker'>;
  readonly events: EventHub<KratosEvents>;
  /** The mode that requests are answered in while the breaker is open. */
  readonly degradedMode: Mode;
}

/**
 * Asks the store for the counters, and leaves it alone while it fails (engine contract §12): three failures within ten
 * seconds trip the breaker, probes ask whether the store is back.
 */
export class StoreWatch {
  readonly #parts: StoreWatchParts;
  readonly #probes: ProbeLoop;
  #breaker: Breaker = freshBreaker;
  #mode: Mode = 'NORMAL';
  #since: number | null = null;
  #fault: FaultCode | null = null;
  #now = 0;
  /** A call that began before a trip says nothing about the time after it. */
  #trips = 0;
  #isStopped = false;

  constructor(parts: StoreWatchParts) {
    this.#parts = parts;
    const { breaker, clock } = parts.settings;
    this.#probes = new ProbeLoop(() => this.#probe(), breaker.probeEveryMs, clock);
  }

  /** What the store answers; null when it cannot be asked. Throws what is not a failure of the store. */
  async ask<T>(op: CounterStoreEvent['op'], work: () => Promise<T>): Promise<{ readonly value: T } | null> {
    this.tick();
    if (this.#isStopped) throw new Fault('STORE_CLOSED', 'Login backoff was used after it was closed.');
    if (this.#breaker.state === 'open') return null;
    const { deadlineMs, clock } = this.#parts.settings;
    const trips = this.#trips;
    const startedAt = clock.now();
    try {
      const value = await withinDeadline(work(), deadlineMs, clock);
      this.#report(op, startedAt, null);
      return { value };
    } catch (cause) {
      this.#report(op, startedAt, cause);
      if (!isStoreFailure(cause)) throw cause;
      this.tick();
      if (this.#trips === trips) this.#noteFailure();
      return null;
    }
  }

  get phase(): Phase {
    return phaseOf(this.#breaker, this.tick());
  }

  /** How it stands on this node. */
  get status(): BackoffStatus {
    this.tick();
    const fault = this.#mode === 'NORMAL' ? null : this.#fault;
    return { mode: this.#mode, since: this.#since, fault };
  }

  /** The time now, which never runs backwards; what is due by then happens first. */
  tick(): number {
    const { clock, breaker } = this.#parts.settings;
    this.#now = Math.max(this.#now, Math.floor(clock.now()));
    const before = this.#breaker;
    this.#breaker = advance(before, this.#now, breaker);
    if (before.state === 'open' && this.#breaker.state === 'closed') {
      this.#probes.stop();
      this.#tellBreaker('closed');
    }
    this.#tellMode();
    return this.#now;
  }

  stop(): void {
    this.#isStopped = true;
    this.#probes.stop();
  }

  #noteFailure(): void {
    const before = this.#breaker;
    this.#breaker = noteFailure(before, this.#now, this.#parts.settings.breaker);
    if (before.state === 'closed' && this.#breaker.state === 'open') {
      this.#trips += 1;
      if (!this.#isStopped) this.#probes.start();
      this.#tellBreaker('tripped');
      const until = this.#breaker.shutUntil;
      if (until !== null) {
        const event = { at: this.#now, policy: policyName, what: 'reentry', until } as const;
        this.#parts.events.emit('critical', event);
      }
    }
    this.#tellMode();
  }

  async #probe(): Promise<void> {
    const { ping, settings } = this.#parts;
    const { clock, deadlineMs, breaker } = settings;
    const startedAt = clock.now();
    const trips = this.#trips;
    const cause = await withinDeadline(ping(), deadlineMs ?? breaker.probeEveryMs, clock).then(
      () => null,
      (rejection: unknown) => rejection ?? new Fault('STORE_FAILED', 'A probe failed without a reason.'),
    );
    this.#report('probe', startedAt, cause);
    if (this.#trips === trips) {
      this.#breaker = noteProbe(this.#breaker, cause === null, Math.floor(startedAt), breaker);
    }
    this.tick();
  }

  #tellBreaker(what: 'tripped' | 'closed'): void {
    const { entries } = this.#breaker;
    this.#parts.events.emit('breaker', { at: this.#now, policy: policyName, what, entries: entries.length });
  }

  #tellMode(): void {
    const phase = phaseOf(this.#breaker, this.#now);
    const open = phase === 'shut' && this.#parts.degradedMode !== 'FAIL_OPEN' ? 'FAIL_CLOSED' : null;
    const to = phase === 'normal' ? 'NORMAL' : (open ?? this.#parts.degradedMode);
    const from = this.#mode;
    if (to === from) return;
    this.#mode = to;
    this.#since = this.#now;
    this.#parts.events.emit('mode', { at: this.#now, policy: policyName, from, to });
  }

  #report(op: CounterStoreEvent['op'], startedAt: number, cause: unknown): void {
    const durationMs = Math.max(0, this.#parts.settings.clock.now() - startedAt);
    const code = cause instanceof Fault ? cause.code : 'INVARIANT_BROKEN';
    if (isStoreFailure(cause)) this.#fault = cause.code;
    this.#parts.events.emit('store', { op, durationMs, fault: cause === null ? null : code });
  }
}
