import type { Correlation } from './policy.ts';
import type { Token } from './subject.ts';
import { observe, type Window } from './window.ts';

/**
 * WATCH (engine contract §8): nobody may hover at N − 1. The first time an added entry brings the count to exactly
 * N − 1 a flag is set; the next time, while it runs, counts as N.
 */
export interface WatchedWindow {
  readonly seen: Window;
  /** The flag runs while `now < watchUntil`. */
  readonly watchUntil: number;
}

export const emptyWatchedWindow: WatchedWindow = { seen: [], watchUntil: 0 };

export interface WatchedObservation {
  /** The window afterwards: cleared, with its flag, if the rule fired. */
  readonly next: WatchedWindow;
  readonly fired: boolean;
  readonly added: boolean;
  /** The window as it was when the rule was judged. */
  readonly seen: Window;
}

/** Observes a token and says whether the rule fires. */
export function observeWatched(
  state: WatchedWindow,
  token: Token,
  now: number,
  rule: Correlation,
  watchMs: number,
): WatchedObservation {
  const { window: seen, added } = observe(state.seen, token, now, rule.windowMs);
  const near = added && seen.length === rule.count - 1;
  const fired = added && (seen.length >= rule.count || (near && now < state.watchUntil));
  if (fired) return { next: emptyWatchedWindow, fired, added, seen };
  const watchUntil = near ? now + watchMs : state.watchUntil;
  return { next: { seen, watchUntil }, fired, added, seen };
}
