import type { Decision, Reason } from './decision.ts';
import { Fault } from './fault.ts';
import type { Key, Records } from './records.ts';

/** What a step gives: the reasons on the request's own keys, and effects on keys of other groups. */
export interface Answer {
  readonly reasons: readonly Reason[];
  /** Remote effects (engine contract §3), each its own step, applied right after all groups have run. */
  readonly effects: readonly Step[];
}

/** A pure step over the records of one group. Running it again on fresher records is always right. */
export interface Step {
  /** Where all steps of an operation are run at once nobody asks for them, so that they are put together when somebody does. */
  readonly keys: readonly Key[];
  run(records: Records): Answer;
}

/** What an operation does after its view: the steps of the groups, then one decision over all reasons. */
export interface Course {
  /** Whether a HARD block that was running stops the operation. */
  readonly isStopped: boolean;
  /**
   * Whether a guess of the same moment may bring what stops it, in a group that no step of it looks at again. The owner lane
   * is closed to guesses.
   */
  readonly isOvertakable: boolean;
  readonly steps: readonly Step[];
  decide(reasons: readonly Reason[]): Decision;
}

/** An operation of the engine: one view of all its records, then its course. */
export interface Operation {
  readonly keys: readonly Key[];
  /**
   * Whether a view of a moment ago will do: every block that could stop the operation lies in a group whose step looks
   * for it again.
   */
  readonly isWarm: boolean;
  /**
   * Whether its view counts only once the steps that were asked for before it have ended. So it is with right credentials: a
   * wrong guess of the same moment may have brought the block that refuses them (§4.3).
   */
  readonly isInTurn: boolean;
  /** Gives {@link unseen} where the records that were shown do not tell enough. */
  look(records: Records, t: number): Course;
  /** The same operation over all records that it may have to see. */
  wider(): Operation;
}

export const noReasons: readonly Reason[] = [];
export const noSteps: readonly Step[] = [];
/** What a look comes to that was not shown enough: the operation has to look again as {@link Operation.wider}. */
export const unseen: Course = {
  isStopped: false,
  isOvertakable: false,
  steps: noSteps,
  decide: () => {
    throw new Fault('INVARIANT_BROKEN', 'An operation was decided before it had seen enough.');
  },
};

export const silence: Answer = { reasons: noReasons, effects: noSteps };

/** An answer without effects. */
export function answer(reasons: readonly Reason[]): Answer {
  return reasons.length === 0 ? silence : { reasons, effects: noSteps };
}
