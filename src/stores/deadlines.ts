import { STANDSTILL_MS } from '../core/duration.ts';
import { Fault } from '../core/fault.ts';

/** How often the queue is rid of deadlines that were met, however far away the next one is. */
const tidyMs = 50;
/** So many free places at the head of the queue are not worth moving the others for. */
const shortGap = 64;

/** Something that a deadline can end. */
export interface Expirable {
  expire(): void;
}

/** A deadline that was set. */
export class Deadline {
  readonly #startedAtMs: number;
  #endsAtMs: number;
  #isPutOff = false;
  readonly #met: () => void;
  #target: Expirable | null;

  /** @param met is told once when it has come to its end, either way. */
  constructor(startedAtMs: number, lengthMs: number, target: Expirable, met: () => void) {
    this.#startedAtMs = startedAtMs;
    this.#endsAtMs = startedAtMs + lengthMs;
    this.#target = target;
    this.#met = met;
  }

  get endsAtMs(): number {
    return this.#endsAtMs;
  }

  get isDone(): boolean {
    return this.#target === null;
  }

  /** What it was set for has come to its end in time. */
  done(): void {
    if (this.#target === null) return;
    this.#target = null;
    this.#met();
  }

  /**
   * The time from `fromMs` to `toMs` does not count. Only once: in a process that is held up all the time, what has no
   * answer must end too.
   */
  putOff(fromMs: number, toMs: number): void {
    if (this.#isPutOff) return;
    this.#isPutOff = true;
    this.#endsAtMs += toMs - Math.max(fromMs, this.#startedAtMs);
  }

  expire(): void {
    const target = this.#target;
    this.done();
    target?.expire();
  }
}

/**
 * Ends everything that takes longer than the deadline. All deadlines have one length, so they come in the order in
 * which they were set: a queue and one timer do for any number of them.
 */
export class Deadlines {
  readonly #who: string;
  readonly deadlineMs: number;
  readonly #monotonicMs: () => number;
  /** The earliest first; those before `#first` are met. */
  readonly #queue: (Deadline | null)[] = [];
  #first = 0;
  #running = 0;
  #timer: NodeJS.Timeout | null = null;
  /** When the timer was set, and when it is due. */
  #armedAtMs = 0;
  #dueAtMs = 0;

  /** @param who is named in the fault: the store or its server. */
  constructor(who: string, deadlineMs: number, monotonicMs: () => number) {
    this.#who = who;
    this.deadlineMs = deadlineMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Expires `target` after the deadline unless it is done before. */
  start(target: Expirable): Deadline {
    const nowMs = this.#monotonicMs();
    const deadline = new Deadline(nowMs, this.deadlineMs, target, this.#ended);
    this.#queue.push(deadline);
    this.#running += 1;
    if (this.#timer === null) this.#arm(this.deadlineMs, nowMs);
    else if (this.#running === 1) this.#timer.ref();
    return deadline;
  }

  /**
   * Settles as `work` does, or rejects with `STORE_TIMEOUT` at the deadline. `work` goes on, unheard.
   *
   * @param what is named in the fault: what was asked for.
   */
  limit<T>(work: Promise<T>, what?: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const deadline = this.start({ expire: () => reject(this.timeout(what)) });
      work.then(
        (value) => {
          deadline.done();
          resolve(value);
        },
        (cause) => {
          deadline.done();
          reject(cause);
        },
      );
    });
  }

  timeout(what?: string): Fault {
    const question = what === undefined ? '' : ` ${what}`;
    return new Fault('STORE_TIMEOUT', `${this.#who} did not answer${question} within ${this.deadlineMs} ms.`);
  }

  /** A timer that nobody waits for any more does not keep the process alive. */
  readonly #ended = (): void => {
    this.#leaveMet();
    this.#running -= 1;
    if (this.#running === 0) this.#timer?.unref();
  };

  /**
   * A timer that is due runs before the replies that came in meanwhile are looked at. One more turn of the event loop
   * lets these count, so that a pause of this process is not taken for one of the server.
   */
  #arm(delayMs: number, nowMs: number): void {
    const untilMs = Math.max(1, Math.min(tidyMs, Math.ceil(delayMs)));
    this.#armedAtMs = nowMs;
    this.#dueAtMs = nowMs + untilMs;
    this.#timer = setTimeout(() => setImmediate(() => this.#sweep()), untilMs);
    if (this.#running === 0) this.#timer.unref();
  }

  #sweep(): void {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#dueAtMs > STANDSTILL_MS) this.#putOff(nowMs);
    const past = this.#takePast(nowMs);
    this.#timer = null;
    const next = this.#queue[this.#first];
    if (next) this.#arm(next.endsAtMs - nowMs, nowMs);
    for (const deadline of past) deadline?.expire();
  }

  /** What is past, and those among it that were met. */
  #takePast(nowMs: number): readonly (Deadline | null)[] {
    const queue = this.#queue;
    const left = queue.findIndex(
      (deadline) => deadline !== null && !deadline.isDone && deadline.endsAtMs > nowMs,
    );
    this.#first = 0;
    return queue.splice(0, left === -1 ? queue.length : left);
  }

  /**
   * Lets go of those at the head of the queue that were met. Else each would be kept until the timer is due, which
   * outlives a collection of garbage or two.
   */
  #leaveMet(): void {
    const queue = this.#queue;
    let first = this.#first;
    for (; queue[first]?.isDone; first += 1) queue[first] = null;
    if (first >= shortGap && 2 * first >= queue.length) {
      queue.splice(0, first);
      first = 0;
    }
    this.#first = first;
  }

  /**
   * This process stood still, for all that is known since its timer was set. An answer that is there by now may be one of
   * several that are waited for, and of an embedded store all threads stood still too.
   */
  #putOff(nowMs: number): void {
    for (const deadline of this.#queue) deadline?.putOff(this.#armedAtMs, nowMs);
  }
}
