import type { Mode } from '../core/decision.ts';
import { Fault } from '../core/fault.ts';
import type { EventHub } from '../guard/events.ts';
import { withinDeadline } from '../guard/failure/deadline.ts';
import { TimedBreaker, type TimedBreakerParts } from '../guard/failure/timed-breaker.ts';
import { isStoreFailure } from '../stores/store-failure.ts';
import type { CounterStoreEvent, KratosEvents } from './events.ts';

/** Stands in events where a policy's name does. */
export const policyName = 'kratos';

type CallName = CounterStoreEvent['op'];

/** What a watch rests on. */
export interface StoreWatchParts extends Pick<TimedBreakerParts<CallName>, 'ping' | 'settings'> {
  readonly events: EventHub<KratosEvents>;
  /** The mode that requests are answered in while the breaker is open. */
  readonly degradedMode: Mode;
}

/**
 * Asks the store for the counters, and leaves it alone while it fails (engine contract §12): three failures within ten
 * seconds trip the breaker, probes ask whether the store is back.
 */
export class StoreWatch extends TimedBreaker<CallName> {
  readonly #settings: StoreWatchParts['settings'];

  constructor({ ping, settings, events, degradedMode }: StoreWatchParts) {
    const shutMode = degradedMode === 'FAIL_OPEN' ? degradedMode : 'FAIL_CLOSED';
    const modes = { normal: 'NORMAL', degraded: degradedMode, shut: shutMode } as const;
    super({
      policy: policyName,
      ping,
      settings,
      events,
      modeOf: (phase) => modes[phase],
      onCall: (op, durationMs, fault) => events.emit('store', { op, durationMs, fault }),
    });
    this.#settings = settings;
  }

  /** What the store answers; null when it cannot be asked. Throws what is not a failure of the store. */
  async ask<T>(op: CallName, work: () => Promise<T>): Promise<{ readonly value: T } | null> {
    this.tick();
    if (this.isStopped) throw new Fault('STORE_CLOSED', 'Login backoff was used after it was closed.');
    if (this.isOpen) return null;
    const { deadlineMs, clock } = this.#settings;
    const { spell } = this;
    const startedAt = clock.now();
    try {
      const value = await withinDeadline(work(), deadlineMs, clock);
      this.report(op, startedAt, null);
      return { value };
    } catch (cause) {
      this.report(op, startedAt, cause);
      if (!isStoreFailure(cause)) throw cause;
      this.tick();
      if (!spell.isOver) this.noteFailure();
      return null;
    }
  }
}
