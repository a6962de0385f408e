import { Fault } from '../core/fault.ts';

interface Entry {
  readonly endsAtMs: number;
  expire: (() => void) | null;
}

/**
 * Ends everything that takes longer than the deadline. All deadlines have one length, so they come in the order in
 * which they were set: a queue and one timer do for any number of them.
 */
export class Deadlines {
  readonly #who: string;
  readonly #deadlineMs: number;
  readonly #monotonicMs: () => number;
  #entries: Entry[] = [];
  #isArmed = false;

  /** @param who is named in the fault: the store or its server. */
  constructor(who: string, deadlineMs: number, monotonicMs: () => number) {
    this.#who = who;
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
  limit<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = this.start(() => reject(this.timeout()));
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

  timeout(): Fault {
    return new Fault('STORE_TIMEOUT', `${this.#who} did not answer within ${this.#deadlineMs} ms.`);
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
    const entries = this.#entries;
    let ended = 0;
    for (const entry of entries) {
      if (entry.expire !== null && entry.endsAtMs > nowMs) break;
      ended += 1;
    }
    this.#entries = entries.slice(ended);
    this.#isArmed = false;
    const next = this.#entries[0];
    if (next !== undefined) this.#arm(next.endsAtMs - nowMs);
    for (const entry of entries.slice(0, ended)) entry.expire?.();
  }
}
