import type { Key } from '../../core/records.ts';
import type { Deadline, Deadlines, Expirable } from '../deadlines.ts';
import type { GroupStep } from '../store.ts';
import type { ReadingRecords } from './reading-records.ts';

/** A step that waits for its turn, or for its commit. */
export abstract class WaitingStep {
  readonly #step: GroupStep<unknown>;
  #value: unknown;
  #hasThrown = false;

  constructor(step: GroupStep<unknown>) {
    this.#step = step;
  }

  get keys(): readonly Key[] {
    return this.#step.keys;
  }

  /** Nobody waits for it once its deadline has come. */
  abstract get isOpen(): boolean;

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
    if (this.#hasThrown) this.fail(this.#value);
    else this.succeed(this.#value);
  }

  abstract fail(cause: unknown): void;

  protected abstract succeed(value: unknown): void;
}

/** The only step of its caller: one object for both, for every call of a limiter is one. */
export class LoneStep extends WaitingStep implements Expirable {
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (cause: unknown) => void;
  readonly #deadlines: Deadlines;
  readonly #deadline: Deadline;

  constructor(
    step: GroupStep<unknown>,
    deadlines: Deadlines,
    resolve: (value: unknown) => void,
    reject: (cause: unknown) => void,
  ) {
    super(step);
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadlines = deadlines;
    this.#deadline = deadlines.start(this);
  }

  get isOpen(): boolean {
    return !this.#deadline.isDone;
  }

  expire(): void {
    this.#reject(this.#deadlines.timeout('a commit'));
  }

  fail(cause: unknown): void {
    this.#deadline.done();
    this.#reject(cause);
  }

  protected succeed(value: unknown): void {
    this.#deadline.done();
    this.#resolve(value);
  }
}

/** One of several steps that a caller waits for. */
export class StepOfCall extends WaitingStep {
  readonly #call: StepCall;
  readonly #place: number;

  /** @param place is that of the step among those of its call */
  constructor(step: GroupStep<unknown>, call: StepCall, place: number) {
    super(step);
    this.#call = call;
    this.#place = place;
  }

  get isOpen(): boolean {
    return this.#call.isOpen;
  }

  fail(cause: unknown): void {
    this.#call.fail(cause);
  }

  protected succeed(value: unknown): void {
    this.#call.settle(this.#place, value);
  }
}

/** Steps of different groups that one caller waits for. */
export class StepCall implements Expirable {
  readonly #values: unknown[];
  readonly #resolve: (values: readonly unknown[]) => void;
  readonly #reject: (cause: unknown) => void;
  readonly #deadlines: Deadlines;
  readonly #deadline: Deadline;
  #left: number;

  /** @param resolve is told what so many steps returned, by their places, once the last one is written */
  constructor(
    steps: number,
    deadlines: Deadlines,
    resolve: (values: readonly unknown[]) => void,
    reject: (cause: unknown) => void,
  ) {
    this.#values = new Array(steps).fill(undefined);
    this.#left = steps;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadlines = deadlines;
    this.#deadline = deadlines.start(this);
  }

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
