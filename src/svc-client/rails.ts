import { type Bucket, fullBucket, type Quota } from '../core/bucket.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { Denial } from './denial.ts';
import type { SvcEmitter } from './events.ts';
import { FreePlaces } from './free-places.ts';
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
import type { GlobalBreakerSettings, Settings } from './options.ts';
import {
  type Booked,
  carryOver,
  giveUpPlace,
  isSameQuota,
  type Pool,
  quotaOf,
  type Take,
  takeCall,
} from './pool.ts';
import type { Target } from './target.ts';
import { type Evidence, type Passage, passBreaker, recordEvidence } from './target-breaker.ts';

/** Whether an attempt may be made: how it passed the breaker and how long it has to wait, or why not. */
export type Clearance = Cleared | { readonly clear: false; readonly denial: Denial };

export interface Cleared {
  readonly clear: true;
  readonly passage: Passage;
  readonly waitMs: number;
  /** Since when the global breaker was closing that has let it in; null when it was not. */
  readonly closingSince: number | null;
  /** Its places in both pools, where it has to wait for them. */
  readonly booked: Booked | null;
}

/** Is told every denial, and answers whether to go on all the same because the rule runs in shadow. */
export interface Gate {
  skips(denial: Denial): boolean;
}

/** What nearly every attempt gets. */
const clearNow: Clearance = { clear: true, passage: 'normal', waitMs: 0, closingSince: null, booked: null };

/** A target counts as in use for this long after it was last asked for. */
const IN_USE_MS = MINUTE_MS;

/** Enforces what the pure parts decide: breakers and pools of all targets, in one place and in one order. */
export class Rails {
  readonly #events: SvcEmitter;
  readonly #targets: ReadonlyMap<string, Target>;
  #settings: Settings;
  #bucket: Bucket = fullBucket;
  #quota: Quota;
  #free = new FreePlaces();
  #global: GlobalBreaker = closedGlobalBreaker;
  #latency: LatencyHistory;
  readonly #saturatedUntil = new Map<string, number>();
  /** When the last saturation ran out that was not reported again. */
  #saturationEndedAt = Number.NEGATIVE_INFINITY;
  /** Targets whose breaker is not closed. */
  #troubled = 0;

  constructor(settings: Settings, targets: ReadonlyMap<string, Target>, events: SvcEmitter) {
    this.#settings = settings;
    this.#targets = targets;
    this.#events = events;
    this.#quota = quotaOf(settings.globalPool);
    this.#latency = new LatencyHistory(settings.globalBreaker.spike);
  }

  /** Takes new settings. The hour of latencies is kept unless what counts as a spike has changed. */
  reconfigure(settings: Settings, now: number): void {
    const was = this.#settings.globalBreaker.spike;
    const { spike } = settings.globalBreaker;
    const targets = [...this.#targets.values()];
    const waiting = targets.reduce((sum, target) => sum + target.waiting, 0);
    this.#settings = settings;
    this.#limitTo(quotaOf(settings.globalPool), waiting, now);
    this.#troubled = targets.filter(({ breaker }) => breaker.state !== 'closed').length;
    const changed = Object.entries(spike).some(([name, value]) => was[name as keyof typeof was] !== value);
    if (changed) this.#latency = new LatencyHistory(spike);
  }

  globalBreaker(now: number): GlobalBreaker {
    this.#judge(now);
    return this.#global;
  }

  /** A resource that everything depends on has no room left. Holds for `forMs`, or until it is cleared. */
  saturate(resource: string, forMs: number, now: number): void {
    this.#saturatedUntil.set(resource, now + forMs);
    this.#judge(now);
  }

  desaturate(resource: string, now: number): void {
    // Until now it was saturated, whether or not anybody has asked since.
    this.#judge(now);
    this.#saturatedUntil.delete(resource);
  }

  /** Clears one attempt, or says why not. A refused attempt takes nothing from any pool. */
  clear(target: Target, priority: Priority, maxWaitMs: number, gate: Gate, now: number): Clearance {
    target.askedAt = now;
    this.#judge(now);
    const passing = passBreaker(target.breaker, now);
    if (!passing.passes) {
      const denial = {
        reason: 'target-breaker',
        target: target.slugKey,
        ...waiting(passing.retryAfterMs),
      } as const;
      if (!gate.skips(denial)) return { clear: false, denial };
    }
    const passage = passing.passes ? passing.passage : 'normal';
    const shed = passage === 'probe' ? null : this.#shed(target, priority, now);
    if (shed !== null && !gate.skips(shed)) return { clear: false, denial: shed };
    const take = this.#take(target, now, maxWaitMs);
    if (!take.taken) {
      const denial = { reason: take.rule, target: target.slugKey, ...waiting(take.retryAfterMs) } as const;
      if (!gate.skips(denial)) return { clear: false, denial };
    }
    if (passing.passes) this.#move(target, passing.breaker);
    const waitMs = take.taken ? take.waitMs : 0;
    if (passage === 'normal' && waitMs === 0) return clearNow;
    const booked = take.taken ? take.booked : null;
    return { clear: true, passage, waitMs, closingSince: this.#closingSince(), booked };
  }

  /** Looks again after a wait: a breaker that has opened meanwhile also holds for those who waited. */
  confirm(target: Target, priority: Priority, clearance: Cleared, gate: Gate, now: number): Clearance {
    if (clearance.passage === 'probe') return clearance;
    const { breaker, slugKey } = target;
    if (breaker.state !== 'closed') {
      const until = breaker.state === 'open' ? breaker.until : 0;
      const retryAfterMs = Math.max(1, until - now);
      const denial = { reason: 'target-breaker', target: slugKey, ...waiting(retryAfterMs) } as const;
      if (!gate.skips(denial)) return { clear: false, denial };
    }
    this.#judge(now);
    const closingSince = this.#closingSince();
    // It is among the share that this closing lets in: asked a second time, only a share of the share would be.
    if (closingSince !== null && closingSince === clearance.closingSince) return clearance;
    const shed = this.#shed(target, priority, now);
    return shed === null || gate.skips(shed) ? clearance : { clear: false, denial: shed };
  }

  /** Takes back the clearance of an attempt that was not made: its place is free again, its probe shows nothing. */
  forgo(target: Target, { passage, booked }: Cleared, now: number): void {
    this.record(target, passage, 'none', now);
    if (booked === null) return;
    const at = Math.floor(now);
    target.bucket = giveUpPlace(target.pool(now), booked.target, at);
    this.#bucket = giveUpPlace(this.#pool, booked.global, at);
  }

  /** Records what an attempt showed of its target. */
  record(target: Target, passage: Passage, evidence: Evidence, now: number): void {
    const { breaker, settings } = target;
    this.#move(target, recordEvidence(breaker, settings.breaker, passage, evidence, now));
  }

  /** Counts a latency towards the spike; timeouts with the time they took. */
  recordLatency(latencyMs: number, now: number): void {
    this.#latency.record(latencyMs, now);
  }

  #limitTo(quota: Quota, waiting: number, now: number): void {
    if (isSameQuota(quota, this.#quota)) return;
    this.#bucket = carryOver(this.#bucket, this.#quota, quota, waiting, Math.floor(now));
    this.#quota = quota;
    this.#free = new FreePlaces();
  }

  get #pool(): Pool {
    return { bucket: this.#bucket, quota: this.#quota, free: this.#free };
  }

  #take(target: Target, now: number, maxWaitMs: number): Take {
    const take = takeCall(target.pool(now), this.#pool, Math.floor(now), maxWaitMs);
    if (take.taken) {
      target.bucket = take.target;
      this.#bucket = take.global;
    }
    return take;
  }

  /** A probe is never shed: without it no target could be found well again while the global breaker is open. */
  #shed(target: Target, priority: Priority, now: number): Denial | null {
    if (this.#global.state === 'closed') return null;
    const { policy } = this.#settings.globalBreaker;
    const { passes, breaker } = passGlobal(this.#global, policy, priority, now);
    this.#global = breaker;
    if (passes || breaker.state === 'closed') return null;
    const retryAfterMs = globalRetryAfterMs(breaker, policy, now);
    return {
      reason: 'global-breaker',
      target: target.slugKey,
      cause: breaker.cause,
      ...waiting(retryAfterMs),
    };
  }

  #closingSince(): number | null {
    return this.#global.state === 'closing' ? this.#global.since : null;
  }

  #move(target: Target, to: Target['breaker']): void {
    const from = target.breaker;
    target.breaker = to;
    if (from.state === to.state) return;
    if (!target.removed) {
      if (from.state === 'closed') this.#troubled += 1;
      if (to.state === 'closed') this.#troubled -= 1;
    }
    this.#events.emit('target-breaker', { target: target.slugKey, from: from.state, to: to.state });
  }

  #judge(now: number): void {
    const from = this.#global;
    const cause = this.#cause(now);
    if (cause === null && from.state === 'closed') return;
    const { policy, spike } = this.#settings.globalBreaker;
    // Partitions are of targets in use, and a spike is that of the last slot: neither outlives the calls by more. When a
    // saturation has ended is known.
    const isSaturation = from.state === 'open' && from.cause === 'saturation';
    const lingerMs = isSaturation ? 0 : Math.max(IN_USE_MS, 2 * spike.slotMs);
    const to = judgeGlobal(this.#lastSeen(from), policy, cause, now, lingerMs);
    this.#global = to;
    if (from.state === to.state) return;
    const why = to.state === 'closed' ? null : to.cause;
    this.#events.emit('global-breaker', { from: from.state, to: to.state, cause: why });
    if (to.state === 'open') this.#events.emit('alert', { kind: 'global-breaker', cause: to.cause });
  }

  #cause(now: number): GlobalCause | null {
    if (this.#isSaturated(now)) return 'saturation';
    if (this.#isPartitioned(this.#settings.globalBreaker, now)) return 'partition';
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
  #isPartitioned({ partitionTargets, partitionShare }: GlobalBreakerSettings, now: number): boolean {
    if (this.#troubled < 2) return false;
    const inUse = [...this.#targets.values()].filter(({ askedAt }) => now - askedAt < IN_USE_MS);
    const failing = inUse.filter(({ breaker }) => breaker.state !== 'closed').length;
    return failing > 1 && inUse.length >= partitionTargets && failing > inUse.length * partitionShare;
  }
}

function waiting(retryAfterMs: number): { readonly retryAfterMs: number } {
  return { retryAfterMs: Math.ceil(retryAfterMs) };
}
