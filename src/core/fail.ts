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
        decide: (reasons) => aggregate(allReasons(reasons, context), t),
      };
    },
  };
}

function failureSteps(request: Request<CredentialPolicy>, context: Context): Step[] {
  const { keys, subject, policy } = request;
  const isBlocked = (group: readonly Scope[]) => context.hard.some(({ scope }) => group.includes(scope));
  const account =
    keys.account && !isBlocked(accountGroup) ? [accountFailureStep(keys.account, request, context)] : [];
  if (isBlocked(networkGroup)) return account;
  const steps = context.known ? account : [...account, networkFailureStep(request, context)];
  if (keys.device && subject.device && context.admitted && !isBlocked(deviceGroup)) {
    steps.push(dilutionStep(keys.device, subject.device, request, context));
  }
  const { prefixes } = policy.correlation;
  if (prefixes && subject.macros && subject.account && !context.known) {
    steps.push(...prefixSteps(subject.macros, subject.account, request, context, prefixes));
  }
  return steps;
}

const accountGroup: readonly Scope[] = ['K4', 'K5'];
const networkGroup: readonly Scope[] = ['K3', 'K2', 'K1'];
const deviceGroup: readonly Scope[] = ['D'];

/** The blocks that were running, what the groups have said, and stored SOFT blocks of keys on which no rule has spoken. */
function allReasons(answered: readonly Reason[], { hard, soft }: Context): readonly Reason[] {
  if (hard.length === 0 && soft.length === 0) return answered;
  const spoken = [...hard, ...answered];
  return [...spoken, ...soft.filter(({ scope }) => !spoken.some((reason) => reason.scope === scope))];
}
