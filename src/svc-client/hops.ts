/**
 * Loops in a call tree. The path lists the services a request has gone through, from the first to the one that is
 * about to be called. One return to a service is ordinary (a callback); a second one means that the services call
 * each other in circles: `A → B → A → B → A`. Counting visits finds every such circle, whatever its length and
 * whichever services lie on it, where comparing patterns would only find regular ones.
 */
export type HopPath = readonly string[];

/** A service may be on the path this often: its first call and one callback. */
export const MAX_VISITS = 2;

/** How often the path visits the service. */
export function visits(path: HopPath, slugKey: string): number {
  let count = 0;
  for (const hop of path) if (hop === slugKey) count += 1;
  return count;
}

/** Whether going on to `next` would close the second cycle through it. */
export function closesSecondCycle(path: HopPath, next: string): boolean {
  return visits(path, next) >= MAX_VISITS;
}
