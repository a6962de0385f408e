import type { Decision, Reason } from '../core/decision.ts';
import {
  type Answer,
  type Course,
  noReasons,
  noSteps,
  type Operation,
  type Step,
  silence,
} from '../core/operation.ts';
import type { Records } from '../core/records.ts';
import type { ImmediateStore, Store } from '../stores/store.ts';

const isStopped = (course: Course): boolean => course.isStopped;
const cold = { isStopped };
const warm = { isWarm: true, isStopped };

/** As much of a store as an operation needs. */
export type OperationStore = Pick<Store, 'view' | 'transact'>;

/**
 * Runs an operation: one view, then all groups at once (a store that pipelines sends them together), then their
 * remote effects. `at` hands the time in; without it the time is the store's.
 */
export async function runOperation(
  store: OperationStore,
  operation: Operation,
  at?: number,
): Promise<Decision> {
  const { keys, isWarm } = operation;
  const look = (records: Records, now: number) => operation.look(records, at ?? now);
  const course = await store.view(keys, look, isWarm ? warm : cold);
  if (course.steps.length === 0) return course.decide(noReasons);
  const spoken: Reason[] = [];
  let pending: readonly Step[] = course.steps;
  while (pending.length > 0) {
    const answers = await Promise.all(
      pending.map((step) => store.transact(step.keys, (records) => step.run(records))),
    );
    pending = gather(answers, spoken);
  }
  return course.decide(spoken);
}

/** The decision of an operation that writes nothing, by a view without a promise; null when it has steps to take. */
export function decideNow(view: ImmediateStore['view'], operation: Operation, at?: number): Decision | null {
  const course = view(operation.keys, (records, now) => operation.look(records, at ?? now));
  return course.steps.length === 0 ? course.decide(noReasons) : null;
}

/** The same, on a store that answers at once. */
export function runImmediately(store: ImmediateStore, operation: Operation, at?: number): Decision {
  const course = store.view(operation.keys, (records, now) => operation.look(records, at ?? now));
  if (course.steps.length === 0) return course.decide(noReasons);
  let current: Step | undefined;
  // One function for all steps: it is made at every operation.
  const runCurrent = (records: Records): Answer => current?.run(records) ?? silence;
  let spoken: readonly Reason[] = noReasons;
  let pending = course.steps;
  while (pending.length > 0) {
    let effects = noSteps;
    for (const step of pending) {
      current = step;
      const answer = store.transact(step.keys, runCurrent);
      if (answer === silence) continue;
      spoken = spoken.length === 0 ? answer.reasons : [...spoken, ...answer.reasons];
      if (answer.effects.length > 0) effects = [...effects, ...answer.effects];
    }
    pending = effects;
  }
  return course.decide(spoken);
}

/** Adds the reasons of all answers to what has been spoken; gives the remote effects that are still to be applied. */
function gather(answers: readonly Answer[], spoken: Reason[]): readonly Step[] {
  let effects: Step[] | null = null;
  for (const answer of answers) {
    for (const reason of answer.reasons) spoken.push(reason);
    if (answer.effects.length > 0) effects = [...(effects ?? []), ...answer.effects];
  }
  return effects ?? noSteps;
}
