import { type Decision, type Reason, rules, scopes } from '../../../core/decision.ts';
import type { OperationTrace } from '../operation-trace.ts';
import { type Guarantee, ofNormalDecisions } from './guarantee.ts';

const placeOf = ({ scope, rule }: Reason): number =>
  scopes.indexOf(scope) * rules.length + rules.indexOf(rule);

/** Why a decision contradicts itself, or null. */
function contradiction(decision: Decision, t: number | null): string | null {
  const { outcome, level, until, retryAfterMs, rule, scope, reasons, deferred } = decision;
  if (outcome === 'ALLOW') {
    const isBare = level === 0 && until === 0 && retryAfterMs === 0 && rule === null && scope === null;
    return isBare && reasons.length === 0 && !deferred ? null : 'an ALLOW carries a block';
  }
  const winning = reasons.filter((reason) => reason.outcome === outcome);
  if (winning.length === 0) return 'no reason stands behind the outcome';
  if (outcome === 'SOFT_BLOCK' && reasons.some((reason) => reason.outcome === 'HARD_BLOCK'))
    return 'a HARD lost';
  if (level !== Math.max(...winning.map((reason) => reason.level))) return 'the level is not the highest';
  if (until !== Math.max(...winning.map((reason) => reason.until))) return 'the until is not the latest';
  if (!winning.some((reason) => reason.rule === rule && reason.scope === scope))
    return 'rule and scope name nobody';
  if (t !== null && retryAfterMs !== Math.max(0, until - t)) return 'retryAfterMs is not until − t';
  const places = reasons.map(placeOf);
  if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0)))
    return 'reasons are not in order';
  return null;
}

/** The time a decision was made for: the server's, or the node's where it was made without one. */
const timeOf = ({ t, endedAt, decision }: OperationTrace): number | null =>
  decision?.mode === 'NORMAL' ? t : endedAt === null ? null : Math.floor(endedAt);

export const wellFormedDecisions: Guarantee = {
  name: 'decisions-are-well-formed',
  says: 'Outcome, level, until and retryAfterMs of a decision follow from its reasons.',
  watch: (_, violate) => ({
    decided: (operation) => {
      const { decision } = operation;
      const broken = decision && contradiction(decision, timeOf(operation));
      if (broken) violate(broken);
    },
  }),
};

export const deferredIsBudgetOnly: Guarantee = {
  name: 'only-budgets-are-deferred',
  says: 'A decision is deferred exactly when it is a SOFT of `check` and all its reasons are budgets.',
  watch: (_, violate) => ({
    decided: ({ op, decision }) => {
      if (decision === null) return;
      const { outcome, reasons, deferred } = decision;
      const isBudget =
        op === 'check' && outcome === 'SOFT_BLOCK' && reasons.every(({ rule }) => rule === 'budget');
      if (deferred !== isBudget) violate(`deferred is ${deferred}`);
    },
  }),
};

export const successStoppedByHardOnly = ofNormalDecisions(
  'success-is-never-stopped-by-soft-or-budget',
  'Right credentials are refused by a running HARD block only.',
  ({ op }, { outcome, reasons }) => {
    if (op !== 'succeed' || outcome === 'ALLOW') return null;
    if (outcome === 'SOFT_BLOCK') return 'a success was answered with SOFT';
    return reasons.every(({ rule }) => rule === 'blocked') ? null : 'a success was refused by a rule';
  },
);

export const lowLevelsWithoutStore: Guarantee = {
  name: 'level-2-at-most-without-the-store',
  says: 'A decision made without the store never goes above level 2, and is one of `store` or `degraded`.',
  watch: (_, violate) => ({
    decided: ({ decision }) => {
      if (decision === null || decision.mode === 'NORMAL') return;
      if (decision.level > 2) violate(`level ${decision.level} in ${decision.mode}`);
      if (decision.reasons.some(({ rule }) => rule !== 'store' && rule !== 'degraded'))
        violate(`${decision.rule} in ${decision.mode}`);
    },
  }),
};
