import type { Context } from './context.ts';
import { conclude, type Decision, type Reason } from './decision.ts';
import type { Course, Step } from './operation.ts';
import type { Policy } from './policy.ts';

/** A course that ends in the blocks that were running and in what its steps say. */
export class SteppedCourse implements Course {
  readonly isStopped: boolean;
  readonly steps: readonly Step[];
  readonly #context: Context;
  readonly #policy: Policy;

  constructor(context: Context, policy: Policy, steps: readonly Step[]) {
    this.isStopped = context.hard.length > 0;
    this.steps = steps;
    this.#context = context;
    this.#policy = policy;
  }

  decide(reasons: readonly Reason[]): Decision {
    const { hard, t } = this.#context;
    return conclude([...hard, ...reasons], t, this.#policy);
  }
}
