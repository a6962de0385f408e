import { accountFailureStep } from './account-failure.ts';
import { type Context, lookAround } from './context.ts';
import { conclude, type Reason, type Scope } from './decision.ts';
import { dilutionStep } from './dilution.ts';
import { networkFailureStep } from './network-failure.ts';
import type { Operation, Step } from './operation.ts';
import { type CredentialPolicy, isInShadow } from './policy.ts';
import { prefixSteps } from './prefix-spray.ts';
import type { Request } from './request.ts';

/**
 * §4.2 fail: credentials were wrong. Each group answers for itself; one whose block stops this request writes nothing,
 * so a block is never extended or counted by what arrives while it runs.
 */
export function fail(request: Request<CredentialPolicy>): Operation {
  return {
    keys: request.keys.viewed,
    isWarm: true,
    look: (records, t) => {
      const context = lookAround(records, request, t);
      return {
        steps: failureSteps(request, context),
        decide: (reasons) => conclude(allReasons(reasons, context, request.policy), t, request.policy),
      };
    },
  };
}

function failureSteps(request: Request<CredentialPolicy>, context: Context): readonly Step[] {
  const { keys, subject, policy } = request;
  const account =
    keys.account && !isBlocked(context, accountGroup)
      ? accountFailureStep(keys.account, request, context)
      : null;
  if (isBlocked(context, networkGroup)) return listOf(account, null, null);
  const network = context.known ? null : networkFailureStep(request, context);
  const dilution =
    keys.device && subject.device && context.admitted && !isBlocked(context, deviceGroup)
      ? dilutionStep(keys.device, subject.device, request, context)
      : null;
  const steps = listOf(account, network, dilution);
  const { prefixes } = policy.correlation;
  if (prefixes === null || subject.macros === null || subject.account === null || context.known) return steps;
  return [...steps, ...prefixSteps(subject.macros, subject.account, request, context, prefixes)];
}

function isBlocked({ hard }: Context, group: readonly Scope[]): boolean {
  return hard.length > 0 && hard.some(({ scope }) => group.includes(scope));
}

/** Those that there are. Nearly every failure has all three, and a list that is pushed to takes room for sixteen. */
function listOf(account: Step | null, network: Step | null, dilution: Step | null): readonly Step[] {
  if (account !== null && network !== null && dilution !== null) return [account, network, dilution];
  return [account, network, dilution].filter((step) => step !== null);
}

const accountGroup: readonly Scope[] = ['K4', 'K5'];
const networkGroup: readonly Scope[] = ['K3', 'K2', 'K1'];
const deviceGroup: readonly Scope[] = ['D'];

/** The blocks that were running, what the groups have said, and stored SOFT blocks of keys on which no rule has spoken. */
function allReasons(
  answered: readonly Reason[],
  { hard, soft }: Context,
  policy: CredentialPolicy,
): readonly Reason[] {
  if (hard.length === 0 && soft.length === 0) return answered;
  const spoken = [...hard, ...answered];
  const enforced = spoken.filter(({ rule }) => !isInShadow(policy, rule));
  return [...spoken, ...soft.filter(({ scope }) => !enforced.some((reason) => reason.scope === scope))];
}
