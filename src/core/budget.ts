import type { Reason } from './decision.ts';
import { durationOf } from './ladder.ts';
import type { BudgetPolicy, LadderPolicy } from './policy.ts';
import type { Draft } from './records.ts';
import { countWithin, isWithin, noteTime } from './times.ts';

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

export function makeBudget(): Draft<Budget> {
  return { failures: [], epochStart: null, cooldownUntil: 0, softUntil: 0, guarded: false };
}

export function copyBudget(budget: Budget): Draft<Budget> {
  const { failures, epochStart, cooldownUntil, softUntil, guarded } = budget;
  return { failures: failures.slice(), epochStart, cooldownUntil, softUntil, guarded };
}

const freshBudget: Budget = Object.freeze(makeBudget());

function hasEnded({ epochStart }: Budget, now: number, policy: BudgetPolicy): boolean {
  return epochStart !== null && now >= epochStart + policy.epochMs;
}

/** The budget as it is now: at the end of its epoch everything starts anew. */
export function presentBudget(budget: Budget, now: number, policy: BudgetPolicy): Budget {
  return hasEnded(budget, now, policy) ? freshBudget : budget;
}

/** The same for a draft. */
export function renewBudget(budget: Draft<Budget>, now: number, policy: BudgetPolicy): void {
  if (hasEnded(budget, now, policy)) Object.assign(budget, makeBudget());
}

/** Whether a budget's SOFT is running. */
export function isBudgetSoft(budget: Budget, now: number): boolean {
  return budget.epochStart !== null && now < budget.softUntil;
}

/**
 * Counts an eligible failure, which may activate the budget. Says whether the recovery guard took the failure instead.
 */
export function countFailure(
  budget: Draft<Budget>,
  now: number,
  policy: BudgetPolicy,
  guardable: boolean,
): boolean {
  if (budget.epochStart !== null) return false;
  if (budget.guarded) budget.guarded = countWithin(budget.failures, now, policy.epochMs) > 0;
  budget.failures = noteTime(budget.failures, now, policy.threshold);
  const oldest = budget.failures[0] ?? now;
  const reached = budget.failures.length === policy.threshold && isWithin(oldest, now, policy.epochMs);
  if (!reached) return false;
  if (policy.guardLevel !== null && guardable && !budget.guarded) {
    budget.guarded = true;
    return true;
  }
  budget.failures = [];
  budget.epochStart = oldest;
  return false;
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
  budget: Draft<Budget>,
  now: number,
  policy: BudgetPolicy,
  trusted: boolean,
  ladder: LadderPolicy,
): void {
  budget.cooldownUntil = now + policy.cooldownMs;
  budget.softUntil = now + durationOf(budgetLevel(policy, trusted), ladder);
}
