import { isWithin } from '../core/times.ts';

/**
 * The different values that a key has shown lately, by short hashes, the one seen longest ago first. Exact up to `most`
 * values, beyond which the stalest are forgotten, so that nothing that is sent can make it grow.
 */
export interface DistinctWindow {
  readonly ids: readonly string[];
  /** When each was seen last, in the same order. */
  readonly ats: readonly number[];
  /** How many events were new among all, where a share is asked for. */
  readonly novelty: Novelty | null;
}

/** Counts of the present and the previous window, of which the latter fades as the present one goes by. */
export interface Novelty {
  /** When the present window began. */
  readonly since: number;
  readonly fresh: number;
  readonly total: number;
  readonly freshBefore: number;
  readonly totalBefore: number;
}

export const emptyDistinct: DistinctWindow = { ids: [], ats: [], novelty: null };

export interface DistinctBounds {
  readonly windowMs: number;
  /** How many values are remembered. */
  readonly most: number;
  readonly countsNovelty: boolean;
}

/**
 * Drops what is older than the window, then adds the value or moves it to the end.
 *
 * @param was its hash under the previous secret, by which it may be there
 */
export function noteDistinct(
  window: DistinctWindow,
  id: string,
  now: number,
  { windowMs, most, countsNovelty }: DistinctBounds,
  was: string | null = null,
): DistinctWindow {
  const { ids, ats } = window;
  let first = 0;
  while (first < ats.length && !isWithin(ats[first] ?? 0, now, windowMs)) first += 1;
  const named = ids.indexOf(id, first);
  const known = named < 0 && was !== null ? ids.indexOf(was, first) : named;
  if (known < 0 && ids.length - first >= most) first = ids.length - most + 1;
  const nextAts = moved(ats, first, known, now);
  // The same value again is the common case, and leaves the others where they are.
  const isLast = named >= 0 && named === ids.length - 1;
  const nextIds = isLast && first === 0 ? ids : moved(ids, first, known, id);
  const novelty = countsNovelty ? noteNovelty(window.novelty, known < 0, now, windowMs) : null;
  return { ids: nextIds, ats: nextAts, novelty };
}

/**
 * The list from `first` on, without what stands at `known`, and with one more at the end. Copied once and to its own size: a
 * list that is pushed to takes room for many more.
 */
function moved<T>(list: readonly T[], first: number, known: number, last: T): readonly T[] {
  if (known < 0) return first === 0 ? [...list, last] : shifted(list.slice(first - 1), 0, last);
  return shifted(list.slice(first), known - first, last);
}

/** Moves what is behind `gap` up by one, and puts the last one at the end. */
function shifted<T>(list: T[], gap: number, last: T): T[] {
  for (let index = gap + 1; index < list.length; index += 1) list[index - 1] = list[index] as T;
  list[list.length - 1] = last;
  return list;
}

function noteNovelty(novelty: Novelty | null, isFresh: boolean, now: number, windowMs: number): Novelty {
  const { since, fresh, total, freshBefore, totalBefore } = turned(novelty, now, windowMs);
  return { since, fresh: fresh + (isFresh ? 1 : 0), total: total + 1, freshBefore, totalBefore };
}

/** Begins a new window when the present one is over. */
function turned(novelty: Novelty | null, now: number, windowMs: number): Novelty {
  if (novelty === null || now >= novelty.since + 2 * windowMs) {
    return { since: now, fresh: 0, total: 0, freshBefore: 0, totalBefore: 0 };
  }
  if (now < novelty.since + windowMs) return novelty;
  const { since, fresh, total } = novelty;
  return { since: since + windowMs, fresh: 0, total: 0, freshBefore: fresh, totalBefore: total };
}

/** The share of the last window's events that showed something new, by estimate; 1 where nothing was counted. */
export function shareOf(novelty: Novelty | null, now: number, windowMs: number): number {
  if (novelty === null) return 1;
  const left = Math.max(0, 1 - (now - novelty.since) / windowMs);
  const total = novelty.total + left * novelty.totalBefore;
  return total === 0 ? 1 : (novelty.fresh + left * novelty.freshBefore) / total;
}
