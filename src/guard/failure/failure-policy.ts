import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts';
import type { Policy } from '../../core/policy.ts';

/**
 * The numbers of engine contract §12. The defaults below are the contract's own values and the only place they
 * stand.
 */
export interface BreakerPolicy {
  /** This many failures within `tripWindowMs` trip the breaker. */
  readonly tripFailures: number;
  readonly tripWindowMs: number;
  /** A breaker that has tripped stays open at least this long. */
  readonly minOpenMs: number;
  readonly probeEveryMs: number;
  /** The probes of this last time must all have succeeded before the breaker closes. */
  readonly healthyMs: number;
  /** This entry within `entryWindowMs` shuts the policy instead of degrading it. */
  readonly shutAtEntry: number;
  readonly entryWindowMs: number;
  /** How long a shut policy answers FAIL_CLOSED. */
  readonly shutMs: number;
}

/** Keys that are counted on this node while the store is away. */
export type CapScope = 'K4' | 'K2' | 'K1';

/** At most `count` attempts of one subject within `windowMs`. */
export interface DegradedCap {
  readonly scope: CapScope;
  readonly count: number;
  readonly windowMs: number;
}

export const defaultBreaker: BreakerPolicy = {
  tripFailures: 3,
  tripWindowMs: 10 * SECOND_MS,
  minOpenMs: 5 * MINUTE_MS,
  probeEveryMs: 5 * SECOND_MS,
  healthyMs: 2 * MINUTE_MS,
  shutAtEntry: 3,
  entryWindowMs: 30 * MINUTE_MS,
  shutMs: 10 * MINUTE_MS,
};

/** The most subjects counted one by one, per policy and key kind; all others share one. */
export const subjectLimit = 4096;

const loginCaps: readonly DegradedCap[] = [
  { scope: 'K4', count: 3, windowMs: 10 * MINUTE_MS },
  { scope: 'K1', count: 20, windowMs: 10 * MINUTE_MS },
];

const otpCaps: readonly DegradedCap[] = [
  { scope: 'K4', count: 2, windowMs: 15 * MINUTE_MS },
  { scope: 'K1', count: 10, windowMs: 15 * MINUTE_MS },
];

/** Over these a call is slowed down, not blocked. */
const guardrails: readonly DegradedCap[] = [
  { scope: 'K2', count: 60, windowMs: MINUTE_MS },
  { scope: 'K1', count: 120, windowMs: MINUTE_MS },
];

/** The contract's caps of a policy. A credential policy it does not name gets the stricter ones, those of `otp`. */
export function defaultCaps({ kind, name }: Policy): readonly DegradedCap[] {
  if (kind === 'rate') return guardrails;
  return name === 'login' ? loginCaps : otpCaps;
}
