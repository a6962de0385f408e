import type { Key, Records } from '../../core/records.ts';
import type { Deadline, Deadlines, Expirable } from '../deadlines.ts';
import { StepRecords } from '../step-records.ts';
import { Snapshot } from './envelope.ts';
import type { Reading } from './record-cache.ts';

/** What steps have put, by key text. */
export type Writes = Map<string, Snapshot>;

export type Step = (records: Records, now: number) => unknown;

/** A step that waits for its turn, or for its commit. */
export class WaitingStep implements Expirable {
  readonly keys: readonly Key[];
  readonly #step: Step;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (cause: unknown) => void;
  readonly #deadlines: Deadlines;
  readonly #deadline: Deadline;
  #value: unknown;
  #hasThrown = false;

  constructor(
    keys: readonly Key[],
    step: Step,
    deadlines: Deadlines,
    resolve: (value: unknown) => void,
    reject: (cause: unknown) => void,
  ) {
    this.keys = keys;
    this.#step = step;
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

  /** Runs the step on top of earlier ones. What it throws drops its own puts only. */
  run(reading: Reading, now: number, writes: Writes): void {
    const find = (text: string) => (writes.get(text) ?? reading.get(text))?.valueAt(now);
    const records = new StepRecords(this.keys, find, 'step');
    this.#hasThrown = false;
    try {
      this.#value = this.#step(records, now);
      records.puts.forEach(({ value, retention }, text) => {
        writes.set(text, Snapshot.unwritten(value, retention, now));
      });
    } catch (thrown) {
      this.#value = thrown;
      this.#hasThrown = true;
    } finally {
      records.end();
    }
  }

  /** Tells what the step came to, now that the records it rests on have proved current. */
  settle(): void {
    this.#deadline.done();
    if (this.#hasThrown) this.#reject(this.#value);
    else this.#resolve(this.#value);
  }

  fail(cause: unknown): void {
    this.#deadline.done();
    this.#reject(cause);
  }
}
