import type { Key, Records, StoredRecord } from '../../core/records.ts';

/** Hits counted in one window. */
export interface CountRecord extends StoredRecord {
  readonly at: number;
  /** When the window began, in ms. */
  readonly start: number;
  readonly count: number;
}

/** What is asked of one counter. */
export interface CountAsk {
  readonly key: Key<CountRecord>;
  readonly windowMs: number;
  readonly requests: number;
  /** Added to the count; 0 only looks, less than 0 gives back. */
  readonly hits: number;
}

/** How a counter stands after a request. */
export interface Counted {
  readonly over: boolean;
  readonly remaining: number;
  /** Until the window ends and the count starts again. */
  readonly resetMs: number;
}

/** Counts stay exact integers, whatever is added to them. */
const mostCounted = 2 ** 40;

/**
 * Counts hits in fixed windows that begin at multiples of their length since 1970, by the store's clock, as Envoy's rate
 * limit service does: proxies and dashboards that know that service read `limit_remaining` and `duration_until_reset` as
 * "so many until the window ends", which a token bucket could not answer truthfully. A request that exceeds the limit
 * counts all the same, because hits may be reported when they have already happened (response sizes, tokens); only what
 * arrives at a counter that is already over is not written down any more, so that refused traffic costs no writes.
 */
export function countHits(records: Records, { key, windowMs, requests, hits }: CountAsk, t: number): Counted {
  const stored = records.get(key);
  const now = Math.max(t, stored?.at ?? t);
  const start = now - (now % windowMs);
  const before = stored !== undefined && stored.start === start ? stored.count : 0;
  const after = Math.min(mostCounted, Math.max(0, before + hits));
  const resetMs = start + windowMs - now;
  const isSpent = before > requests && hits >= 0;
  if (after !== before && !isSpent) {
    records.put(
      key,
      { at: now, start, count: after },
      { keepMs: start + windowMs - t, softMs: 0, hardMs: 0 },
    );
  }
  const count = isSpent ? before : after;
  return { over: count > requests, remaining: Math.max(0, requests - count), resetMs };
}
