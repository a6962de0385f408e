import type { Rule } from '../core/decision.ts';
import { type CredentialPolicy, type Policy, rulesOf } from '../core/policy.ts';
import type { Problem } from './problem.ts';

/** Problems that no single field shows: numbers that contradict each other. Empty when the policy makes sense. */
export function policyProblems(policy: Policy, path: string): Problem[] {
  const problems: Problem[] = [];
  const demand = (holds: boolean, problem: string) => {
    const [field = '', message = ''] = problem.split(': ', 2);
    if (!holds) problems.push({ path: `${path}.${field}`, message });
  };
  const { durationsMs } = policy.ladder;
  demand(isRising(durationsMs), 'ladder.durationsMs: each level must last longer than the one below it');
  const longest = Math.max(...durationsMs);
  demand(policy.retention.recordMs > longest, 'retention.recordMs: must be longer than the longest block');
  demand(policy.retention.bookMs >= policy.retention.recordMs, 'retention.bookMs: must be at least recordMs');
  if (policy.kind === 'credential') demandCredential(policy, demand);
  problems.push(...shadowProblems(policy, policy.shadow ?? [], `${path}.shadow`));
  return problems;
}

function demandCredential(policy: CredentialPolicy, demand: (holds: boolean, problem: string) => void): void {
  const { score, budget, correlation, ladder } = policy;
  demand(score.softFrom >= 1, 'score.softFrom: must be at least 1');
  demand(
    isRising([score.softFrom, score.hardFrom, score.severeFrom]),
    'score: softFrom < hardFrom < severeFrom must hold',
  );
  demand(budget.level <= ladder.maxLevel, 'budget.level: must not be above ladder.maxLevel');
  demand(budget.trustedLevel <= budget.level, 'budget.trustedLevel: must not be above level');
  demand(
    correlation.dilution.confirmFromMs < correlation.dilution.confirmUntilMs,
    'correlation.dilution: confirmFromMs < confirmUntilMs must hold',
  );
  demand(
    correlation.flood.capacity >= correlation.flood.count,
    'correlation.flood.capacity: must be at least count',
  );
}

/** Rules in shadow that the policy does not have: whoever names one expects something of it. */
export function shadowProblems(policy: Policy, shadow: readonly Rule[], path: string): Problem[] {
  const own = rulesOf(policy);
  return shadow.flatMap((rule, index) =>
    own.includes(rule) ? [] : [{ path: `${path}[${index}]`, message: `is not one of ${own.join(', ')}` }],
  );
}

const isRising = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
