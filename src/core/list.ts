/**
 * A list of these items, for what waits with its operation: a list that is written as `[…]` may be made among the objects
 * that are there to stay, where it keeps all it holds (decision 0010).
 */
export function listOf<T>(...items: T[]): T[] {
  return items;
}
