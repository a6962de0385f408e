import { SECOND_MS } from '../core/duration.ts';

/**
 * Retries against one target, over all requests: a share of the calls plus a small steady allowance, so that a
 * target in trouble sees at most `share` more load while a quiet target can still be retried.
 *
 * A token bucket that calls fill too: each first attempt adds `share`, each second adds `perSecond`, each retry
 * takes 1. It holds at most one second of the allowance (at least 1, unless there is neither), so a long healthy time saves up
 * nothing.
 * Over any stretch of time: retries ≤ capacity + perSecond × seconds + share × calls.
 */
export interface TargetRetryBudget {
  readonly tokens: number;
  readonly at: number;
}

export interface TargetRetryPolicy {
  /** Part of the calls that may be retried, 0…1. Default 0.2. */
  readonly share: number;
  /** Retries per second that are always allowed. Default 10. */
  readonly perSecond: number;
}

function capacity(policy: TargetRetryPolicy): number {
  return policy.share === 0 && policy.perSecond === 0 ? 0 : Math.max(1, policy.perSecond);
}

/** A budget that nobody has used yet. */
export function freshBudget(policy: TargetRetryPolicy, now: number): TargetRetryBudget {
  return { tokens: capacity(policy), at: now };
}

function refilled(budget: TargetRetryBudget, policy: TargetRetryPolicy, more: number, now: number): number {
  const elapsedMs = Math.max(0, now - budget.at);
  return Math.min(capacity(policy), budget.tokens + (elapsedMs * policy.perSecond) / SECOND_MS + more);
}

/** Counts a first attempt. A full budget stays as it is: whenever it was full, it is full now. */
export function countCall(
  budget: TargetRetryBudget,
  policy: TargetRetryPolicy,
  now: number,
): TargetRetryBudget {
  if (budget.tokens >= capacity(policy)) return budget;
  return { tokens: refilled(budget, policy, policy.share, now), at: Math.max(budget.at, now) };
}

/** Takes one retry; null when the budget does not allow it. */
export function takeRetry(
  budget: TargetRetryBudget,
  policy: TargetRetryPolicy,
  now: number,
): TargetRetryBudget | null {
  const tokens = refilled(budget, policy, 0, now);
  return tokens >= 1 ? { tokens: tokens - 1, at: Math.max(budget.at, now) } : null;
}
