/** Times and lists of times, oldest first, as records keep them. */

/** "Within W" (engine contract §1). */
export function isWithin(at: number, now: number, windowMs: number): boolean {
  return at > now - windowMs;
}

/** The times that lie within the window. */
export function timesWithin(times: readonly number[], now: number, windowMs: number): number[] {
  return times.filter((at) => isWithin(at, now, windowMs));
}

/** How many of the times lie within the window. */
export function countWithin(times: readonly number[], now: number, windowMs: number): number {
  let count = 0;
  for (let index = 0; index < times.length; index += 1) {
    if (isWithin(times[index] as number, now, windowMs)) count += 1;
  }
  return count;
}

/** Up to so many times a list takes no more room than it needs; then some more, for those that go on growing. */
const scarce = 4;

/**
 * Adds a time to the list; no more than the last `kept` stay. Gives the list, which is another one while it is short: most
 * hold few times for good, and a list that is pushed to takes room for sixteen more.
 */
export function noteTime(times: number[], at: number, kept: number): number[] {
  if (times.length < Math.min(kept, scarce)) return times.concat([at]);
  if (times.length < kept) times.push(at);
  else keepLatest(times, at, kept);
  return times;
}

function keepLatest(times: number[], at: number, kept: number): void {
  if (times.length > kept) times.splice(0, times.length - kept);
  for (let index = 1; index < kept; index += 1) times[index - 1] = times[index] as number;
  times[kept - 1] = at;
}
