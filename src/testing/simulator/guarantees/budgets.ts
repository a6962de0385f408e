import { DAY_MS, HOUR_MS } from '../../../core/duration.ts';
import type { AccountRecord } from '../../../core/state.ts';
import { ofChanges } from './guarantee.ts';

const cooldownMs: Readonly<Record<string, number>> = { login: HOUR_MS, otp: 2 * HOUR_MS };

export const budgetEpochIsFixed = ofChanges(
  'a-budget-epoch-is-never-extended',
  'An active budget ends 24 h after the oldest of the failures that made it active, whatever comes.',
  ({ kind, before, after }) => {
    if (kind !== 'K4') return null;
    const { budget, at } = after as AccountRecord;
    if (budget.epochStart !== null && budget.epochStart <= at - DAY_MS) return 'an epoch lasts beyond 24 h';
    const was = (before as AccountRecord | undefined)?.budget.epochStart ?? null;
    const isRunning = was !== null && at < was + DAY_MS;
    return isRunning && budget.epochStart !== was ? 'the epoch was moved while it ran' : null;
  },
);

export const budgetCoolsDown = ofChanges(
  'a-budget-is-issued-once-per-cooldown',
  'The SOFT of a budget begins at most once per cooldown and is not lengthened in between.',
  ({ kind, policy, before, after }) => {
    if (kind !== 'K4' || before === undefined) return null;
    const { budget, at } = after as AccountRecord;
    const was = (before as AccountRecord).budget;
    const isSame = was.epochStart !== null && was.epochStart === budget.epochStart;
    if (isSame && budget.softUntil !== was.softUntil && at < was.cooldownUntil)
      return 'it was issued within its cooldown';
    const cooldown = cooldownMs[policy] ?? 0;
    if (budget.cooldownUntil > at + cooldown) return 'the cooldown is too long';
    return budget.softUntil > budget.cooldownUntil ? 'the SOFT outlasts the cooldown' : null;
  },
);
