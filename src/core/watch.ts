import type { Correlation } from './policy.ts';
import type { Draft } from './records.ts';
import type { Token } from './subject.ts';
import { isWithin } from './times.ts';
import { copyWindow, hasSeen, isToken, observe, type Sighting, type Window } from './window.ts';

/**
 * WATCH (engine contract §8): nobody may hover at N − 1. The first time an added entry brings the count to exactly
 * N − 1 a flag is set; the next time, while it runs, counts as N.
 */
export interface WatchedWindow {
  readonly seen: Window;
  /** The flag runs while `now < watchUntil`. */
  readonly watchUntil: number;
}

export const makeWatchedWindow = (): Draft<WatchedWindow> => ({ seen: [], watchUntil: 0 });

export function copyWatchedWindow({ seen, watchUntil }: WatchedWindow): Draft<WatchedWindow> {
  return { seen: copyWindow(seen), watchUntil };
}

/** What observing has come to: an entry that was there, a new one, or a new one that makes the rule fire. */
export type Sight = 'refreshed' | 'added' | 'fired';

/** Observes a token. A rule that fires starts over with {@link clearWatched} once it has seen who was there. */
export function observeWatched(
  state: Draft<WatchedWindow>,
  token: Token,
  now: number,
  rule: Correlation,
  watchMs: number,
): Sight {
  const only = onlyOf(state.seen, rule);
  if (only !== null) {
    const isFresh = isWithin(only.at, now, rule.windowMs);
    const isSame = isToken(only.id, token);
    if (!isFresh || isSame) {
      only.id = token.hash;
      only.at = now;
      return isFresh ? 'refreshed' : 'added';
    }
  }
  const isAdded = !hasSeen(state.seen, token, now, rule.windowMs);
  state.seen = observe(state.seen, token, now, rule.windowMs);
  if (!isAdded) return 'refreshed';
  const isNear = state.seen.length === rule.count - 1;
  if (state.seen.length >= rule.count || (isNear && now < state.watchUntil)) return 'fired';
  if (isNear) state.watchUntil = now + watchMs;
  return 'added';
}

/**
 * The one sighting of a window that holds one, as nearly all do: it is made anew where it is. Null where there are others,
 * or one alone would be near.
 */
function onlyOf(seen: Draft<Window>, { count }: Correlation): Draft<Sighting> | null {
  return seen.length === 1 && count > 2 ? (seen[0] as Draft<Sighting>) : null;
}

/** The window starts over, without its flag. */
export function clearWatched(state: Draft<WatchedWindow>): void {
  state.seen = [];
  state.watchUntil = 0;
}
