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
  for (const at of times) if (isWithin(at, now, windowMs)) count += 1;
  return count;
}

/** The last `kept` of the list and one more. */
export function appended(times: readonly number[], at: number, kept: number): readonly number[] {
  const next = times.length < kept ? times.slice() : times.slice(times.length + 1 - kept);
  next.push(at);
  return next;
}
