import type { Key, Records } from '../core/records.ts';
import type { Deadline, Deadlines } from './deadlines.ts';

/** A step that somebody waits for. */
export interface Call {
  readonly keys: readonly Key[];
  /** Runs the step. What it returns hands the result to the caller, once that is to be. */
  run(records: Records, now: number): () => void;
  reject(error: unknown): void;
  /** Whether the caller has been answered, perhaps by the deadline. */
  readonly isOver: boolean;
}

/** A call that is answered once: with its step's result, with a fault, or by its deadline. */
export class PendingCall<T> implements Call {
  readonly keys: readonly Key[];
  readonly promise: Promise<T>;
  isOver = false;
  readonly #step: (records: Records, now: number) => T;
  readonly #deadline: Deadline;
  #resolve: (value: T) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(keys: readonly Key[], step: (records: Records, now: number) => T, deadlines: Deadlines) {
    this.keys = keys;
    this.#step = step;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#deadline = deadlines.start({ expire: () => this.reject(deadlines.timeout()) });
  }

  run(records: Records, now: number): () => void {
    const value = this.#step(records, now);
    return () => {
      this.#end();
      this.#resolve(value);
    };
  }

  reject(error: unknown): void {
    this.#end();
    this.#reject(error);
  }

  #end(): void {
    this.isOver = true;
    this.#deadline.done();
  }
}
