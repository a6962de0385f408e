import { minute, type Window } from './records.ts';

/** Contract section 8: exact sliding windows and the near-threshold watch. */

/** Drops what is too old, then refreshes or adds; true if the thing is new to the window. */
export function observe(window: Window, id: string, now: number, spanMs: number): boolean {
  window.entries = window.entries.filter((entry) => entry.at > now - spanMs);
  const entry = window.entries.find((candidate) => candidate.id === id);
  if (entry === undefined) window.entries.push({ id, at: now });
  else entry.at = now;
  return entry === undefined;
}

/** Keeps the freshest `most`; among equally stale ones the first added goes. */
export function keepFreshest(window: Window, most: number): void {
  while (window.entries.length > most) {
    const oldest = Math.min(...window.entries.map((entry) => entry.at));
    const index = window.entries.findIndex((entry) => entry.at === oldest);
    window.entries.splice(index, 1);
  }
}

/** True if the rule of this window fires now, by its threshold or by its watch, for which a refresh is nothing. */
export function reaches(window: Window, added: boolean, now: number, threshold: number): boolean {
  if (window.entries.length >= threshold) return true;
  if (!added || window.entries.length !== threshold - 1) return false;
  if (now < window.flagUntil) return true;
  window.flagUntil = now + 30 * minute;
  return false;
}

export function clear(window: Window): void {
  window.entries = [];
  window.flagUntil = 0;
}

/** Observes and clears at once if the rule fires. */
export function firesOn(window: Window, id: string, now: number, threshold: number, spanMs: number): boolean {
  const added = observe(window, id, now, spanMs);
  const fires = reaches(window, added, now, threshold);
  if (fires) clear(window);
  return fires;
}
