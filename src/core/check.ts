import type { Context } from './context.ts';
import { isOvertakable } from './course.ts';
import { conclude, type Decision } from './decision.ts';
import { type Course, noSteps, type Operation } from './operation.ts';
import { isInShadow } from './policy.ts';
import type { Request } from './request.ts';
import { RequestOperation } from './request-operation.ts';

/** §4.1 check: what stops this request before credentials are looked at. Writes nothing. */
export function check(request: Request): Operation {
  return new RequestOperation(request, 'fresh', followCheck);
}

/** The same once credentials were right and more is asked for: what a guess in parallel has brought meanwhile stops them. */
export function recheck(request: Request): Operation {
  return new RequestOperation(request, 'in turn', followCheck);
}

const followCheck = (request: Request, context: Context): Course => new CheckCourse(context, request);

class CheckCourse implements Course {
  readonly isStopped: boolean;
  readonly isOvertakable: boolean;
  readonly steps = noSteps;
  readonly #decision: Decision;

  constructor(context: Context, request: Request) {
    this.isStopped = context.hard.length > 0;
    this.isOvertakable = isOvertakable(context, request.policy);
    this.#decision = decideCheck(context, request);
  }

  decide(): Decision {
    return this.#decision;
  }
}

function decideCheck(context: Context, { policy }: Request): Decision {
  if (context.hard.length > 0 || policy.kind === 'rate') return conclude(context.hard, context.t, policy);
  const { soft, budget } = context;
  const decision = conclude(budget === null ? soft : [...soft, budget], context.t, policy);
  const defers = budget !== null && soft.length === 0 && !isInShadow(policy, 'budget');
  return defers ? { ...decision, deferred: true } : decision;
}
