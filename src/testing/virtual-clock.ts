import type { Clock } from '../guard/failure/clock.ts';
import { TimerHeap } from './timer-heap.ts';

/**
 * Time that stands still until it is told to go on. Timers run in the order of their time; between two of them all
 * promises that can settle have settled.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerHeap();
  #now: number;

  /** @param startMs where time begins, in milliseconds. */
  constructor(startMs = 0) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#timers.set(this.#now + Math.max(0, delayMs), run);
  }

  /** Resolves once this much time has passed and everything that was due has run. */
  advance(ms: number): Promise<void> {
    return this.advanceTo(this.#now + ms);
  }

  async advanceTo(time: number): Promise<void> {
    await settled();
    while (this.#runNext(time)) await settled();
    this.#now = Math.max(this.#now, time);
  }

  /** Lets time pass from timer to timer until the work has settled, and gives its outcome. */
  async complete<T>(work: Promise<T>): Promise<T> {
    let isPending = true;
    const done = () => {
      isPending = false;
    };
    work.then(done, done);
    await settled();
    while (isPending && this.#runNext(Number.POSITIVE_INFINITY)) await settled();
    return work;
  }

  #runNext(latest: number): boolean {
    const next = this.#timers.peek();
    if (next === undefined || next.at > latest) return false;
    const { run } = next;
    next.run = null;
    this.#now = Math.max(this.#now, next.at);
    run?.();
    return true;
  }
}

/** Resolves after every promise that can settle without time passing has settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
