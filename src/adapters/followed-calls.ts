import type { Scenarios } from '../abuse/index.ts';

/** Scenarios that see how a request ends, and as whose. */
export interface Follower {
  readonly scenarios: Scenarios;
  /** Null for anybody who is not signed in. */
  readonly user: string | null;
}

const followers = new WeakMap<object, Follower[]>();

/**
 * Whether a gate before this one shows the call to these scenarios already, as that of the same caller: it holds the call
 * back and tells how it ended. Shown by both, one call would count as two.
 */
export function isFollowed(request: object, { scenarios, user }: Follower): boolean {
  const known = followers.get(request) ?? [];
  return known.some((follower) => follower.scenarios === scenarios && follower.user === user);
}

export function follow(request: object, follower: Follower): void {
  followers.set(request, [...(followers.get(request) ?? []), follower]);
}
