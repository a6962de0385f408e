import { accountFailureStep } from './account-failure.ts';
import { type Context, lookAround } from './context.ts';
import { aggregate, type Reason, type Scope } from './decision.ts';
import { dilutionStep } from './dilution.ts';
import { networkFailureStep } from './network-failure.ts';
import type { Operation, Step } from './operation.ts';
import type { CredentialPolicy } from './policy.ts';
import { prefixSteps } from './prefix-spray.ts';
import { type Request, viewedKeys } from './request.ts';

/**
 * §4.2 fail: credentials were wrong. Each group answers for itself; one whose block stops this request writes nothing,
 * so a block is never extended or counted by what arrives while it runs.
 */
export function fail(request: Request<CredentialPolicy>): Operation {
  return {
    keys: viewedKeys(request.keys),
    look: (records, t) => {
      const context = lookAround(records, request, t);
      return {
        steps: failureSteps(request, context),
        decide: (reasons) => aggregate(withStandingSofts([...context.hard, ...reasons], context), t),
      };
    },
  };
}

function failureSteps(request: Request<CredentialPolicy>, context: Context): Step[] {
  const { keys, subject, policy } = request;
  const isBlocked = (...scopes: Scope[]) => context.hard.some(({ scope }) => scopes.includes(scope));
  const steps: Step[] = [];
  if (keys.account && !isBlocked('K4', 'K5')) steps.push(accountFailureStep(keys.account, request, context));
  if (isBlocked('K3', 'K2', 'K1')) return steps;
  if (!context.known) steps.push(networkFailureStep(request, context));
  if (keys.device && subject.device && context.admitted && !isBlocked('D')) {
    steps.push(dilutionStep(keys.device, subject.device, request, context));
  }
  const { prefixes } = policy.correlation;
  if (prefixes && subject.macros && subject.account && !context.known) {
    steps.push(...prefixSteps(subject.macros, subject.account, request, context, prefixes));
  }
  return steps;
}

/** Adds the stored SOFT blocks of keys on which no rule has spoken now. */
function withStandingSofts(reasons: readonly Reason[], context: Context): Reason[] {
  const spoken = new Set(reasons.map(({ scope }) => scope));
  return [...reasons, ...context.soft.filter(({ scope }) => !spoken.has(scope))];
}
