import type { Decision, Mode, Outcome } from '../../core/decision.ts';

/** A reason as replay prints it: rules and scopes of the engine, of the limiter or of a scenario. */
export interface ReplayReason {
  readonly rule: string;
  readonly scope: string;
  readonly outcome: 'SOFT_BLOCK' | 'HARD_BLOCK';
  readonly level: number;
  readonly until: number;
}

/** A decision as replay prints it. A decision of the engine is one. */
export interface ReplayDecision extends Omit<Decision, 'rule' | 'scope' | 'reasons'> {
  readonly rule: string | null;
  readonly scope: string | null;
  readonly reasons: readonly ReplayReason[];
}

const allowed: ReplayDecision = Object.freeze({
  outcome: 'ALLOW',
  level: 0,
  until: 0,
  retryAfterMs: 0,
  rule: null,
  scope: null,
  deferred: false,
  mode: 'NORMAL',
  reasons: Object.freeze([]),
});

/** Reasons that stand in the order they are given: the worst class wins, then level, then end, as in the engine. */
export function decisionOf(
  reasons: readonly ReplayReason[],
  t: number,
  mode: Mode = 'NORMAL',
): ReplayDecision {
  if (reasons.length === 0) return mode === 'NORMAL' ? allowed : { ...allowed, mode };
  const outcome: Outcome = reasons.some((reason) => reason.outcome === 'HARD_BLOCK')
    ? 'HARD_BLOCK'
    : 'SOFT_BLOCK';
  const winning = reasons.filter((reason) => reason.outcome === outcome);
  const named = winning.reduce((best, reason) => (outranks(reason, best) ? reason : best));
  const until = Math.max(...winning.map((reason) => reason.until));
  const { level, rule, scope } = named;
  const retryAfterMs = Math.max(0, until - t);
  return { outcome, level, until, retryAfterMs, rule, scope, deferred: false, mode, reasons };
}

function outranks(a: ReplayReason, b: ReplayReason): boolean {
  return a.level > b.level || (a.level === b.level && a.until > b.until);
}
