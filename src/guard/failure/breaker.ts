import { timesWithin } from '../../core/times.ts';
import type { BreakerPolicy } from './failure-policy.ts';

/**
 * The breaker of one policy on one node (engine contract §12), as a pure machine: every function takes a state and a
 * time and gives the next state. It knows nothing of stores, timers or requests.
 */
export type Breaker = ClosedBreaker | OpenBreaker;

/** Operations go to the store; failures are counted towards a trip. */
export interface ClosedBreaker {
  readonly state: 'closed';
  /** Times of the last failures. */
  readonly failures: readonly number[];
  /** Times of the last trips into a degraded epoch. */
  readonly entries: readonly number[];
}

/** The store is left alone; probes ask whether it is back. */
export interface OpenBreaker {
  readonly state: 'open';
  readonly entries: readonly number[];
  readonly trippedAt: number;
  /** Until then the policy is shut; null if this trip was an entry. */
  readonly shutUntil: number | null;
  /** The last time at which the store was not seen healthy: the trip, a failed probe, a gap between probes. */
  readonly unhealthyAt: number;
  readonly probedAt: number;
}

/** What a breaker means for requests now. */
export type Phase = 'normal' | 'degraded' | 'shut';

export const freshBreaker: ClosedBreaker = { state: 'closed', failures: [], entries: [] };

export function phaseOf(breaker: Breaker, now: number): Phase {
  if (breaker.state === 'closed') return 'normal';
  return breaker.shutUntil !== null && now < breaker.shutUntil ? 'shut' : 'degraded';
}

/** A call to the store has failed. Three of them within ten seconds trip the breaker. */
export function noteFailure(breaker: Breaker, now: number, policy: BreakerPolicy): Breaker {
  if (breaker.state === 'open') return breaker;
  const failures = [...timesWithin(breaker.failures, now, policy.tripWindowMs), now];
  if (failures.length < policy.tripFailures) return { ...breaker, failures };
  return trip(breaker, now, policy);
}

/**
 * A trip is an entry into a degraded epoch, unless too many lie behind: then the policy is shut. A shut trip is no
 * entry. So a store that keeps flapping cannot keep a policy shut for ever: entries grow old, and the next trip
 * degrades again.
 */
function trip({ entries }: Breaker, now: number, policy: BreakerPolicy): OpenBreaker {
  const recent = timesWithin(entries, now, policy.entryWindowMs);
  const isShut = recent.length + 1 >= policy.shutAtEntry;
  return {
    state: 'open',
    entries: isShut ? recent : [...recent, now],
    trippedAt: now,
    shutUntil: isShut ? now + policy.shutMs : null,
    unhealthyAt: now,
    probedAt: now,
  };
}

/** A probe has ended. One that comes long after the last proves nothing about the time between them. */
export function noteProbe(breaker: Breaker, isHealthy: boolean, now: number, policy: BreakerPolicy): Breaker {
  if (breaker.state === 'closed') return breaker;
  const isSustained = isHealthy && !isStale(breaker, now, policy);
  return { ...breaker, unhealthyAt: isSustained ? breaker.unhealthyAt : now, probedAt: now };
}

/** Closes the breaker once its time is over and probes have shown the store healthy for long enough. */
export function advance(breaker: Breaker, now: number, policy: BreakerPolicy): Breaker {
  if (breaker.state === 'closed') return breaker;
  const { trippedAt, shutUntil, unhealthyAt, probedAt, entries } = breaker;
  const earliest = Math.max(trippedAt + policy.minOpenMs, shutUntil ?? 0);
  const isProven = probedAt > unhealthyAt && !isStale(breaker, now, policy);
  const isHealthy = isProven && now - unhealthyAt >= policy.healthyMs;
  return now >= earliest && isHealthy ? { state: 'closed', failures: [], entries } : breaker;
}

const isStale = ({ probedAt }: OpenBreaker, now: number, { probeEveryMs }: BreakerPolicy): boolean =>
  now - probedAt > 2 * probeEveryMs;
