/** What an entry carries to be in one {@link LinkedQueue} at a time. Only the queue writes these fields. */
export interface Linked<T> {
  previous: T | null;
  next: T | null;
}

/**
 * First in, first out; an entry can also leave from anywhere. Every operation takes the same time, however long the
 * queue is: a caller that goes away must not cost a scan just when the queue is full.
 */
export class LinkedQueue<T extends Linked<T>> {
  #first: T | null = null;
  #last: T | null = null;
  #size = 0;

  get first(): T | null {
    return this.#first;
  }

  get last(): T | null {
    return this.#last;
  }

  get size(): number {
    return this.#size;
  }

  push(entry: T): void {
    entry.previous = this.#last;
    entry.next = null;
    if (this.#last === null) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
    this.#size += 1;
  }

  /** The entry must be in this queue. */
  remove(entry: T): void {
    if (entry.previous === null) this.#first = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === null) this.#last = entry.previous;
    else entry.next.previous = entry.previous;
    entry.previous = null;
    entry.next = null;
    this.#size -= 1;
  }
}
