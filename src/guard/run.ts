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
import type { Key, Records } from '../core/records.ts';
import type { GroupStep, ImmediateStore, Store, ViewOptions } from '../stores/store.ts';
import { transactEach } from '../stores/transact-each.ts';

const isStopped = (course: Course): boolean => course.isStopped;
const cold = { isStopped };
const warm = { isWarm: true, isStopped };

/** As much of a store as an operation needs. */
export interface OperationStore extends Pick<Store, 'view' | 'viewNow'> {
  transactEach<T>(steps: readonly GroupStep<T>[]): Promise<readonly T[]>;
}

/** A store as operations need it. */
export function operationStore(store: Store): OperationStore {
  return {
    view: (keys, look, options) => store.view(keys, look, options),
    viewNow: store.viewNow?.bind(store),
    transactEach: (steps) => transactEach(store, steps),
  };
}

/**
 * Runs an operation: one view, then all groups at once (a store that pipelines sends them together), then their
 * remote effects. `at` hands the time in; without it the time is the store's. Where the store shows its records at once
 * there is no promise for that, and none at all where nothing is written; faults are thrown then.
 */
export function runOperation(
  store: OperationStore,
  operation: Operation,
  at?: number,
): Decision | Promise<Decision> {
  const { keys, isWarm } = operation;
  const options = isWarm ? warm : cold;
  const look = (records: Records, now: number) => operation.look(records, at ?? now);
  const course = store.viewNow?.(keys, look, options);
  if (course === undefined) return viewAndFollow(store, keys, look, options);
  return course.steps.length === 0 ? course.decide(noReasons) : follow(store, course);
}

async function viewAndFollow(
  store: OperationStore,
  keys: readonly Key[],
  look: (records: Records, now: number) => Course,
  options: ViewOptions<Course>,
): Promise<Decision> {
  const course = await store.view(keys, look, options);
  return course.steps.length === 0 ? course.decide(noReasons) : follow(store, course);
}

/** Takes the steps of a course and decides. */
async function follow(store: OperationStore, course: Course): Promise<Decision> {
  let spoken = noReasons;
  let pending = course.steps;
  while (pending.length > 0) {
    const answers = await store.transactEach(pending);
    pending = noSteps;
    for (const { reasons, effects } of answers) {
      spoken = joined(spoken, reasons);
      pending = joined(pending, effects);
    }
  }
  return course.decide(spoken);
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
      spoken = joined(spoken, answer.reasons);
      effects = joined(effects, answer.effects);
    }
    pending = effects;
  }
  return course.decide(spoken);
}

/** Nearly always one of the two is empty, and no list has to be made. */
function joined<T>(some: readonly T[], more: readonly T[]): readonly T[] {
  if (more.length === 0) return some;
  return some.length === 0 ? more : [...some, ...more];
}
