import { Fault } from '../../core/fault.ts';

interface Entry {
  readonly endsAtMs: number;
  expire: (() => void) | null;
}

/**
 * Ends everything that takes longer than the deadline. All deadlines have one length, so they come in the order in
 * which they were set: a queue and one timer do for any number of them.
 */
export class Deadlines {
  readonly #deadlineMs: number;
  readonly #monotonicMs: () => number;
  #entries: Entry[] = [];
  #head = 0;
  #isArmed = false;

  constructor(deadlineMs: number, monotonicMs: () => number) {
    this.#deadlineMs = deadlineMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Calls `expire` after the deadline unless the function it returns was called before. */
  start(expire: () => void): () => void {
    const entry: Entry = { endsAtMs: this.#monotonicMs() + this.#deadlineMs, expire };
    this.#entries.push(entry);
    if (!this.#isArmed) this.#arm(this.#deadlineMs);
    return () => {
      entry.expire = null;
    };
  }

  /** Settles as `work` does, or rejects with `STORE_TIMEOUT` at the deadline. `work` goes on, unheard. */
  limit<T>(work: Promise<T>, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = this.start(() => reject(this.timeout(what)));
      work.then(
        (value) => {
          done();
          resolve(value);
        },
        (cause) => {
          done();
          reject(cause);
        },
      );
    });
  }

  timeout(what: string): Fault {
    return new Fault('STORE_TIMEOUT', `Redis did not answer ${what} within ${this.#deadlineMs} ms.`);
  }

  /**
   * A timer that is due runs before the replies that came in meanwhile are looked at. One more turn of the event loop
   * lets these count, so that a pause of this process is not taken for one of the server.
   */
  #arm(delayMs: number): void {
    this.#isArmed = true;
    setTimeout(() => setImmediate(() => this.#sweep()), Math.max(1, Math.ceil(delayMs)));
  }

  #sweep(): void {
    const nowMs = this.#monotonicMs();
    let entry = this.#entries[this.#head];
    while (entry !== undefined && (entry.expire === null || entry.endsAtMs <= nowMs)) {
      this.#head += 1;
      const expire = entry.expire;
      entry.expire = null;
      expire?.();
      entry = this.#entries[this.#head];
    }
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
    this.#isArmed = false;
    const next = this.#entries[0];
    if (next !== undefined) this.#arm(next.endsAtMs - nowMs);
  }
}
