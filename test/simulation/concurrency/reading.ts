import type { Interval } from './simulate.ts';

/** The intervals that begin within these times. */
export function between(intervals: readonly Interval[], fromMs: number, toMs: number): Interval[] {
  return intervals.filter((interval) => interval.fromMs >= fromMs && interval.fromMs < toMs);
}

/** Answers per second while their callers were there. */
export function goodputOf(intervals: readonly Interval[], everyMs = 1_000): number {
  return (total(intervals, 'good') * 1_000) / (intervals.length * everyMs);
}

export function total(intervals: readonly Interval[], what: 'asked' | 'good' | 'shed'): number {
  return intervals.reduce((sum, interval) => sum + interval[what], 0);
}

/** The latency that this share of the good calls did not exceed; NaN without any. */
export function percentileOf(intervals: readonly Interval[], share: number): number {
  const all = Float64Array.from(intervals.flatMap((interval) => interval.latenciesMs)).sort();
  return all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? Number.NaN;
}

/** The mean, over the intervals, of the limits of all nodes together. */
export function meanLimitOf(intervals: readonly Interval[]): number {
  const sums = intervals.map(({ limits }) => limits.reduce((sum, limit) => sum + limit, 0));
  return sums.reduce((sum, limit) => sum + limit, 0) / sums.length;
}

/** The lowest limit of any node at the end of an interval. */
export function lowestLimitOf(intervals: readonly Interval[]): number {
  return Math.min(...intervals.flatMap(({ limits }) => limits));
}
