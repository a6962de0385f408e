import { aggregate, type Decision, type Mode, type Reason } from '../../core/decision.ts';
import { durationOf } from '../../core/ladder.ts';
import type { Policy } from '../../core/policy.ts';
import type { Phase } from './breaker.ts';
import type { CapScope } from './failure-policy.ts';

/** Decisions that are made without the store (engine contract §12). None of them goes above level 2. */

const BLOCK_LEVEL = 2;
const SLOW_LEVEL = 1;

/** The mode a policy is in while its breaker is in this phase. */
export function modeOf(phase: Phase, { kind }: Policy): Mode {
  if (phase === 'normal') return 'NORMAL';
  if (phase === 'shut') return 'FAIL_CLOSED';
  return kind === 'rate' ? 'FAIL_OPEN' : 'DEGRADED';
}

/**
 * Nobody passes. The reason stands on what the policy protects: the account, or the network where there is none. It
 * is a property of this answer, not a block on that key.
 */
export function refuse(policy: Policy, t: number): Decision {
  const scope = policy.kind === 'credential' ? 'K4' : 'K1';
  const until = t + durationOf(BLOCK_LEVEL, policy.ladder);
  return aggregate(
    [{ rule: 'store', scope, outcome: 'HARD_BLOCK', level: BLOCK_LEVEL, until }],
    t,
    'FAIL_CLOSED',
  );
}

/** Those within the local caps pass. */
export function answerByCaps(policy: Policy, over: readonly CapScope[], t: number): Decision {
  const level = policy.kind === 'rate' ? SLOW_LEVEL : BLOCK_LEVEL;
  const until = t + durationOf(level, policy.ladder);
  const outcome = policy.kind === 'rate' ? 'SOFT_BLOCK' : 'HARD_BLOCK';
  const reasons = over.map((scope): Reason => ({ rule: 'degraded', scope, outcome, level, until }));
  return aggregate(reasons, t, modeOf('degraded', policy));
}
