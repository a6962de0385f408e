import { type Bucket, backlog, bucketOwing, fullBucket, type Quota } from '../core/bucket.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { StoredRecord } from '../core/records.ts';
import {
  type DistinctBounds,
  type DistinctWindow,
  emptyDistinct,
  noteDistinct,
  shareOf,
} from './distinct-window.ts';
import type { DistinctCondition, LeakyBucket, Sign } from './scenario.ts';

/** What speaks against one key by one sign. */
export interface Evidence extends StoredRecord {
  readonly at: number;
  /** Whether it was gathered while the key was degraded, when less is enough. */
  readonly strict: boolean;
  readonly bucket: Bucket;
  /** In the order of the sign's conditions. */
  readonly distinct: readonly DistinctWindow[];
}

/** When a sign holds, in numbers to compute with. */
export interface Threshold {
  readonly quota: Quota | null;
  readonly distinct: readonly DistinctThreshold[];
}

export interface DistinctThreshold extends DistinctBounds {
  readonly atLeast: number;
  readonly atMost: number;
  readonly share: number;
}

/** The thresholds of a sign, and for how long evidence for it matters. */
export interface Thresholds {
  readonly normal: Threshold;
  /** While degraded a caller gets a quarter of its rate, so a quarter of what was too much shows that it goes on. */
  readonly strict: Threshold;
  readonly keepMs: number;
}

/** The bucket counts thousandths of an event and leaks per 1000 min, so that a tenth of an event per minute is exact. */
const milli = 1_000;
const periodMs = milli * MINUTE_MS;
const strictShare = 0.25;

export function thresholdsOf({ bucket, distinct = [] }: Sign): Thresholds {
  const drainMs = bucket === undefined ? 0 : (bucket.capacity / bucket.leakPerMinute) * MINUTE_MS;
  const windowsMs = distinct.map(({ windowMs, share }) => (share === undefined ? windowMs : 2 * windowMs));
  return {
    normal: thresholdOf(bucket, distinct, 1),
    strict: thresholdOf(bucket, distinct, strictShare),
    keepMs: Math.ceil(Math.max(drainMs, ...windowsMs)) + 1,
  };
}

function thresholdOf(
  bucket: LeakyBucket | undefined,
  distinct: readonly DistinctCondition[],
  scale: number,
): Threshold {
  return {
    quota: bucket === undefined ? null : quotaOf(bucket, scale),
    distinct: distinct.map(({ windowMs, atLeast, atMost, share }) => {
      const least = atLeast === undefined ? 0 : Math.max(2, Math.ceil(atLeast * scale));
      return {
        windowMs,
        atLeast: least,
        atMost: atMost ?? Number.MAX_SAFE_INTEGER,
        share: share ?? 0,
        most: atMost === undefined ? least : atMost + 1,
        countsNovelty: share !== undefined,
      };
    }),
  };
}

function quotaOf({ capacity, leakPerMinute }: LeakyBucket, scale: number): Quota {
  return {
    limit: Math.max(1, Math.round(leakPerMinute * scale * milli * milli)),
    periodMs,
    capacity: Math.max(1, Math.ceil(capacity * scale)) * milli,
  };
}

export function emptyEvidence(at: number, strict: boolean, { distinct }: Threshold): Evidence {
  return { at, strict, bucket: fullBucket, distinct: distinct.map(() => emptyDistinct) };
}

export interface Gathered {
  readonly evidence: Evidence;
  /** Whether all that the sign asks for holds now. */
  readonly holds: boolean;
}

/**
 * Adds an event. `values` are the short hashes of what is told apart, in the order of the conditions. Two events at the
 * same time count as two.
 */
export function gather(
  evidence: Evidence,
  values: readonly string[],
  now: number,
  { quota, distinct }: Threshold,
): Gathered {
  const poured = quota === null ? null : pour(evidence.bucket, quota, now);
  let holds = poured?.overflows ?? true;
  const windows = distinct.map((condition, index) => {
    const window = noteDistinct(
      evidence.distinct[index] ?? emptyDistinct,
      values[index] ?? '',
      now,
      condition,
    );
    const count = window.ids.length;
    holds &&= count >= condition.atLeast && count <= condition.atMost;
    holds &&= condition.share === 0 || shareOf(window.novelty, now, condition.windowMs) >= condition.share;
    return window;
  });
  const next = {
    at: now,
    strict: evidence.strict,
    bucket: poured?.bucket ?? evidence.bucket,
    distinct: windows,
  };
  return { evidence: next, holds };
}

/** An event that does not fit leaves the bucket as it is: full. */
function pour(bucket: Bucket, quota: Quota, now: number): { bucket: Bucket; overflows: boolean } {
  const level = backlog(bucket, quota.limit, now) + milli * quota.periodMs;
  if (level > quota.capacity * quota.periodMs) return { bucket, overflows: true };
  return { bucket: bucketOwing(level, quota.limit, now), overflows: false };
}
