/** How fast time goes on while it is ahead of a clock that was set back: never backwards, never at a standstill. */
export const slowdown = 0.5;

/**
 * A host's clock in whole milliseconds; without one that of the machine. Records hold whole times, and a durable store takes
 * one with a fraction for corrupt when it reads it back. That of the machine may be set back by mistake; a host's own is taken
 * at its word. `Date` is looked up at each call: who fakes it in tests does so after the application has made its store.
 *
 * @param startMs the time that the records of a store have reached before it was opened
 */
export function wholeClock(clock: (() => number) | undefined, startMs?: number): () => number {
  if (clock !== undefined) return () => Math.floor(clock());
  return steadyClock(
    () => Date.now(),
    () => performance.now(),
    startMs,
  );
}

/**
 * A clock that is not set back with the one it follows. In a record time never runs backwards, so that blocks made before
 * would last, and limits stand still, for as long as the clock was set back by.
 */
export function steadyClock(
  clock: () => number,
  monotonicMs: () => number,
  startMs = Number.NEGATIVE_INFINITY,
): () => number {
  let shownMs = startMs;
  /** When time was last slowed down; not a number while it is not. */
  let slowedAtMs = Number.NaN;
  return () => {
    const now = clock();
    const isSlow = !Number.isNaN(slowedAtMs);
    if (!isSlow && now >= shownMs) {
      shownMs = now;
      return now;
    }
    const atMs = monotonicMs();
    if (isSlow) shownMs += (atMs - slowedAtMs) * slowdown;
    slowedAtMs = now < shownMs ? atMs : Number.NaN;
    shownMs = Math.max(shownMs, now);
    return Math.floor(shownMs);
  };
}
