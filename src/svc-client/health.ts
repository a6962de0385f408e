import type { DenialCounts } from './events.ts';
import type { GlobalBreaker } from './global-breaker.ts';
import type { HopPath } from './hops.ts';
import type { PoolPolicy } from './pool.ts';
import type { Target } from './target.ts';
import type { TargetBreaker } from './target-breaker.ts';

/** A target as an operator sees it. */
export interface TargetHealth {
  readonly target: string;
  readonly breaker: TargetBreaker['state'];
  /** Until the next probe may go, in milliseconds; 0 unless the breaker is open. */
  readonly probeInMs: number;
  /** The pinned limit and for how long it still holds, in milliseconds. */
  readonly pinned: { readonly policy: PoolPolicy; readonly forMs: number } | null;
  readonly calls: number;
  readonly attempts: number;
  readonly retries: number;
  /** Calls that ended in a failure that could have been retried. */
  readonly failures: number;
  readonly denied: DenialCounts;
}

/** A loop that was refused, by the request that went round. */
export interface RecentLoop {
  readonly requestId: string;
  /** Its way, with the call that would have closed the second circle. */
  readonly hops: HopPath;
  /** In milliseconds. */
  readonly agoMs: number;
}

export interface SvcHealth {
  readonly globalBreaker: GlobalBreaker;
  /** Loops refused so far. */
  readonly loops: number;
  /** The last ten of them, the newest at the end. */
  readonly recentLoops: readonly RecentLoop[];
  /** Passports that did not verify so far. */
  readonly droppedPassports: number;
  readonly targets: readonly TargetHealth[];
}

export function targetHealth(target: Target, now: number): TargetHealth {
  const { breaker, counts } = target;
  return {
    target: target.slugKey,
    breaker: breaker.state,
    probeInMs: breaker.state === 'open' ? Math.max(0, breaker.until - now) : 0,
    pinned: target.pinned(now),
    ...counts,
    denied: { ...counts.denied },
  };
}
