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

/** What an observation did to a window. */
export interface Observation {
  readonly window: Window;
  /** False when the entry was there and has only been refreshed. */
  readonly added: boolean;
}

/** Drops what is older than the window, then refreshes or adds the entry. */
export function observe(window: Window, token: Token, now: number, windowMs: number): Observation {
  const sighting: Sighting = { id: token.hash, at: now };
  // Most windows hold one entry: a list made with it has no room to spare, one that is pushed to has room for sixteen.
  let kept: Sighting[] | null = null;
  let added = true;
  for (const known of window) {
    if (!isWithin(known.at, now, windowMs)) continue;
    const isSame = isToken(known.id, token);
    if (isSame) added = false;
    const next = isSame ? sighting : known;
    if (kept === null) kept = [next];
    else kept.push(next);
  }
  if (kept === null) return { window: [sighting], added };
  if (added) kept.push(sighting);
  return { window: kept, added };
}

/** Drops the stalest entries until at most `capacity` are left; of equally stale ones, the first added. */
export function trim(window: Window, capacity: number): Window {
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
