/**
 * The breaker over all targets of a client, as a pure state machine. It opens when the estate as a whole is in
 * trouble, and then sheds by priority: background and ordinary calls first, health checks never. It closes in
 * steps, since letting everything back in at once is the next overload.
 */
export type GlobalCause = 'saturation' | 'partition' | 'latency';

/** What a call is worth when not all can be made. Default `normal`. */
export type Priority = 'health' | 'critical' | 'normal' | 'background';

/** What has been saved up towards the next admitted call of a priority that is let in by part. */
interface Credit {
  readonly normal: number;
  readonly background: number;
}

export type GlobalBreaker =
  | { readonly state: 'closed' }
  | { readonly state: 'open'; readonly cause: GlobalCause; readonly seenAt: number }
  | {
      readonly state: 'closing';
      readonly cause: GlobalCause;
      readonly since: number;
      readonly credit: Credit;
    };

export interface GlobalBreakerPolicy {
  /** It stays open until its cause has been gone for this long, in milliseconds. Default 10 000. */
  readonly holdMs: number;
  /** It closes over this time, in milliseconds. Default 20 000. */
  readonly closingMs: number;
}

export const closedGlobalBreaker: GlobalBreaker = { state: 'closed' };
const CLOSING_STEPS = 4;

/**
 * Moves the breaker on to `now`, given the cause that is seen at present, if any. Time in which nobody asked counts too:
 * a cause that nobody looked for was there for at most `lingerMs` after it was last seen.
 */
export function judgeGlobal(
  breaker: GlobalBreaker,
  policy: GlobalBreakerPolicy,
  cause: GlobalCause | null,
  now: number,
  lingerMs: number,
): GlobalBreaker {
  if (cause !== null) {
    if (breaker.state === 'open' && breaker.cause === cause && breaker.seenAt === now) return breaker;
    return { state: 'open', cause, seenAt: now };
  }
  if (breaker.state === 'closed') return breaker;
  if (breaker.state === 'open' && now - breaker.seenAt < policy.holdMs) return breaker;
  const since =
    breaker.state === 'closing' ? breaker.since : Math.min(now, breaker.seenAt + lingerMs + policy.holdMs);
  if (now - since >= policy.closingMs) return closedGlobalBreaker;
  if (breaker.state === 'closing') return breaker;
  return { state: 'closing', cause: breaker.cause, since, credit: { normal: 0, background: 0 } };
}

/** The part of ordinary calls that is let in while it closes: a quarter, a half, three quarters, all. */
function normalShare(since: number, policy: GlobalBreakerPolicy, now: number): number {
  const step = Math.floor(((now - since) / policy.closingMs) * CLOSING_STEPS) + 1;
  return Math.min(CLOSING_STEPS, step) / CLOSING_STEPS;
}

export interface GlobalPassing {
  readonly passes: boolean;
  readonly breaker: GlobalBreaker;
}

/** Whether a call of this priority may be made now. The share is kept exactly, by carrying over the remainder. */
export function passGlobal(
  breaker: GlobalBreaker,
  policy: GlobalBreakerPolicy,
  priority: Priority,
  now: number,
): GlobalPassing {
  if (breaker.state === 'closed' || priority === 'health' || priority === 'critical') {
    return { passes: true, breaker };
  }
  if (breaker.state === 'open') return { passes: false, breaker };
  const share = normalShare(breaker.since, policy, now);
  const saved = breaker.credit[priority] + (priority === 'normal' ? share : Math.max(0, 2 * share - 1));
  const passes = saved >= 1;
  const credit = { ...breaker.credit, [priority]: passes ? saved - 1 : saved };
  return { passes, breaker: { ...breaker, credit } };
}

/** When it is worth asking again, in milliseconds: an estimate, since the cause may come back. */
export function globalRetryAfterMs(breaker: GlobalBreaker, policy: GlobalBreakerPolicy, now: number): number {
  switch (breaker.state) {
    case 'closed':
      return 0;
    case 'open':
      return Math.max(1, breaker.seenAt + policy.holdMs - now);
    case 'closing':
      return Math.ceil(policy.closingMs / CLOSING_STEPS);
  }
}
