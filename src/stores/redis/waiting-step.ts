import type { Key } from '../../core/records.ts';
import type { Deadline, Deadlines, Expirable } from '../deadlines.ts';
import type { GroupStep } from '../store.ts';
import type { ReadingRecords } from './reading-records.ts';

/** Steps of different groups that one caller waits for. */
export class StepCall implements Expirable {
  readonly #values: unknown[];
  readonly #resolve: (values: readonly unknown[]) => void;
  readonly #reject: (cause: unknown) => void;
  readonly #deadlines: Deadlines;
  readonly #deadline: Deadline;
  #left: number;

  /**
   * @param steps as many as there are; which ones does not matter
   * @param resolve is told what the steps returned, in their order, once the last one is written
   */
  constructor(
    steps: readonly unknown[],
    deadlines: Deadlines,
    resolve: (values: readonly unknown[]) => void,
    reject: (cause: unknown) => void,
  ) {
    this.#values = steps.map(() => undefined);
    this.#left = steps.length;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadlines = deadlines;
    this.#deadline = deadlines.start(this);
  }

  /** Nobody waits for it once its deadline has come. */
  get isOpen(): boolean {
    return !this.#deadline.isDone;
  }

  expire(): void {
    this.#reject(this.#deadlines.timeout('a commit'));
  }

  settle(place: number, value: unknown): void {
    this.#values[place] = value;
    this.#left -= 1;
    if (this.#left > 0) return;
    this.#deadline.done();
    this.#resolve(this.#values);
  }

  fail(cause: unknown): void {
    this.#deadline.done();
    this.#reject(cause);
  }
}

/** A step that waits for its turn, or for its commit. */
export class WaitingStep {
  readonly #step: GroupStep<unknown>;
  readonly #call: StepCall;
  readonly #place: number;
  #value: unknown;
  #hasThrown = false;

  /** @param place is that of the step among those of its call */
  constructor(step: GroupStep<unknown>, call: StepCall, place: number) {
    this.#step = step;
    this.#call = call;
    this.#place = place;
  }

  get keys(): readonly Key[] {
    return this.#step.keys;
  }

  get isOpen(): boolean {
    return this.#call.isOpen;
  }

  /** Runs the step on top of earlier ones. What it throws is for its caller alone. */
  run(records: ReadingRecords): void {
    this.#hasThrown = false;
    try {
      this.#value = records.run(this.#step);
    } catch (thrown) {
      this.#value = thrown;
      this.#hasThrown = true;
    }
  }

  /** Tells what the step came to, now that the records it rests on have proved current. */
  settle(): void {
    if (this.#hasThrown) this.#call.fail(this.#value);
    else this.#call.settle(this.#place, this.#value);
  }

  fail(cause: unknown): void {
    this.#call.fail(cause);
  }
}
