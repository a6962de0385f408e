import { type Bucket, fullBucket, type Quota } from '../core/bucket.ts';
import type { Denial } from './denial.ts';
import type { SvcEmitter } from './events.ts';
import { FreePlaces } from './free-places.ts';
import type { GlobalBreaker, Priority } from './global-breaker.ts';
import { GlobalWatch } from './global-watch.ts';
import type { Settings } from './options.ts';
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

/** Enforces what the pure parts decide: breakers and pools of all targets, in one place and in one order. */
export class Rails {
  readonly #events: SvcEmitter;
  readonly #targets: ReadonlyMap<string, Target>;
  readonly #global: GlobalWatch;
  #bucket: Bucket = fullBucket;
  #quota: Quota;
  #free = new FreePlaces();

  constructor(settings: Settings, targets: ReadonlyMap<string, Target>, events: SvcEmitter) {
    this.#targets = targets;
    this.#events = events;
    this.#global = new GlobalWatch(settings.globalBreaker, targets, events);
    this.#quota = quotaOf(settings.globalPool);
  }

  /** Takes new settings; what has been seen stays. */
  reconfigure(settings: Settings, now: number): void {
    const targets = [...this.#targets.values()];
    const waiting = targets.reduce((sum, target) => sum + target.waiting, 0);
    this.#limitTo(quotaOf(settings.globalPool), waiting, now);
    this.#global.reconfigure(settings.globalBreaker);
    this.#global.troubled = targets.filter(({ breaker }) => breaker.state !== 'closed').length;
  }

  globalBreaker(now: number): GlobalBreaker {
    this.#global.judge(now);
    return this.#global.breaker;
  }

  /** A resource that everything depends on has no room left. Holds for `forMs`, or until it is cleared. */
  saturate(resource: string, forMs: number, now: number): void {
    this.#global.saturate(resource, forMs, now);
  }

  desaturate(resource: string, now: number): void {
    this.#global.desaturate(resource, now);
  }

  /** Clears one attempt, or says why not. A refused attempt takes nothing from any pool. */
  clear(target: Target, priority: Priority, maxWaitMs: number, gate: Gate, now: number): Clearance {
    target.askedAt = now;
    this.#global.judge(now);
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
    return { clear: true, passage, waitMs, closingSince: this.#global.closingSince, booked };
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
    this.#global.judge(now);
    const closingSince = this.#global.closingSince;
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
    this.#global.recordLatency(latencyMs, now);
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
    const shed = this.#global.shed(priority, now);
    if (shed === null) return null;
    const { cause, retryAfterMs } = shed;
    return { reason: 'global-breaker', target: target.slugKey, cause, ...waiting(retryAfterMs) };
  }

  #move(target: Target, to: Target['breaker']): void {
    const from = target.breaker;
    target.breaker = to;
    if (from.state === to.state) return;
    if (!target.removed) {
      if (from.state === 'closed') this.#global.troubled += 1;
      if (to.state === 'closed') this.#global.troubled -= 1;
    }
    this.#events.emit('target-breaker', { target: target.slugKey, from: from.state, to: to.state });
  }
}

function waiting(retryAfterMs: number): { readonly retryAfterMs: number } {
  return { retryAfterMs: Math.ceil(retryAfterMs) };
}
