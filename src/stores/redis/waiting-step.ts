import { Fault } from '../../core/fault.ts';
import type { Key, Records } from '../../core/records.ts';
import type { Deadline, Deadlines, Expirable } from '../deadlines.ts';
import { StepRecords } from '../step-records.ts';
import { type Write, writeOf } from './envelope.ts';
import type { Reading } from './record-cache.ts';

/** What steps have put, by key text. */
export type Writes = Map<string, Write>;

export type Step = (records: Records, now: number) => unknown;

/** A step that waits for its turn, or for its commit. */
export class WaitingStep implements Expirable {
  readonly keys: readonly Key[];
  readonly #step: Step;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (cause: unknown) => void;
  #deadline: Deadline | undefined;
  #timeout: () => Fault = () => new Fault('STORE_TIMEOUT', 'A commit took too long.');
  #value: unknown;
  #hasThrown = false;

  constructor(
    keys: readonly Key[],
    step: Step,
    resolve: (value: unknown) => void,
    reject: (cause: unknown) => void,
  ) {
    this.keys = keys;
    this.#step = step;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Nobody waits for it once its deadline has come. */
  get isOpen(): boolean {
    return this.#deadline?.isDone === false;
  }

  limit(deadlines: Deadlines): void {
    this.#timeout = () => deadlines.timeout('a commit');
    this.#deadline = deadlines.start(this);
  }

  expire(): void {
    this.#reject(this.#timeout());
  }

  /** Runs the step on top of earlier ones. What it throws drops its own puts only. */
  run(reading: Reading, now: number, writes: Writes): void {
    const find = (text: string) => writes.get(text)?.value ?? reading.get(text)?.valueAt(now);
    const records = new StepRecords(this.keys, find, 'step');
    this.#hasThrown = false;
    try {
      this.#value = this.#step(records, now);
      for (const [text, { value, retention }] of records.puts)
        writes.set(text, writeOf(value, retention, now));
    } catch (thrown) {
      this.#value = thrown;
      this.#hasThrown = true;
    } finally {
      records.end();
    }
  }

  /** Tells what the step came to, now that the records it rests on have proved current. */
  settle(): void {
    this.#deadline?.done();
    if (this.#hasThrown) this.#reject(this.#value);
    else this.#resolve(this.#value);
  }

  fail(cause: unknown): void {
    this.#deadline?.done();
    this.#reject(cause);
  }
}
