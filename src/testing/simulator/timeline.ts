import { TimerHeap } from '../timer-heap.ts';
import { settled } from '../virtual-clock.ts';

/**
 * The time of a simulated world. Like a virtual clock, but it waits for promises only after what has woken one: most
 * steps of a simulation touch none.
 */
export class Timeline {
  readonly #timers = new TimerHeap();
  #now = 0;
  #hasWoken = false;

  get now(): number {
    return this.#now;
  }

  /** How many things have happened. */
  steps = 0;

  /** Runs the callback after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void {
    return this.#timers.set(this.#now + Math.max(0, delayMs), run);
  }

  /** To be called by whatever settles a promise or starts an operation. */
  wake(): void {
    this.#hasWoken = true;
  }

  /** Lets everything happen up to `time`, as long as `goesOn` says so after each thing that has happened. */
  async runUntil(time: number, goesOn: () => boolean): Promise<void> {
    for (let next = this.#timers.peek(); next !== undefined && next.at <= time; next = this.#timers.peek()) {
      const { run } = next;
      next.run = null;
      this.#now = next.at;
      this.steps += 1;
      run?.();
      if (this.#hasWoken) await settled();
      this.#hasWoken = false;
      if (!goesOn()) return;
    }
    this.#now = Math.max(this.#now, time);
  }
}
