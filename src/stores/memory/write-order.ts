import type { Entry } from './entry.ts';

/** Entries from the least to the most recently written: a doubly linked list through the entries themselves. */
export class WriteOrder {
  #oldest: Entry | null = null;
  #newest: Entry | null = null;

  get oldest(): Entry | null {
    return this.#oldest;
  }

  append(entry: Entry): void {
    entry.older = this.#newest;
    entry.newer = null;
    if (this.#newest === null) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  remove(entry: Entry): void {
    const { older, newer } = entry;
    if (older === null) this.#oldest = newer;
    else older.newer = newer;
    if (newer === null) this.#newest = older;
    else newer.older = older;
    entry.older = null;
    entry.newer = null;
  }

  clear(): void {
    this.#oldest = null;
    this.#newest = null;
  }
}
