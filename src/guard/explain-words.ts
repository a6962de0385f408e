import type { Decision, Mode, Reason, Scope } from '../core/decision.ts';
import { waitText } from '../core/span-text.ts';
import type { BudgetExplanation, Explanation, KeyExplanation } from './explanation.ts';

/** What each key is, for a person. */
const scopeWords: Readonly<Record<Scope, string>> = {
  K4: 'the account',
  K5: 'this device of the account',
  K3: 'this device at this network',
  D: 'this device anywhere',
  K2: 'this user agent at this network',
  K1: 'this network',
  P48: 'the /48 around this network',
  P40: 'the /40 around this network',
};

/** Who decides while the store does not. */
const modeWords: Readonly<Record<Exclude<Mode, 'NORMAL'>, string>> = {
  DEGRADED: 'local caps decide while the store is away',
  FAIL_OPEN: 'calls pass up to the local guardrails while the store is away',
  FAIL_CLOSED: 'everybody is refused while the store is away',
};

/** An explanation in whole sentences, a line each. */
export function describeExplanation(explanation: Omit<Explanation, 'words'>): string[] {
  const { at, keys, budget, now, next, device, admitted } = explanation;
  return [
    ...describeNow(now, at),
    `The device is ${device}${device === 'missing' || admitted ? '' : ', and this network has shown too many new ones lately'}.`,
    ...keys.map((key) => describeKey(key, at)),
    ...(budget ? [describeBudget(budget, at)] : []),
    `The next ${next.op === 'fail' ? 'failure' : 'call'} would give: ${describeDecision(next.decision, at)}`,
  ];
}

/** Of a policy that does not decide on its store the records are told as such, and never as what happens now. */
function describeNow(now: Decision, at: number): string[] {
  const told = describeDecision(now, at);
  if (now.mode === 'NORMAL') return [`Now: ${told}`];
  return [
    `The policy is ${now.mode}: ${modeWords[now.mode]}. What follows is what the store says.`,
    `By the store: ${told}`,
  ];
}

function describeDecision(decision: Decision, at: number): string {
  if (decision.outcome === 'ALLOW') return 'ALLOW.';
  const head = `${decision.outcome} level ${decision.level} for ${waitText(decision.until - at)}`;
  const deferred = decision.deferred ? ' (deferred: right credentials still get in)' : '';
  return `${head}${deferred}: ${decision.reasons.map(describeReason).join('; ')}.`;
}

const describeReason = ({ rule, scope, level }: Reason): string =>
  rule === 'blocked'
    ? `${scopeWords[scope]} (${scope}) is blocked at level ${level}`
    : `${rule} on ${scopeWords[scope]} (${scope}), level ${level}`;

function describeKey(
  { scope, stops, score, rememberedLevel, hard, soft }: KeyExplanation,
  at: number,
): string {
  const facts = [
    score === 0 ? 'score 0' : `score ${score} as of its last change`,
    `remembers level ${rememberedLevel}`,
  ];
  if (hard) facts.push(`HARD level ${hard.level} for ${waitText(hard.until - at)}`);
  if (soft) facts.push(`SOFT level ${soft.level} for ${waitText(soft.until - at)}`);
  return `${scope}, ${scopeWords[scope]}: ${facts.join(', ')}${stops ? '' : '; a block here does not stop this request'}.`;
}

function describeBudget(
  { active, failures, threshold, epochEnds, soft }: BudgetExplanation,
  at: number,
): string {
  if (!active || epochEnds === null) return `Budget: ${failures} of ${threshold} eligible failures.`;
  const shown = soft ? `, SOFT level ${soft.level} for ${waitText(soft.until - at)}` : '';
  return `Budget: active for another ${waitText(epochEnds - at)}${shown}; right credentials get in all the same.`;
}
