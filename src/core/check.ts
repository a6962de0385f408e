import { type Context, lookAround } from './context.ts';
import { conclude, type Decision } from './decision.ts';
import { noSteps, type Operation } from './operation.ts';
import { isInShadow } from './policy.ts';
import type { Request } from './request.ts';

/** §4.1 check: what stops this request before credentials are looked at. Writes nothing. */
export function check(request: Request): Operation {
  return {
    keys: request.keys.viewed,
    isWarm: false,
    look: (records, t) => {
      const context = lookAround(records, request, t);
      const decision = decideCheck(context, request);
      return { isStopped: context.hard.length > 0, steps: noSteps, decide: () => decision };
    },
  };
}

function decideCheck(context: Context, { policy }: Request): Decision {
  if (context.hard.length > 0 || policy.kind === 'rate') return conclude(context.hard, context.t, policy);
  const { soft, budget } = context;
  const decision = conclude(budget === null ? soft : [...soft, budget], context.t, policy);
  const defers = budget !== null && soft.length === 0 && !isInShadow(policy, 'budget');
  return defers ? { ...decision, deferred: true } : decision;
}
