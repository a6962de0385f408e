import { AccountFailureStep } from './account-failure.ts';
import type { Context } from './context.ts';
import { conclude, type Decision, type Reason, type Scope } from './decision.ts';
import { DilutionStep } from './dilution.ts';
import { listOf } from './list.ts';
import { NetworkFailureStep } from './network-failure.ts';
import type { Course, Operation, Step } from './operation.ts';
import { type CredentialPolicy, isInShadow } from './policy.ts';
import { prefixSteps } from './prefix-spray.ts';
import type { Request } from './request.ts';
import { RequestOperation } from './request-operation.ts';

/**
 * §4.2 fail: credentials were wrong. Each group answers for itself; one whose block stops this request writes nothing,
 * so a block is never extended or counted by what arrives while it runs.
 */
export function fail(request: Request<CredentialPolicy>): Operation {
  return new RequestOperation(request, 'warm', followFailure);
}

const followFailure = (request: Request<CredentialPolicy>, context: Context): Course =>
  new FailureCourse(request, context);

class FailureCourse implements Course {
  readonly isStopped: boolean;
  /** Each of its steps looks for the blocks of its group again. */
  readonly isOvertakable = false;
  readonly steps: readonly Step[];
  readonly #policy: CredentialPolicy;
  readonly #context: Context;

  constructor(request: Request<CredentialPolicy>, context: Context) {
    this.isStopped = context.hard.length > 0;
    this.steps = failureSteps(request, context);
    this.#policy = request.policy;
    this.#context = context;
  }

  decide(reasons: readonly Reason[]): Decision {
    const context = this.#context;
    return conclude(allReasons(reasons, context, this.#policy), context.t, this.#policy);
  }
}

function failureSteps(request: Request<CredentialPolicy>, context: Context): readonly Step[] {
  const { keys, subject, policy } = request;
  const account =
    keys.account && !isBlocked(context, accountScopes)
      ? new AccountFailureStep(keys.account, request, context)
      : null;
  if (isBlocked(context, networkScopes)) return present(account, null, null);
  const network = context.known ? null : new NetworkFailureStep(request, context);
  const dilution =
    keys.device && subject.device && context.admitted && !isBlocked(context, deviceScopes)
      ? new DilutionStep(keys.device, subject.device, request, context)
      : null;
  const steps = present(account, network, dilution);
  const { prefixes } = policy.correlation;
  if (prefixes === null || subject.macros === null || subject.account === null || context.known) return steps;
  return [...steps, ...prefixSteps(subject.macros, subject.account, request, context, prefixes)];
}

function isBlocked({ hard }: Context, group: readonly Scope[]): boolean {
  return hard.length > 0 && hard.some(({ scope }) => group.includes(scope));
}

/** Those that there are. Nearly every failure has all three, and a list that is pushed to takes room for sixteen. */
function present(account: Step | null, network: Step | null, dilution: Step | null): readonly Step[] {
  if (account !== null && network !== null && dilution !== null) return listOf(account, network, dilution);
  return [account, network, dilution].filter((step) => step !== null);
}

const accountScopes: readonly Scope[] = ['K4', 'K5'];
const networkScopes: readonly Scope[] = ['K3', 'K2', 'K1'];
const deviceScopes: readonly Scope[] = ['D'];

/** The blocks that were running, what the groups have said, and stored SOFT blocks of keys on which no rule has spoken. */
function allReasons(
  answered: readonly Reason[],
  { hard, soft }: Context,
  policy: CredentialPolicy,
): readonly Reason[] {
  if (hard.length === 0 && soft.length === 0) return answered;
  const spoken = answered.length === 0 ? hard : [...hard, ...answered];
  if (soft.length === 0) return spoken;
  const enforced = spoken.filter(({ rule }) => !isInShadow(policy, rule));
  return [...spoken, ...soft.filter(({ scope }) => !enforced.some((reason) => reason.scope === scope))];
}
