import { Fault } from '../core/fault.ts';

/** How often the queue is rid of deadlines that were met, however far away the next one is. */
const tidyMs = 50;

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
  readonly #entries: Entry[] = [];
  #running = 0;
  #timer: NodeJS.Timeout | null = null;

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
    this.#running += 1;
    if (this.#timer === null) this.#arm(this.#deadlineMs);
    else if (this.#running === 1) this.#timer.ref();
    return () => this.#end(entry);
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

  /** A timer that nobody waits for any more does not keep the process alive. */
  #end(entry: Entry): void {
    if (entry.expire === null) return;
    entry.expire = null;
    this.#running -= 1;
    if (this.#running === 0) this.#timer?.unref();
  }

  /**
   * A timer that is due runs before the replies that came in meanwhile are looked at. One more turn of the event loop
   * lets these count, so that a pause of this process is not taken for one of the server.
   */
  #arm(delayMs: number): void {
    const untilMs = Math.max(1, Math.min(tidyMs, Math.ceil(delayMs)));
    this.#timer = setTimeout(() => setImmediate(() => this.#sweep()), untilMs);
    if (this.#running === 0) this.#timer.unref();
  }

  #sweep(): void {
    const nowMs = this.#monotonicMs();
    const firstLeft = this.#entries.findIndex((entry) => entry.expire !== null && entry.endsAtMs > nowMs);
    const due = this.#entries.splice(0, firstLeft === -1 ? this.#entries.length : firstLeft);
    this.#timer = null;
    const [next] = this.#entries;
    if (next !== undefined) this.#arm(next.endsAtMs - nowMs);
    for (const entry of due) {
      const { expire } = entry;
      this.#end(entry);
      expire?.();
    }
  }
}
