import type { Decision, Reason } from '../core/decision.ts';
import type { Answer, Operation } from '../core/operation.ts';
import type { ImmediateStore, Store } from '../stores/store.ts';

/** Reasons of all answers, and the remote effects that are still to be applied. */
function gather(answers: readonly Answer[]) {
  return {
    reasons: answers.flatMap((answer) => answer.reasons),
    effects: answers.flatMap((answer) => answer.effects),
  };
}

/**
 * Runs an operation: one view, then all groups at once (a store that pipelines sends them together), then their
 * remote effects. `at` hands the time in; without it the time is the store's.
 */
export async function runOperation(store: Store, operation: Operation, at?: number): Promise<Decision> {
  const course = await store.view(operation.keys, (records, now) => operation.look(records, at ?? now));
  let pending = course.steps;
  const spoken: Reason[] = [];
  while (pending.length > 0) {
    const answers = await Promise.all(pending.map((step) => store.transact(step.keys, step.run)));
    const { reasons, effects } = gather(answers);
    spoken.push(...reasons);
    pending = effects;
  }
  return course.decide(spoken);
}

/** The same, on a store that answers at once. */
export function runImmediately(store: ImmediateStore, operation: Operation, at: number): Decision {
  const course = store.view(operation.keys, (records) => operation.look(records, at));
  let pending = course.steps;
  const spoken: Reason[] = [];
  while (pending.length > 0) {
    const { reasons, effects } = gather(pending.map((step) => store.transact(step.keys, step.run)));
    spoken.push(...reasons);
    pending = effects;
  }
  return course.decide(spoken);
}
