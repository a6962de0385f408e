import type { FeedLine } from './feed-event.ts';

/** The latest events, for those who come back; the oldest goes when a new one comes. */
export class FeedRing {
  readonly #lines: FeedLine[] = [];
  readonly #size: number;
  #latest = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Number of the latest event; 0 before the first. */
  get latest(): number {
    return this.#latest;
  }

  add(line: FeedLine): void {
    this.#lines[line.seq % this.#size] = line;
    this.#latest = line.seq;
  }

  /** Number of the oldest event that is still there; one more than the latest when there is none. */
  get oldest(): number {
    return Math.max(1, this.#latest - this.#size + 1);
  }

  /** The events after `seq` that are still there, in order. */
  *after(seq: number): Generator<FeedLine> {
    for (let next = Math.max(seq + 1, this.oldest); next <= this.#latest; next += 1) {
      const line = this.#lines[next % this.#size];
      if (line !== undefined) yield line;
    }
  }
}
