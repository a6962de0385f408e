import { type Bucket, backlog, bucketOwing, fullBucket, type Quota } from '../core/bucket.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { Retention, StoredRecord } from '../core/records.ts';
import {
  type DistinctBounds,
  type DistinctWindow,
  emptyDistinct,
  noteDistinct,
  shareOf,
} from './distinct-window.ts';
import type { Mark } from './marks.ts';
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
  /** The windows of evidence that has none yet, one for each condition. */
  readonly emptyWindows: readonly DistinctWindow[];
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
  /** The retention of evidence that is written in its own time. One for all: nearly every event asks for it. */
  readonly retention: Retention;
}

/** The bucket counts thousandths of an event and leaks per 1000 min, so that a tenth of an event per minute is exact. */
const milli = 1_000;
const periodMs = milli * MINUTE_MS;
const strictShare = 0.25;

export function thresholdsOf({ bucket, distinct = [] }: Sign): Thresholds {
  const drainMs = bucket === undefined ? 0 : (bucket.capacity / bucket.leakPerMinute) * MINUTE_MS;
  const windowsMs = distinct.map(({ windowMs, share }) => (share === undefined ? windowMs : 2 * windowMs));
  const keepMs = Math.ceil(Math.max(drainMs, ...windowsMs)) + 1;
  return {
    normal: thresholdOf(bucket, distinct, 1),
    strict: thresholdOf(bucket, distinct, strictShare),
    keepMs,
    retention: { keepMs, softMs: 0, hardMs: 0 },
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
    emptyWindows: distinct.map(() => emptyDistinct),
  };
}

function quotaOf({ capacity, leakPerMinute }: LeakyBucket, scale: number): Quota {
  return {
    limit: Math.max(1, Math.round(leakPerMinute * scale * milli * milli)),
    periodMs,
    capacity: Math.max(1, Math.ceil(capacity * scale)) * milli,
  };
}

export function emptyEvidence(at: number, strict: boolean, { emptyWindows }: Threshold): Evidence {
  return { at, strict, bucket: fullBucket, distinct: emptyWindows };
}

export interface Gathered {
  readonly evidence: Evidence;
  /** Whether all that the sign asks for holds now. */
  readonly holds: boolean;
}

const noMark: Mark = { id: '', was: null };

/**
 * Adds an event. `values` are the short hashes of what is told apart, in the order of the conditions. Two events at the
 * same time count as two.
 */
export function gather(
  evidence: Evidence,
  values: readonly Mark[],
  now: number,
  { quota, distinct }: Threshold,
): Gathered {
  const poured = quota === null ? null : pour(evidence.bucket, quota, now);
  let holds = quota === null || poured === null;
  const windows: DistinctWindow[] = [];
  for (let index = 0; index < distinct.length; index += 1) {
    const condition = distinct[index] as DistinctThreshold;
    const before = evidence.distinct[index] ?? emptyDistinct;
    const { id, was } = values[index] ?? noMark;
    const window = noteDistinct(before, id, now, condition, was);
    windows.push(window);
    holds &&= isMet(window, condition, now);
  }
  const bucket = poured ?? evidence.bucket;
  return { evidence: { at: now, strict: evidence.strict, bucket, distinct: windows }, holds };
}

function isMet({ ids, novelty }: DistinctWindow, condition: DistinctThreshold, now: number): boolean {
  const { atLeast, atMost, share, windowMs } = condition;
  if (ids.length < atLeast || ids.length > atMost) return false;
  return share === 0 || shareOf(novelty, now, windowMs) >= share;
}

/** Null for an event that does not fit, which leaves the bucket as it is: full. */
function pour(bucket: Bucket, quota: Quota, now: number): Bucket | null {
  const level = backlog(bucket, quota.limit, now) + milli * quota.periodMs;
  return level > quota.capacity * quota.periodMs ? null : bucketOwing(level, quota.limit, now);
}
