import type { Clock } from '../../../src/concurrency/clock.ts';

/**
 * What the service calls, a database say: so many workers, an endless queue before them. Work that was begun is done
 * to its end, also when nobody waits for it any more; that is what makes an overload expensive. With contention, what is
 * queued slows down what is worked on (locks, memory, cache): by `contention` for each worker's worth of queue.
 */
export class Dependency {
  readonly #clock: Clock;
  readonly #workers: number;
  readonly #serviceMs: (now: number) => number;
  readonly #contention: number;
  readonly #queue: (() => void)[] = [];
  #head = 0;
  #busy = 0;

  constructor(clock: Clock, workers: number, serviceMs: (now: number) => number, contention: number) {
    this.#clock = clock;
    this.#workers = workers;
    this.#serviceMs = serviceMs;
    this.#contention = contention;
  }

  call(done: () => void): void {
    if (this.#busy < this.#workers) this.#work(done);
    else this.#queue.push(done);
  }

  #work(done: () => void): void {
    const queued = this.#queue.length - this.#head;
    this.#busy += 1;
    const slowdown = 1 + (this.#contention * queued) / this.#workers;
    this.#clock.after(this.#serviceMs(this.#clock.now()) * slowdown, () => {
      this.#busy -= 1;
      this.#next();
      done();
    });
  }

  #next(): void {
    const waiting = this.#queue[this.#head];
    if (waiting === undefined) return;
    this.#head += 1;
    if (this.#head > 1_000 && this.#head * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
    this.#work(waiting);
  }
}
