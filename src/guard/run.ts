import type { Decision, Reason } from '../core/decision.ts';
import {
  type Answer,
  type Course,
  noReasons,
  noSteps,
  type Operation,
  type Step,
  silence,
  unseen,
} from '../core/operation.ts';
import type { Records } from '../core/records.ts';
import { groupsOf } from '../stores/group-tag.ts';
import type { GroupStep, ImmediateStore, Store } from '../stores/store.ts';
import { transactEach } from '../stores/transact-each.ts';

/** What was not shown enough is asked for anew with all records, and proves its own answer then. */
const isStopped = (course: Course): boolean => course.isStopped || course === unseen;
const cold = { isStopped };
const warm = { isWarm: true, isStopped };

/** As much of a store as an operation needs. */
export interface OperationStore extends Pick<Store, 'view' | 'viewNow' | 'hasPending'> {
  transactEach<T>(steps: readonly GroupStep<T>[]): Promise<readonly T[]>;
}

/** A store as operations need it. */
export function operationStore(store: Store): OperationStore {
  return {
    view: (keys, look, options) => store.view(keys, look, options),
    viewNow: store.viewNow?.bind(store),
    hasPending: store.hasPending?.bind(store),
    transactEach: (steps) => transactEach(store, steps),
  };
}

/** Is told how the operations on a store end; what it gives is what their callers get. */
export interface Ending<S extends OperationStore> {
  decided(store: S, decision: Decision): Decision;
  failed(store: S, cause: unknown): Decision | Promise<Decision>;
}

/** For operations whose end nobody wants to hear of beside the caller. */
const unheard: Ending<OperationStore> = {
  decided: (_, decision) => decision,
  failed: (_, cause) => {
    throw cause;
  },
};

/**
 * Runs an operation: one view (more where it has to see more, or to wait for its turn), then all groups at once (a store that
 * pipelines sends them together), then their remote effects. `at` hands the time in; without it the time is the store's. Where the store shows
 * its records at once there is no promise for that, and none at all where nothing is written. One promise takes the answers
 * of the store to the caller: each further one of an operation that waits would keep more memory alive than its records do.
 */
export function runOperation<S extends OperationStore>(
  store: S,
  operation: Operation,
  at?: number,
  ending: Ending<S> = unheard,
): Decision | Promise<Decision> {
  return lookAt(store, operation, at, ending, waitOf(store, operation));
}

/** Whether an operation waits for steps that were asked for before it: for those there are, or for any that come up as it looks. */
type Wait = 'none' | 'some' | 'any';

function waitOf(store: OperationStore, { isInTurn, keys }: Operation): Wait {
  if (!isInTurn) return 'none';
  return store.hasPending?.(keys) ? 'some' : 'any';
}

function lookAt<S extends OperationStore>(
  store: S,
  operation: Operation,
  at: number | undefined,
  ending: Ending<S>,
  wait: Wait,
): Decision | Promise<Decision> {
  const { keys, isWarm } = operation;
  const options = isWarm ? warm : cold;
  const look = (records: Records, now: number) => operation.look(records, at ?? now);
  try {
    const course = store.viewNow?.(keys, look, options);
    if (course !== undefined) return begin(store, operation, course, at, ending, wait);
    return store.view(keys, look, options).then(
      (viewed) => begin(store, operation, viewed, at, ending, wait),
      (cause: unknown) => ending.failed(store, cause),
    );
  } catch (cause) {
    return ending.failed(store, cause);
  }
}

function begin<S extends OperationStore>(
  store: S,
  operation: Operation,
  course: Course,
  at: number | undefined,
  ending: Ending<S>,
  wait: Wait,
): Decision | Promise<Decision> {
  if (course === unseen) return lookAt(store, operation.wider(), at, ending, wait);
  if (course.isOvertakable && isDue(wait, store, operation)) {
    return lookInTurn(store, operation, at, ending, wait === 'some' ? 'any' : 'none');
  }
  return follow(store, course, course.steps, noReasons, ending);
}

/**
 * Asked after the view too: failures of the same moment may have had a view of their own to wait for, and have their steps
 * only now.
 */
function isDue(wait: Wait, store: OperationStore, { keys }: Operation): boolean {
  return wait === 'some' || (wait === 'any' && (store.hasPending?.(keys) ?? true));
}

/** Looks once more, when all that was asked for before on these records has ended. */
function lookInTurn<S extends OperationStore>(
  store: S,
  operation: Operation,
  at: number | undefined,
  ending: Ending<S>,
  wait: Wait,
): Promise<Decision> {
  return store.transactEach(groupsOf(operation.keys).map((keys) => ({ keys, run: pass }))).then(
    () => lookAt(store, operation, at, ending, wait),
    (cause: unknown) => ending.failed(store, cause),
  );
}

/** A step that has nothing to do but to have its turn. */
const pass = (): void => undefined;

/** Takes these steps of a course and what follows from them, and decides. */
function follow<S extends OperationStore>(
  store: S,
  course: Course,
  steps: readonly Step[],
  spoken: readonly Reason[],
  ending: Ending<S>,
): Decision | Promise<Decision> {
  try {
    if (steps.length === 0) return ending.decided(store, course.decide(spoken));
    return store.transactEach(steps).then(
      (answers) => goOn(store, course, answers, spoken, ending),
      (cause: unknown) => ending.failed(store, cause),
    );
  } catch (cause) {
    return ending.failed(store, cause);
  }
}

function goOn<S extends OperationStore>(
  store: S,
  course: Course,
  answers: readonly Answer[],
  before: readonly Reason[],
  ending: Ending<S>,
): Decision | Promise<Decision> {
  let spoken = before;
  let effects = noSteps;
  for (const answer of answers) {
    spoken = joined(spoken, answer.reasons);
    effects = joined(effects, answer.effects);
  }
  return follow(store, course, effects, spoken, ending);
}

/** The same, on a store that answers at once: nothing comes between look and steps, so that all of them are one. */
export function runImmediately(store: ImmediateStore, operation: Operation, at?: number): Decision {
  const decision = store.transact(operation.keys, (records, now) => decideOn(records, operation, at ?? now));
  return decision ?? runImmediately(store, operation.wider(), at);
}

/** Null where the operation was not shown enough; then it has changed nothing. */
function decideOn(records: Records, operation: Operation, t: number): Decision | null {
  const course = operation.look(records, t);
  if (course === unseen) return null;
  return course.decide(course.steps.length === 0 ? noReasons : spokenIn(course.steps, records));
}

/** What these steps say, and those that follow from them. */
function spokenIn(steps: readonly Step[], records: Records): readonly Reason[] {
  let spoken = noReasons;
  let effects = noSteps;
  for (let place = 0; place < steps.length; place += 1) {
    const answer = (steps[place] as Step).run(records);
    if (answer === silence) continue;
    spoken = joined(spoken, answer.reasons);
    effects = joined(effects, answer.effects);
  }
  return effects.length === 0 ? spoken : joined(spoken, spokenIn(effects, records));
}

/** Nearly always one of the two is empty, and no list has to be made. */
function joined<T>(some: readonly T[], more: readonly T[]): readonly T[] {
  if (more.length === 0) return some;
  return some.length === 0 ? more : [...some, ...more];
}
