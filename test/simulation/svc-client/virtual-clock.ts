import type { Clock } from '../../../src/svc-client/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  /** Null once it is cancelled. */
  run: (() => void) | null;
}

/** Earlier first; of equal times, the one that was set first. */
function before(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** A binary heap: simulations set a hundred thousand timers and cancel most of them. */
class TimerHeap {
  readonly #heap: Timer[] = [];

  get first(): Timer | undefined {
    return this.#heap[0];
  }

  push(timer: Timer): void {
    const heap = this.#heap;
    let index = heap.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || before(above, timer)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = timer;
  }

  pop(): Timer | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) this.#sink(last);
    return top;
  }

  #sink(timer: Timer): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const smallest = left !== undefined && right !== undefined && before(right, left) ? right : left;
      if (smallest === undefined || before(timer, smallest)) break;
      heap[index] = smallest;
      index = smallest === left ? 2 * index + 1 : 2 * index + 2;
    }
    heap[index] = timer;
  }
}

/** Time that only moves when told to, and then runs what was set for it, in order. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new TimerHeap();

  constructor(startMs = 0) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    this.#order += 1;
    const timer: Timer = { at: this.#now + Math.max(0, delayMs), order: this.#order, run };
    this.#timers.push(timer);
    return () => {
      timer.run = null;
    };
  }

  /** Resolves after `delayMs` of virtual time. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Moves on by `byMs`; everything that becomes due runs at its own time, with all that follows from it. */
  async advance(byMs: number): Promise<void> {
    const until = this.#now + byMs;
    await settled();
    for (let timer = this.#due(until); timer !== undefined; timer = this.#due(until)) {
      this.#now = timer.at;
      timer.run?.();
      await settled();
    }
    this.#now = until;
  }

  #due(until: number): Timer | undefined {
    for (;;) {
      const next = this.#timers.first;
      if (next === undefined || next.at > until) return undefined;
      this.#timers.pop();
      if (next.run !== null) return next;
    }
  }
}

/** Lets every promise that can go on do so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
