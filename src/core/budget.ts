import type { Reason } from './decision.ts';
import { durationOf } from './ladder.ts';
import type { BudgetPolicy, LadderPolicy } from './policy.ts';
import { appended, countWithin, isWithin } from './times.ts';

/**
 * Failure budgets (engine contract §7). Detection rolls over the last failures; once active, the epoch is fixed and
 * nothing extends it, so that no number of failures makes a prison of it.
 */
export interface Budget {
  /** Times of the last eligible failures while the budget is not active, newest last. */
  readonly failures: readonly number[];
  /** Begin of the active epoch; null while not active. */
  readonly epochStart: number | null;
  readonly cooldownUntil: number;
  readonly softUntil: number;
  /** Whether the recovery guard has been used. */
  readonly guarded: boolean;
}

export const freshBudget: Budget = {
  failures: [],
  epochStart: null,
  cooldownUntil: 0,
  softUntil: 0,
  guarded: false,
};

/** The budget as it is now: at the end of its epoch everything starts anew. */
export function presentBudget(budget: Budget, now: number, policy: BudgetPolicy): Budget {
  const ended = budget.epochStart !== null && now >= budget.epochStart + policy.epochMs;
  return ended ? freshBudget : budget;
}

/** Whether a budget's SOFT is running. */
export function isBudgetSoft(budget: Budget, now: number): boolean {
  return budget.epochStart !== null && now < budget.softUntil;
}

export interface BudgetCount {
  readonly budget: Budget;
  /** The recovery guard took this failure instead of activating the budget. */
  readonly guardUsed: boolean;
}

/** Counts an eligible failure: it may activate the budget, or use up the recovery guard. */
export function countFailure(
  budget: Budget,
  now: number,
  policy: BudgetPolicy,
  guardable: boolean,
): BudgetCount {
  if (budget.epochStart !== null) return { budget, guardUsed: false };
  const guarded = budget.guarded && countWithin(budget.failures, now, policy.epochMs) > 0;
  const failures = appended(budget.failures, now, policy.threshold);
  const oldest = failures[0] ?? now;
  const reached = failures.length === policy.threshold && isWithin(oldest, now, policy.epochMs);
  if (!reached) {
    const { epochStart, cooldownUntil, softUntil } = budget;
    return { budget: { failures, epochStart, cooldownUntil, softUntil, guarded }, guardUsed: false };
  }
  if (policy.guardLevel !== null && guardable && !guarded) {
    return { budget: { ...budget, failures, guarded: true }, guardUsed: true };
  }
  return { budget: { ...budget, failures: [], epochStart: oldest, guarded }, guardUsed: false };
}

export const budgetLevel = (policy: BudgetPolicy, trusted: boolean): number =>
  trusted ? policy.trustedLevel : policy.level;

/** The SOFT a running budget shows to a request. */
export function budgetReason(budget: Budget, policy: BudgetPolicy, trusted: boolean): Reason {
  return {
    rule: 'budget',
    scope: 'K4',
    outcome: 'SOFT_BLOCK',
    level: budgetLevel(policy, trusted),
    until: budget.softUntil,
  };
}

/** Issues the budget's SOFT; the cooldown keeps it from being issued again and again. */
export function issueBudget(
  budget: Budget,
  now: number,
  policy: BudgetPolicy,
  trusted: boolean,
  ladder: LadderPolicy,
): Budget {
  const { failures, epochStart, guarded } = budget;
  const cooldownUntil = now + policy.cooldownMs;
  const softUntil = now + durationOf(budgetLevel(policy, trusted), ladder);
  return { failures, epochStart, cooldownUntil, softUntil, guarded };
}
