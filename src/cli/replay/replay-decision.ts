import { allow, type Decision, type Mode, type Outcome } from '../../core/decision.ts';

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

/** Reasons that stand in the order they are given: the worst class wins, then level, then end, as in the engine. */
export function decisionOf(
  reasons: readonly ReplayReason[],
  t: number,
  mode: Mode = 'NORMAL',
): ReplayDecision {
  if (reasons.length === 0) return allow(mode);
  if (reasons.length === 1) return decisionBy(reasons[0] as ReplayReason, reasons, t, mode);
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

/** Most of those that are not allowed are so for one reason: here nothing has to be weighed. */
function decisionBy(
  { outcome, level, until, rule, scope }: ReplayReason,
  reasons: readonly ReplayReason[],
  t: number,
  mode: Mode,
): ReplayDecision {
  const retryAfterMs = Math.max(0, until - t);
  return { outcome, level, until, retryAfterMs, rule, scope, deferred: false, mode, reasons };
}

function outranks(a: ReplayReason, b: ReplayReason): boolean {
  return a.level > b.level || (a.level === b.level && a.until > b.until);
}
