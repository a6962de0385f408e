import type { Row, Rows } from './rows.ts';

interface Seen {
  readonly row: Row;
  readonly atMs: number;
}

/** How much is remembered, and for how long. */
export interface RecentBounds {
  readonly maxRows: number;
  readonly maxAgeMs: number;
}

/**
 * What was read or written a moment ago: a step that follows a look starts from it and saves a round trip. It may be
 * out of date, which the commit finds out; the bound on its age keeps that rare.
 */
export class RecentRows {
  readonly #bounds: RecentBounds;
  readonly #monotonicMs: () => number;
  /** In the order in which they were seen. */
  readonly #seen = new Map<string, Seen>();

  constructor(bounds: RecentBounds, monotonicMs: () => number) {
    this.#bounds = bounds;
    this.#monotonicMs = monotonicMs;
  }

  remember(text: string, row: Row): void {
    this.#seen.delete(text);
    this.#seen.set(text, { row, atMs: this.#monotonicMs() });
    if (this.#seen.size <= this.#bounds.maxRows) return;
    for (const oldest of this.#seen.keys()) {
      this.#seen.delete(oldest);
      return;
    }
  }

  forget(texts: Iterable<string>): void {
    for (const text of texts) this.#seen.delete(text);
  }

  /** The rows under all of the texts, or null if one of them was not seen lately. */
  recall(texts: readonly string[]): Rows | null {
    const oldestMs = this.#monotonicMs() - this.#bounds.maxAgeMs;
    const rows = new Map<string, Row>();
    for (const text of texts) {
      const seen = this.#seen.get(text);
      if (seen === undefined || seen.atMs < oldestMs) return null;
      rows.set(text, seen.row);
    }
    return rows;
  }
}
