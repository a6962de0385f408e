import { DAY_MS } from '../../../core/duration.ts';
import { countWithin, isWithin } from '../../../core/times.ts';
import { type Guarantee, matrix } from './guarantee.ts';
import { accountIn, acquaintance, ownDeviceIn } from './view.ts';

/** What budgets may and may not do (engine contract §7). */

export const budgetLocksNobodyOut: Guarantee = {
  id: 'budget-locks-nobody-out',
  concerns: 'credentials',
  says: 'Right credentials are never refused by a budget, and its SOFT ends before the next may be issued.',
  promised: [matrix('Remote permanent account lockout via budget-only rules is impossible')],
  breach: (operated) => {
    const { op, decision } = operated;
    const { outcome, deferred, reasons } = decision;
    if (op === 'succeed' && outcome === 'SOFT_BLOCK') return 'a success was softly blocked';
    const isBudgetOnly = reasons.length > 0 && reasons.every(({ rule }) => rule === 'budget');
    if (op === 'check' && deferred !== isBudgetOnly)
      return deferred ? 'what is deferred rests on more than the budget' : 'a budget was not deferred';
    const budget = accountIn(operated.after, operated)?.budget;
    if (op === 'check' || budget === undefined || budget.epochStart === null) return null;
    return budget.softUntil > 0 && budget.softUntil >= budget.cooldownUntil
      ? 'the next SOFT of a budget may be issued before the last has ended'
      : null;
  },
};

export const epochIsFixed: Guarantee = {
  id: 'epoch-is-fixed',
  concerns: 'credentials',
  says: 'An active budget ends within 24 h of the first failure that made it active; nothing moves or renews it.',
  promised: [matrix('Budget epochs cannot be extended (“no renewable 24h prisons”)')],
  breach: (operated) => {
    const { op, t, call, decision } = operated;
    if (call.policy.kind !== 'credential') return null;
    const { epochMs } = call.policy.budget;
    const was = accountIn(operated.before, operated);
    const is = accountIn(operated.after, operated);
    const start = was?.budget.epochStart ?? null;
    if (decision.reasons.some(({ rule }) => rule === 'budget') && start !== null && t >= start + DAY_MS)
      return 'a budget spoke more than 24 h after its epoch began';
    if (op === 'check' || is === undefined) return null;
    const { epochStart } = is.budget;
    if (epochStart !== null && !isWithin(epochStart, is.at, DAY_MS)) return 'an epoch is older than 24 h';
    if (start !== null && start !== epochStart && is.at < start + epochMs)
      return 'an epoch was moved while it ran';
    const isBegun = epochStart !== null && start === null;
    return isBegun && was !== undefined && !was.budget.failures.includes(epochStart) && epochStart !== is.at
      ? 'an epoch began at no failure'
      : null;
  },
};

export const sameDeviceIsCounted: Guarantee = {
  id: 'same-device-is-counted',
  concerns: 'credentials',
  says: 'After its free failures of a day, every further failure of a known device counts towards the budget.',
  promised: [matrix('Same-device equilibrium cannot bypass budgets indefinitely')],
  breach: (operated) => {
    const { op, call, t } = operated;
    if (op !== 'fail' || call.policy.kind !== 'credential' || !acquaintance(operated).known) return null;
    const own = ownDeviceIn(operated.before, operated);
    const is = accountIn(operated.after, operated);
    if (own === undefined || is === undefined || is === accountIn(operated.before, operated)) return null;
    const isSpent =
      countWithin(own.failures, Math.max(t, is.at), DAY_MS) >= call.policy.budget.knownDeviceGrace;
    if (!isSpent || is.budget.epochStart !== null) return null;
    return is.budget.failures.at(-1) === is.at
      ? null
      : 'a known device failed beyond its grace and was not counted';
  },
};
