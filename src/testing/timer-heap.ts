/** Something that is to happen at a time, unless it is cancelled before. */
interface Timer {
  readonly at: number;
  /** Timers of one time run in the order they were set. */
  readonly order: number;
  /** Null once it was cancelled or has run. */
  run: (() => void) | null;
}

/** Timers by time, in a binary heap: simulations set and cancel very many. */
export class TimerHeap {
  readonly #heap: Timer[] = [];
  #order = 0;

  /** Has `run` happen at a time; the returned function cancels it. */
  set(at: number, run: () => void): () => void {
    const timer: Timer = { at, order: this.#order, run };
    this.#order += 1;
    this.#push(timer);
    return () => {
      timer.run = null;
    };
  }

  /** The next timer that was not cancelled. Whoever runs it sets its `run` to null. */
  peek(): Timer | undefined {
    while (this.#heap[0] !== undefined && this.#heap[0].run === null) this.#dropFirst();
    return this.#heap[0];
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(timer, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = timer;
  }

  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const isRight = other !== undefined && isBefore(other, one);
      const child = isRight ? other : one;
      if (!isBefore(child, last)) break;
      heap[index] = child;
      index = isRight ? left + 1 : left;
    }
    heap[index] = last;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
