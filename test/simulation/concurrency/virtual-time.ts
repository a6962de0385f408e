import type { Clock } from '../../../src/concurrency/clock.ts';
import { TimerHeap } from '../../../src/testing/timer-heap.ts';

/** How many turns of the microtask queue a decision of a cap needs at most to reach its caller. */
const TURNS = 5;

/**
 * Time for simulations of millions of calls. Unlike the clock of `portcullis/testing`, which waits for everything that can
 * settle, it waits just long enough for a cap; that is several times faster.
 */
export class VirtualTime implements Clock {
  #now = 0;
  readonly #timers = new TimerHeap();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#timers.set(this.#now + delayMs, run);
  }

  /** Runs everything that is due before then, each at its own time. */
  async runUntil(endMs: number): Promise<void> {
    for (
      let timer = this.#timers.peek();
      timer !== undefined && timer.at < endMs;
      timer = this.#timers.peek()
    ) {
      const { at, run } = timer;
      timer.run = null;
      this.#now = at;
      run?.();
      for (let turn = 0; turn < TURNS; turn += 1) await null;
    }
    this.#now = endMs;
  }
}
