import { MINUTE_MS } from '../core/duration.ts';
import type { SvcEmitter } from './events.ts';
import {
  closedGlobalBreaker,
  type GlobalBreaker,
  type GlobalCause,
  globalRetryAfterMs,
  judgeGlobal,
  type Priority,
  passGlobal,
} from './global-breaker.ts';
import { LatencyHistory } from './latency-history.ts';
import type { GlobalBreakerSettings } from './options.ts';
import type { Target } from './target.ts';

/** A target counts as in use for this long after it was last asked for. */
const IN_USE_MS = MINUTE_MS;

/** Why the global breaker lets a call not pass, and when it may. */
export interface Shedding {
  readonly cause: GlobalCause;
  readonly retryAfterMs: number;
}

/** Watches for what opens the global breaker: saturation, a partition, a spike. What that leads to is decided in its own file. */
export class GlobalWatch {
  /** Targets whose breaker is not closed, as whoever moves them says. */
  troubled = 0;
  readonly #targets: ReadonlyMap<string, Target>;
  readonly #events: SvcEmitter;
  #settings: GlobalBreakerSettings;
  #breaker: GlobalBreaker = closedGlobalBreaker;
  #latency: LatencyHistory;
  readonly #saturatedUntil = new Map<string, number>();
  /** When the last saturation ran out that was not reported again. */
  #saturationEndedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: GlobalBreakerSettings, targets: ReadonlyMap<string, Target>, events: SvcEmitter) {
    this.#settings = settings;
    this.#targets = targets;
    this.#events = events;
    this.#latency = new LatencyHistory(settings.spike);
  }

  /** Takes new settings. The hour of latencies is kept unless what counts as a spike has changed. */
  reconfigure(settings: GlobalBreakerSettings): void {
    const was = this.#settings.spike;
    const { spike } = settings;
    this.#settings = settings;
    const changed = Object.entries(spike).some(([name, value]) => was[name as keyof typeof was] !== value);
    if (changed) this.#latency = new LatencyHistory(spike);
  }

  /** As of the last {@link judge}. */
  get breaker(): GlobalBreaker {
    return this.#breaker;
  }

  /** Since when it is closing; null when it is not. */
  get closingSince(): number | null {
    return this.#breaker.state === 'closing' ? this.#breaker.since : null;
  }

  /** A resource that everything depends on has no room left. Holds for `forMs`, or until it is cleared. */
  saturate(resource: string, forMs: number, now: number): void {
    this.#saturatedUntil.set(resource, now + forMs);
    this.judge(now);
  }

  desaturate(resource: string, now: number): void {
    // Until now it was saturated, whether or not anybody has asked since.
    this.judge(now);
    this.#saturatedUntil.delete(resource);
  }

  /** Counts a latency towards the spike; timeouts with the time they took. */
  recordLatency(latencyMs: number, now: number): void {
    this.#latency.record(latencyMs, now);
  }

  /** Whether a call is shed now, and counts it among those that are let in where not. Null: it passes. */
  shed(priority: Priority, now: number): Shedding | null {
    if (this.#breaker.state === 'closed') return null;
    const { policy } = this.#settings;
    const { passes, breaker } = passGlobal(this.#breaker, policy, priority, now);
    this.#breaker = breaker;
    if (passes || breaker.state === 'closed') return null;
    return { cause: breaker.cause, retryAfterMs: globalRetryAfterMs(breaker, policy, now) };
  }

  /** Opens, closes or leaves the breaker by what is so now, and tells of it. */
  judge(now: number): void {
    const from = this.#breaker;
    const cause = this.#cause(now);
    if (cause === null && from.state === 'closed') return;
    const { policy, spike } = this.#settings;
    // Partitions are of targets in use, and a spike is that of the last slot: neither outlives the calls by more. When a
    // saturation has ended is known.
    const isSaturation = from.state === 'open' && from.cause === 'saturation';
    const lingerMs = isSaturation ? 0 : Math.max(IN_USE_MS, 2 * spike.slotMs);
    const to = judgeGlobal(this.#lastSeen(from), policy, cause, now, lingerMs);
    this.#breaker = to;
    if (from.state === to.state) return;
    const why = to.state === 'closed' ? null : to.cause;
    this.#events.emit('global-breaker', { from: from.state, to: to.state, cause: why });
    if (to.state === 'open') this.#events.emit('alert', { kind: 'global-breaker', cause: to.cause });
  }

  #cause(now: number): GlobalCause | null {
    if (this.#isSaturated(now)) return 'saturation';
    if (this.#isPartitioned(now)) return 'partition';
    return this.#latency.isSpiking(now) ? 'latency' : null;
  }

  #isSaturated(now: number): boolean {
    if (this.#saturatedUntil.size === 0) return false;
    for (const [resource, until] of this.#saturatedUntil) {
      if (now < until) return true;
      this.#saturatedUntil.delete(resource);
      this.#saturationEndedAt = Math.max(this.#saturationEndedAt, until);
    }
    return false;
  }

  /** A saturation that ran out while nobody asked was there until then. */
  #lastSeen(breaker: GlobalBreaker): GlobalBreaker {
    const endedAt = this.#saturationEndedAt;
    if (breaker.state !== 'open' || breaker.seenAt >= endedAt) return breaker;
    return { ...breaker, seenAt: endedAt };
  }

  /**
   * Most of the targets in use fail at once: then it is not them, it is the network or this node. One that fails alone is not
   * that, whatever its share.
   */
  #isPartitioned(now: number): boolean {
    if (this.troubled < 2) return false;
    const { partitionTargets, partitionShare } = this.#settings;
    const inUse = [...this.#targets.values()].filter(({ askedAt }) => now - askedAt < IN_USE_MS);
    const failing = inUse.filter(({ breaker }) => breaker.state !== 'closed').length;
    return failing > 1 && inUse.length >= partitionTargets && failing > inUse.length * partitionShare;
  }
}
