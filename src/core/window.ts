import type { Draft } from './records.ts';
import type { Token } from './subject.ts';
import { isWithin } from './times.ts';

/** One entry of a window: what was seen, and when last. */
export interface Sighting {
  readonly id: string;
  readonly at: number;
}

/** A sliding window of distinct sightings (engine contract §8), in the order they were added. Exact and bounded. */
export type Window = readonly Sighting[];

/** Whether an id stands for this token, under the present secret or the previous one. */
export function isToken(id: string, token: Token): boolean {
  return id === token.hash || id === token.was;
}

/** Whether the token was seen within the window. */
export function hasSeen(window: Window, token: Token, now: number, windowMs: number): boolean {
  for (const { id, at } of window) if (isToken(id, token) && isWithin(at, now, windowMs)) return true;
  return false;
}

/**
 * Drops what is older than the window, then refreshes or adds the entry. Gives the window, which is another list only
 * where this one had no room: most hold one entry for good, and a list that is pushed to takes room for sixteen more.
 */
export function observe(window: Draft<Window>, token: Token, now: number, windowMs: number): Draft<Window> {
  let kept = 0;
  let isAdded = true;
  let spare: Draft<Sighting> | null = null;
  for (let index = 0; index < window.length; index += 1) {
    const known = window[index] as Draft<Sighting>;
    if (!isWithin(known.at, now, windowMs)) {
      spare = known;
      continue;
    }
    if (isToken(known.id, token)) {
      isAdded = false;
      known.id = token.hash;
      known.at = now;
    }
    if (kept < index) window[kept] = known;
    kept += 1;
  }
  if (!isAdded) return cutTo(window, kept);
  if (spare === null) return window.concat([{ id: token.hash, at: now }]);
  spare.id = token.hash;
  spare.at = now;
  window[kept] = spare;
  return cutTo(window, kept + 1);
}

/** Drops what is older than the window; null where nothing is left. */
export function dropOld(window: Draft<Window>, now: number, windowMs: number): Draft<Window> | null {
  const isFresh = ({ at }: Sighting): boolean => isWithin(at, now, windowMs);
  if (window.every(isFresh)) return window;
  return window.some(isFresh) ? window.filter(isFresh) : null;
}

function cutTo(window: Draft<Window>, length: number): Draft<Window> {
  if (length < window.length) window.length = length;
  return window;
}

/** Drops the stalest entries until at most `capacity` are left; of equally stale ones, the first added. */
export function trim(window: Draft<Window>, capacity: number): Draft<Window> {
  let kept = window;
  while (kept.length > capacity) {
    let stalest = 0;
    kept.forEach((sighting, index) => {
      if (sighting.at < (kept[stalest]?.at ?? 0)) stalest = index;
    });
    kept = kept.filter((_, index) => index !== stalest);
  }
  return kept;
}

export function copyWindow(window: Window): Draft<Window> {
  return window.map(({ id, at }) => ({ id, at }));
}
