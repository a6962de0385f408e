import type { RunningBlock } from './block-book.ts';

/**
 * The highest of any number of blocks. Stores list them in no order, so that the first ones found may be the least of
 * them; and no more than `limit` are held at a time, however many there are.
 */
export class HighestBlocks {
  readonly #limit: number;
  /** By their rank; levels are few, so that a shelf for each is cheaper than an order among all. */
  readonly #shelves: RunningBlock[][] = [];
  #count = 0;
  #isMore = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether some had to give way. */
  get isMore(): boolean {
    return this.#isMore;
  }

  add(block: RunningBlock): void {
    const rank = rankOf(block);
    const shelf = this.#shelves[rank] ?? [];
    this.#shelves[rank] = shelf;
    shelf.push(block);
    this.#count += 1;
    if (this.#count > this.#limit) this.#dropLowest();
  }

  /** By level, highest first; hard before soft; what ends first before what ends later. */
  inOrder(): RunningBlock[] {
    return this.#shelves
      .flat()
      .sort((a, b) => rankOf(b) - rankOf(a) || a.until - b.until || (a.id < b.id ? -1 : 1));
  }

  #dropLowest(): void {
    this.#shelves.find((shelf) => shelf !== undefined && shelf.length > 0)?.pop();
    this.#count -= 1;
    this.#isMore = true;
  }
}

const rankOf = ({ level, outcome }: RunningBlock): number => 2 * level + (outcome === 'HARD_BLOCK' ? 1 : 0);
