import { type Bucket, backlog, bucketOwing, charge, type Quota } from '../core/bucket.ts';
import { SECOND_MS } from '../core/duration.ts';
import { invariant } from '../core/fault.ts';

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
}

export type PoolRule = 'target-rate' | 'global-rate';

export type Take =
  | { readonly taken: true; readonly target: Bucket; readonly global: Bucket; readonly waitMs: number }
  | { readonly taken: false; readonly rule: PoolRule; readonly retryAfterMs: number };

/** The bucket once a call has its place in it, and when that place is. */
interface Place {
  readonly bucket: Bucket;
  readonly at: number;
}

/** The next free place; in the future when the pool is empty. */
function nextPlace(pool: Pool, now: number): Place {
  const taken = charge(pool.bucket, pool.quota, 1, now);
  if (taken.conforms) return { bucket: taken.bucket, at: now };
  const booked = charge(pool.bucket, pool.quota, 1, taken.until);
  invariant(booked.conforms, 'a cost of 1 conforms at the time the bucket named');
  return { bucket: booked.bucket, at: taken.until };
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
    return { taken: true, target: own.bucket, global: all.bucket, waitMs: 0 };
  }
  const inTarget = nextPlace(target, now);
  const inGlobal = nextPlace(global, now);
  const waitMs = Math.max(inTarget.at, inGlobal.at) - now;
  if (waitMs <= maxWaitMs) {
    return { taken: true, target: inTarget.bucket, global: inGlobal.bucket, waitMs };
  }
  const rule = inTarget.at >= inGlobal.at ? 'target-rate' : 'global-rate';
  return { taken: false, rule, retryAfterMs: waitMs };
}

/**
 * The bucket when its quota changes. Calls that are owed stay owed, since their time would be another number of calls at another
 * rate: whoever raises a limit would wait for it. But no more than the new burst and those who wait for a place they have
 * booked: the new rate says how long is waited after a limit was lowered. `now` in whole milliseconds.
 */
export function carryOver(bucket: Bucket, from: Quota, to: Quota, waiting: number, now: number): Bucket {
  if (from.limit === to.limit && from.capacity === to.capacity) return bucket;
  const most = (to.capacity + waiting) * to.periodMs;
  return bucketOwing(Math.min(backlog(bucket, from.limit, now), most), to.limit, now);
}

/**
 * Gives the place back that was booked when the pool became `booked`: what of it is still owed, and nothing that time has
 * refilled since. Those further back keep their places; it is the next to ask who comes sooner. `now` in whole milliseconds.
 */
export function giveBack({ bucket, quota }: Pool, booked: Bucket, now: number): Bucket {
  const { limit, periodMs } = quota;
  const units = Math.min(periodMs, backlog(booked, limit, now));
  return bucketOwing(Math.max(0, backlog(bucket, limit, now) - units), limit, now);
}
