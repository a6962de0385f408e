import { Fault } from '../../core/fault.ts';

/** How often the queue is rid of deadlines that were met, however far away the next one is. */
const tidyMs = 50;

/** Something that a deadline can end. */
export interface Expirable {
  expire(): void;
}

/** A deadline that was set. */
export class Deadline {
  readonly endsAtMs: number;
  #target: Expirable | null;

  constructor(endsAtMs: number, target: Expirable) {
    this.endsAtMs = endsAtMs;
    this.#target = target;
  }

  get isDone(): boolean {
    return this.#target === null;
  }

  /** What it was set for has come to its end in time. */
  done(): void {
    this.#target = null;
  }

  expire(): void {
    const target = this.#target;
    this.#target = null;
    target?.expire();
  }
}

/**
 * Ends everything that takes longer than the deadline. All deadlines have one length, so they come in the order in
 * which they were set: a queue and one timer do for any number of them.
 */
export class Deadlines {
  readonly deadlineMs: number;
  readonly #monotonicMs: () => number;
  #queue: Deadline[] = [];
  #isArmed = false;

  constructor(deadlineMs: number, monotonicMs: () => number) {
    this.deadlineMs = deadlineMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Expires `target` after the deadline unless it is done before. */
  start(target: Expirable): Deadline {
    const deadline = new Deadline(this.#monotonicMs() + this.deadlineMs, target);
    this.#queue.push(deadline);
    if (!this.#isArmed) this.#arm(this.deadlineMs);
    return deadline;
  }

  /** Settles as `work` does, or rejects with `STORE_TIMEOUT` at the deadline. `work` goes on, unheard. */
  async limit<T>(work: Promise<T>, what: string): Promise<T> {
    let deadline: Deadline | undefined;
    const late = new Promise<never>((_, reject) => {
      deadline = this.start({ expire: () => reject(this.timeout(what)) });
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      deadline?.done();
    }
  }

  timeout(what: string): Fault {
    return new Fault('STORE_TIMEOUT', `Redis did not answer ${what} within ${this.deadlineMs} ms.`);
  }

  /**
   * A timer that is due runs before the replies that came in meanwhile are looked at. One more turn of the event loop
   * lets these count, so that a pause of this process is not taken for one of the server.
   */
  #arm(delayMs: number): void {
    this.#isArmed = true;
    setTimeout(() => setImmediate(() => this.#sweep()), Math.max(1, Math.min(tidyMs, Math.ceil(delayMs))));
  }

  #sweep(): void {
    const nowMs = this.#monotonicMs();
    const open = this.#queue.findIndex((deadline) => !deadline.isDone && deadline.endsAtMs > nowMs);
    const past = open === -1 ? this.#queue : this.#queue.slice(0, open);
    this.#queue = open === -1 ? [] : this.#queue.slice(open);
    this.#isArmed = false;
    const next = this.#queue[0];
    if (next !== undefined) this.#arm(next.endsAtMs - nowMs);
    for (const deadline of past) deadline.expire();
  }
}
