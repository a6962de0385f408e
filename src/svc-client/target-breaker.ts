/**
 * The circuit breaker of one target, as a pure state machine. It only decides; `rails.ts` enforces.
 *
 * closed: calls pass; `threshold` timeouts or connect errors within `windowMs` open it.
 * open: calls fail fast until the cooldown ends.
 * half-open: one probe at a time; `goodProbes` good ones close it, a bad one opens it again for twice as long.
 */
export type TargetBreaker =
  | { readonly state: 'closed'; readonly failures: readonly number[] }
  | { readonly state: 'open'; readonly until: number; readonly cooldownMs: number }
  | {
      readonly state: 'half-open';
      readonly cooldownMs: number;
      readonly good: number;
      readonly probing: boolean;
    };

export interface TargetBreakerPolicy {
  /** Timeouts or connect errors that open it. Default 5. */
  readonly threshold: number;
  /** Within this time, in milliseconds. Default 30 000. */
  readonly windowMs: number;
  /** First cooldown, in milliseconds. Default 10 000. */
  readonly cooldownMs: number;
  /** Longest cooldown, in milliseconds. Default 120 000. */
  readonly maxCooldownMs: number;
  /** Good probes that close it. Default 3. */
  readonly goodProbes: number;
}

/** How a call got through the breaker; its result is recorded with the same word. */
export type Passage = 'normal' | 'probe';

/** What the call showed: `none` when it says nothing about the target (the caller went away). */
export type Evidence = 'good' | 'bad' | 'none';

export type Passing =
  | { readonly passes: true; readonly breaker: TargetBreaker; readonly passage: Passage }
  | { readonly passes: false; readonly retryAfterMs: number };

/** A probe is on its way: its result is not known, so ask again in a moment. */
const PROBE_RUNNING_RETRY_MS = 1_000;

export const closedBreaker: TargetBreaker = { state: 'closed', failures: [] };
const normalPassing: Passing = { passes: true, breaker: closedBreaker, passage: 'normal' };

function probe(cooldownMs: number, good: number): Passing {
  return {
    passes: true,
    passage: 'probe',
    breaker: { state: 'half-open', cooldownMs, good, probing: true },
  };
}

/** Whether a call may pass now, and the breaker once it has. */
export function passBreaker(breaker: TargetBreaker, now: number): Passing {
  switch (breaker.state) {
    case 'closed':
      return breaker === closedBreaker ? normalPassing : { passes: true, breaker, passage: 'normal' };
    case 'open':
      if (now < breaker.until) return { passes: false, retryAfterMs: breaker.until - now };
      return probe(breaker.cooldownMs, 0);
    case 'half-open':
      if (breaker.probing) return { passes: false, retryAfterMs: PROBE_RUNNING_RETRY_MS };
      return probe(breaker.cooldownMs, breaker.good);
  }
}

/** Whether the breaker is certain to be open still at that time. */
export function isShut(breaker: TargetBreaker, at: number): boolean {
  return breaker.state === 'open' && breaker.until > at;
}

function open(cooldownMs: number, now: number): TargetBreaker {
  return { state: 'open', until: now + cooldownMs, cooldownMs };
}

function countFailure(failures: readonly number[], policy: TargetBreakerPolicy, now: number): TargetBreaker {
  const recent = [...failures.filter((at) => at > now - policy.windowMs), now];
  return recent.length >= policy.threshold
    ? open(policy.cooldownMs, now)
    : { state: 'closed', failures: recent };
}

/**
 * Records what a call showed. Results of calls that passed before the breaker opened say nothing new and are
 * ignored: only probes decide whether it closes.
 */
export function recordEvidence(
  breaker: TargetBreaker,
  policy: TargetBreakerPolicy,
  passage: Passage,
  evidence: Evidence,
  now: number,
): TargetBreaker {
  if (breaker.state === 'closed') {
    return evidence === 'bad' ? countFailure(breaker.failures, policy, now) : breaker;
  }
  if (breaker.state === 'open' || passage === 'normal') return breaker;
  if (evidence === 'bad') return open(Math.min(policy.maxCooldownMs, breaker.cooldownMs * 2), now);
  const good = breaker.good + (evidence === 'good' ? 1 : 0);
  return good >= policy.goodProbes ? closedBreaker : { ...breaker, good, probing: false };
}
