import { type Bucket, backlog, bucketOwing, charge, type Quota } from '../core/bucket.ts';
import { SECOND_MS } from '../core/duration.ts';
import { invariant } from '../core/fault.ts';
import type { FreePlaces } from './free-places.ts';

/** Steady rate and burst of a pool of calls. */
export interface PoolPolicy {
  /** Calls per second, steadily. A whole number from 1. */
  readonly ratePerSecond: number;
  /** Calls at once. A whole number from 1. */
  readonly burst: number;
}

/** The pool as the core's bucket counts it. */
export function quotaOf(policy: PoolPolicy): Quota {
  return { limit: policy.ratePerSecond, periodMs: SECOND_MS, capacity: policy.burst };
}

/** A bucket and what it may give. */
export interface Pool {
  readonly bucket: Bucket;
  readonly quota: Quota;
  /** Places before the last one that nobody holds any more. Default none. */
  readonly free?: FreePlaces;
}

export type PoolRule = 'target-rate' | 'global-rate';

export type Take =
  | {
      readonly taken: true;
      readonly target: Bucket;
      readonly global: Bucket;
      readonly waitMs: number;
      /** What was booked; null when nothing has to be waited for. */
      readonly booked: Booked | null;
    }
  | { readonly taken: false; readonly rule: PoolRule; readonly retryAfterMs: number };

/** The places of one call in both pools. */
export interface Booked {
  readonly target: Place;
  readonly global: Place;
}

/** The bucket once a call has its place in it, and when that place is. */
interface Place {
  readonly bucket: Bucket;
  readonly at: number;
  /** Whether it is one that was given up. */
  readonly wasFree: boolean;
  /** Where it goes when it is given up; another one once the quota has changed. */
  readonly free: FreePlaces | undefined;
}

/** The next free place; in the future when the pool is empty. While one that was given up is to come, it is. */
function nextPlace({ bucket, quota, free }: Pool, now: number): Place {
  const taken = charge(bucket, quota, 1, now);
  if (taken.conforms) return { bucket: taken.bucket, at: now, wasFree: false, free };
  const givenUp = free?.first(now) ?? null;
  if (givenUp !== null) return { bucket, at: givenUp, wasFree: true, free };
  const booked = charge(bucket, quota, 1, taken.until);
  invariant(booked.conforms, 'a cost of 1 conforms at the time the bucket named');
  return { bucket: booked.bucket, at: taken.until, wasFree: false, free };
}

/**
 * Takes one call from the target's pool and from the global one, or nothing from either. `now` in whole milliseconds.
 * With `maxWaitMs` a call that does not conform yet may book the next free place, if that is near enough: places are
 * booked in the order of asking, so waiting is first come, first served, without a queue that could be overtaken.
 * Each pool is booked at its own time: a wait for one target must not hold back the others.
 */
export function takeCall(target: Pool, global: Pool, now: number, maxWaitMs: number): Take {
  const own = charge(target.bucket, target.quota, 1, now);
  const all = charge(global.bucket, global.quota, 1, now);
  if (own.conforms && all.conforms) {
    return { taken: true, target: own.bucket, global: all.bucket, waitMs: 0, booked: null };
  }
  const inTarget = nextPlace(target, now);
  const inGlobal = nextPlace(global, now);
  const waitMs = Math.max(inTarget.at, inGlobal.at) - now;
  if (waitMs <= maxWaitMs) {
    for (const { wasFree, free } of [inTarget, inGlobal]) if (wasFree) free?.takeFirst();
    const booked = { target: inTarget, global: inGlobal };
    return { taken: true, target: inTarget.bucket, global: inGlobal.bucket, waitMs, booked };
  }
  const rule = inTarget.at >= inGlobal.at ? 'target-rate' : 'global-rate';
  return { taken: false, rule, retryAfterMs: waitMs };
}

/** Whether two pools give the same. */
export function isSameQuota(a: Quota, b: Quota): boolean {
  return a.limit === b.limit && a.capacity === b.capacity;
}

/**
 * The bucket when its quota changes. Calls that are owed stay owed, since their time would be another number of calls at another
 * rate: whoever raises a limit would wait for it. But no more than the new burst and those who wait for a place they have
 * booked: the new rate says how long is waited after a limit was lowered. `now` in whole milliseconds.
 */
export function carryOver(bucket: Bucket, from: Quota, to: Quota, waiting: number, now: number): Bucket {
  const most = (to.capacity + waiting) * to.periodMs;
  return bucketOwing(Math.min(backlog(bucket, from.limit, now), most), to.limit, now);
}

/**
 * The bucket once a place is given up. Those further back keep theirs, and it is the next to ask who comes sooner: one whose
 * time has not come is free for that, and the last ones are no longer owed. `now` in whole milliseconds.
 */
export function giveUpPlace(pool: Pool, { bucket, at, free }: Place, now: number): Bucket {
  if (at <= now || free === undefined || free !== pool.free) return giveBack(pool, bucket, now);
  const { limit, periodMs, capacity } = pool.quota;
  let units = backlog(pool.bucket, limit, now);
  free.add(at);
  while (free.takeLast(now + Math.ceil((units - capacity * periodMs) / limit))) units -= periodMs;
  return bucketOwing(units, limit, now);
}

/**
 * Gives back what was taken when the pool became `booked`: what of it is still owed, and nothing that time has refilled
 * since. `now` in whole milliseconds.
 */
export function giveBack({ bucket, quota }: Pool, booked: Bucket, now: number): Bucket {
  const { limit, periodMs } = quota;
  const units = Math.min(periodMs, backlog(booked, limit, now));
  return bucketOwing(Math.max(0, backlog(bucket, limit, now) - units), limit, now);
}
