/** Decisions and how reasons add up to one (engine contract §4, orders of the surface contract). */

export type Outcome = 'ALLOW' | 'SOFT_BLOCK' | 'HARD_BLOCK';
export type Mode = 'NORMAL' | 'FAIL_CLOSED' | 'FAIL_OPEN' | 'DEGRADED';

/** Keys a reason can rest on, in the order reasons are listed. */
export const scopes = ['K4', 'K5', 'K3', 'D', 'K2', 'K1', 'P48', 'P40'] as const;
export type Scope = (typeof scopes)[number];

/** Rules that can speak, in the order reasons are listed. */
export const rules = [
  'blocked',
  'score',
  'budget',
  'guard',
  'equilibrium',
  'spray',
  'rotation',
  'rotation.repeat',
  'dilution',
  'churn',
  'flood',
  'prefix',
  'minor',
  'moderate',
  'severe',
  'degraded',
  'store',
] as const;
export type Rule = (typeof rules)[number];

/** One rule that spoke on one key of the request. */
export interface Reason {
  readonly rule: Rule;
  readonly scope: Scope;
  readonly outcome: 'SOFT_BLOCK' | 'HARD_BLOCK';
  readonly level: number;
  readonly until: number;
}

export interface Decision {
  readonly outcome: Outcome;
  /** 0 for ALLOW, else 1 to 6. */
  readonly level: number;
  /** Store time in ms at which the block ends; 0 for ALLOW. */
  readonly until: number;
  readonly retryAfterMs: number;
  readonly rule: Rule | null;
  readonly scope: Scope | null;
  /** Verify the credentials all the same: right ones get in, wrong ones get the block (§7). */
  readonly deferred: boolean;
  readonly mode: Mode;
  readonly reasons: readonly Reason[];
  /** What rules in shadow would have added; absent where there is nothing. */
  readonly shadow?: readonly Reason[];
}

const scopeOrder = new Map<Scope, number>(scopes.map((scope, index) => [scope, index]));
const ruleOrder = new Map<Rule, number>(rules.map((rule, index) => [rule, index]));

const place = (reason: Reason): number =>
  (scopeOrder.get(reason.scope) ?? 0) * rules.length + (ruleOrder.get(reason.rule) ?? 0);

/** Nearly always they are so already, and to sort a list takes longer than most rules. */
function inOrder(reasons: readonly Reason[]): readonly Reason[] {
  let before = -1;
  for (const reason of reasons) {
    const own = place(reason);
    if (own < before) return [...reasons].sort((a, b) => place(a) - place(b));
    before = own;
  }
  return reasons;
}

/** Whether `a` names the decision rather than `b`, which stands before it in order. */
function outranks(a: Reason, b: Reason): boolean {
  return a.level > b.level || (a.level === b.level && a.until > b.until);
}

/** Class first; then the highest level and the latest end of the winning class, which may come from two reasons. */
export function aggregate(reasons: readonly Reason[], t: number, mode: Mode = 'NORMAL'): Decision {
  if (reasons.length === 0) return allow(mode);
  const ordered = inOrder(reasons);
  const outcome = ordered.some((reason) => reason.outcome === 'HARD_BLOCK') ? 'HARD_BLOCK' : 'SOFT_BLOCK';
  let named: Reason | null = null;
  let until = 0;
  for (const reason of ordered) {
    if (reason.outcome !== outcome) continue;
    if (named === null || outranks(reason, named)) named = reason;
    until = Math.max(until, reason.until);
  }
  return {
    outcome,
    level: named?.level ?? 0,
    until,
    retryAfterMs: Math.max(0, until - t),
    rule: named?.rule ?? null,
    scope: named?.scope ?? null,
    deferred: false,
    mode,
    reasons: ordered,
  };
}

const plainAllow: Decision = Object.freeze({
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

/** The same, of a policy: what its rules in shadow say is told beside the decision and changes nothing of it. */
export function conclude(
  reasons: readonly Reason[],
  t: number,
  { shadow = noRules }: { readonly shadow?: readonly Rule[] },
): Decision {
  if (shadow.length === 0 || reasons.length === 0) return aggregate(reasons, t);
  const shadowed = reasons.filter(({ rule }) => shadow.includes(rule));
  if (shadowed.length === 0) return aggregate(reasons, t);
  return {
    ...aggregate(
      reasons.filter((reason) => !shadowed.includes(reason)),
      t,
    ),
    shadow: shadowed,
  };
}

const noRules: readonly Rule[] = [];

/** Nothing speaks against it. */
export function allow(mode: Mode = 'NORMAL'): Decision {
  return mode === 'NORMAL' ? plainAllow : { ...plainAllow, mode };
}
