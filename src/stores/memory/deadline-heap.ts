/**
 * A binary min-heap of items by deadline. Every item is told its index whenever it moves, so that any item, not
 * only the first, can be taken out or given a new deadline in O(log n).
 */
export class DeadlineHeap<Item> {
  readonly #items: Item[] = [];
  readonly #deadlines: number[] = [];
  readonly #moved: (item: Item, index: number) => void;

  /** @param moved is told an item's new index; −1 once it has left the heap. */
  constructor(moved: (item: Item, index: number) => void) {
    this.#moved = moved;
  }

  /** The item with the earliest deadline. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  /** The earliest deadline; infinite when the heap is empty. */
  get firstDeadline(): number {
    return this.#deadlines[0] ?? Number.POSITIVE_INFINITY;
  }

  add(item: Item, deadline: number): void {
    this.#items.push(item);
    this.#deadlines.push(deadline);
    this.#rise(this.#items.length - 1, item, deadline);
  }

  change(index: number, deadline: number): void {
    this.#settle(index, this.#items[index] as Item, deadline);
  }

  remove(index: number): void {
    const gone = this.#items[index] as Item;
    const last = this.#items.pop() as Item;
    const lastDeadline = this.#deadlines.pop() as number;
    if (index < this.#items.length) this.#settle(index, last, lastDeadline);
    this.#moved(gone, -1);
  }

  clear(): void {
    this.#items.length = 0;
    this.#deadlines.length = 0;
  }

  #settle(index: number, item: Item, deadline: number): void {
    const parent = (index - 1) >> 1;
    if (index > 0 && (this.#deadlines[parent] as number) > deadline) this.#rise(index, item, deadline);
    else this.#sink(index, item, deadline);
  }

  #rise(from: number, item: Item, deadline: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((this.#deadlines[parent] as number) <= deadline) break;
      this.#put(index, this.#items[parent] as Item, this.#deadlines[parent] as number);
      index = parent;
    }
    this.#put(index, item, deadline);
  }

  #sink(from: number, item: Item, deadline: number): void {
    const size = this.#items.length;
    let index = from;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= size) break;
      const right = child + 1;
      if (right < size && (this.#deadlines[right] as number) < (this.#deadlines[child] as number))
        child = right;
      const childDeadline = this.#deadlines[child] as number;
      if (childDeadline >= deadline) break;
      this.#put(index, this.#items[child] as Item, childDeadline);
      index = child;
    }
    this.#put(index, item, deadline);
  }

  #put(index: number, item: Item, deadline: number): void {
    this.#items[index] = item;
    this.#deadlines[index] = deadline;
    this.#moved(item, index);
  }
}
