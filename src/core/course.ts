import type { Context } from './context.ts';
import { conclude, type Decision, type Reason } from './decision.ts';
import type { Course, Step } from './operation.ts';
import type { Policy } from './policy.ts';

/** Whether others may bring a block that would stop this request: all but those on the owner's device may. */
export function isOvertakable({ hard, trusted }: Context, { ownerLane }: Policy): boolean {
  return hard.length === 0 && !(trusted && ownerLane);
}

/** A course that ends in the blocks that were running and in what its steps say. */
export class SteppedCourse implements Course {
  readonly isStopped: boolean;
  readonly isOvertakable: boolean;
  readonly steps: readonly Step[];
  readonly #context: Context;
  readonly #policy: Policy;

  constructor(context: Context, policy: Policy, steps: readonly Step[]) {
    this.isStopped = context.hard.length > 0;
    this.isOvertakable = isOvertakable(context, policy);
    this.steps = steps;
    this.#context = context;
    this.#policy = policy;
  }

  decide(reasons: readonly Reason[]): Decision {
    const { hard, t } = this.#context;
    return conclude([...hard, ...reasons], t, this.#policy);
  }
}
