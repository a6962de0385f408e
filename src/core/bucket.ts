/**
 * GCRA, exact in integers (engine contract §11). The theoretical arrival time is kept in units of 1/limit ms, split
 * into whole milliseconds and the rest, so that no limit and no date leaves the exact integers. One unit of cost is
 * `periodMs` such units; a full bucket is `capacity` units of cost.
 */
export interface Bucket {
  readonly tatMs: number;
  /** 0 ≤ units < limit. */
  readonly tatUnits: number;
}

/** A bucket nothing was taken from. Shared by all such buckets. */
export const fullBucket: Bucket = Object.freeze({ tatMs: 0, tatUnits: 0 });

/** The same bucket for a draft, which gets one of its own with the first charge. */
export function draftBucket(bucket: Bucket): Bucket {
  return bucket === fullBucket ? bucket : { tatMs: bucket.tatMs, tatUnits: bucket.tatUnits };
}

/** `limit` units of cost per `periodMs`, at most `capacity` at once. All integers ≥ 1. */
export interface Quota {
  readonly limit: number;
  readonly periodMs: number;
  readonly capacity: number;
}

/** A charge: the bucket afterwards, or, if it does not conform, when the same cost would. */
export type Charge =
  | { readonly conforms: true; readonly bucket: Bucket }
  | { readonly conforms: false; readonly until: number };

/** Units that are owed now; `periodMs` of them are one unit of cost. */
export function backlog(bucket: Bucket, limit: number, now: number): number {
  return Math.max(0, (bucket.tatMs - now) * limit + bucket.tatUnits);
}

/** The bucket that owes so many units now. */
export function bucketOwing(units: number, limit: number, now: number): Bucket {
  const wholeMs = Math.floor(units / limit);
  return { tatMs: now + wholeMs, tatUnits: units - wholeMs * limit };
}

/** Takes `cost` if it is there; a refused cost takes nothing. */
export function charge(bucket: Bucket, quota: Quota, cost: number, now: number): Charge {
  const { limit, periodMs, capacity } = quota;
  const next = backlog(bucket, limit, now) + cost * periodMs;
  const over = next - periodMs * capacity;
  if (over > 0) return { conforms: false, until: now + Math.ceil(over / limit) };
  return { conforms: true, bucket: bucketOwing(next, limit, now) };
}

/** Whole units of cost that would conform now. */
export function remaining(bucket: Bucket, quota: Quota, now: number): number {
  return Math.floor((quota.periodMs * quota.capacity - backlog(bucket, quota.limit, now)) / quota.periodMs);
}
