import type { Correlation } from './policy.ts';
import type { Draft } from './records.ts';
import type { Token } from './subject.ts';
import { isWithin } from './times.ts';
import { copyWindow, dropOld, hasSeen, isToken, observe, trim, type Window } from './window.ts';

/**
 * WATCH (engine contract §8): nobody may hover at N − 1. The first time an added entry brings the count to exactly
 * N − 1 a flag is set; the next time, while it runs, counts as N.
 */
export interface WatchedWindow {
  /**
   * The entry that was added first; null where there is none. It lies in the window itself: nearly all windows hold one
   * alone, and in a list it takes twice the memory.
   */
  readonly id: string | null;
  /** When that one was seen last. */
  readonly at: number;
  /** Those that were added after it, in their order; null where there are none. */
  readonly others: Window | null;
  /** The flag runs while `now < watchUntil`; null where it was never set. */
  readonly watchUntil: number | null;
}

export const makeWatchedWindow = (): Draft<WatchedWindow> => ({
  id: null,
  at: 0,
  others: null,
  watchUntil: null,
});

export function copyWatchedWindow({ id, at, others, watchUntil }: WatchedWindow): Draft<WatchedWindow> {
  return { id, at, others: others && copyWindow(others), watchUntil };
}

/** A window that has seen these, in the order they were added. They are its own from now on. */
export function watchedWindow(seen: Draft<Window>, watchUntil: number | null): WatchedWindow {
  const watched = makeWatchedWindow();
  setSeen(watched, seen);
  watched.watchUntil = watchUntil;
  return watched;
}

/** All that it has seen, in the order they were added. */
export function seenIn({ id, at, others }: WatchedWindow): Window {
  return id === null ? [] : [{ id, at }, ...(others ?? [])];
}

export function countSeen({ id, others }: WatchedWindow): number {
  if (id === null) return 0;
  return others === null ? 1 : 1 + others.length;
}

/** What observing has come to: an entry that was there, a new one, or one that makes the rule fire. */
export type Sight = 'refreshed' | 'added' | 'fired';

/**
 * Observes a token. A rule that fires starts over with {@link clearWatched} once it has seen who was there. Where a window
 * still holds N, as that of a flood does, one that was there makes it fire too: only WATCH asks for a new one.
 */
export function observeWatched(
  state: Draft<WatchedWindow>,
  token: Token,
  now: number,
  rule: Correlation,
  watchMs: number,
): Sight {
  const isAdded = noteSeen(state, token, now, rule.windowMs);
  const count = countSeen(state);
  if (count >= rule.count) return 'fired';
  if (!isAdded) return 'refreshed';
  const isNear = count === rule.count - 1;
  if (isNear && isWatched(state, now)) return 'fired';
  if (isNear) state.watchUntil = now + watchMs;
  return 'added';
}

const isWatched = ({ watchUntil }: WatchedWindow, now: number): boolean =>
  watchUntil !== null && now < watchUntil;

/** Drops what is older than the window, then refreshes or adds the entry. Says whether it was added. */
export function noteSeen(state: Draft<WatchedWindow>, token: Token, now: number, windowMs: number): boolean {
  const { id, others } = state;
  const isFresh = id !== null && isWithin(state.at, now, windowMs);
  const isSame = isFresh && isToken(id, token);
  if (isSame || (!isFresh && others === null)) {
    state.id = token.hash;
    state.at = now;
    if (others !== null) state.others = dropOld(others, now, windowMs);
    return !isSame;
  }
  if (others === null) {
    state.others = [{ id: token.hash, at: now }];
    return true;
  }
  const isAdded = !hasSeen(others, token, now, windowMs);
  const observed = observe(others, token, now, windowMs);
  if (isFresh) state.others = observed;
  else setSeen(state, observed);
  return isAdded;
}

function setSeen(state: Draft<WatchedWindow>, seen: Draft<Window>): void {
  state.id = seen[0]?.id ?? null;
  state.at = seen[0]?.at ?? 0;
  state.others = seen.length > 1 ? seen.slice(1) : null;
}

/** Drops the stalest entries until at most `capacity` are left. */
export function trimSeen(state: Draft<WatchedWindow>, capacity: number): void {
  if (countSeen(state) > capacity) setSeen(state, trim(copyWindow(seenIn(state)), capacity));
}

/** Calls an entry by another name. */
export function renameSeen(state: Draft<WatchedWindow>, from: string, to: string): void {
  if (state.id === from) state.id = to;
  for (const other of state.others ?? []) if (other.id === from) other.id = to;
}

/** The window starts over, without its flag. */
export function clearWatched(state: Draft<WatchedWindow>): void {
  state.id = null;
  state.at = 0;
  state.others = null;
  state.watchUntil = null;
}
