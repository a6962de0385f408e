interface Seen<Value> {
  readonly value: Value;
  readonly atMs: number;
}

/** How much is remembered, and for how long. */
export interface SeenBounds {
  readonly maxNames: number;
  readonly maxAgeMs: number;
}

/** What was seen a moment ago, by name; forgotten by age, the longest unseen first when there is too much. */
export class SeenLately<Value> {
  readonly #bounds: SeenBounds;
  readonly #monotonicMs: () => number;
  /** In the order in which they were seen. */
  readonly #seen = new Map<string, Seen<Value>>();

  constructor(bounds: SeenBounds, monotonicMs: () => number) {
    this.#bounds = bounds;
    this.#monotonicMs = monotonicMs;
  }

  remember(name: string, value: Value): void {
    this.#seen.delete(name);
    this.#seen.set(name, { value, atMs: this.#monotonicMs() });
    if (this.#seen.size <= this.#bounds.maxNames) return;
    const [longestUnseen] = this.#seen.keys();
    if (longestUnseen !== undefined) this.#seen.delete(longestUnseen);
  }

  recall(name: string): Value | undefined {
    const seen = this.#seen.get(name);
    if (seen === undefined || this.#monotonicMs() - seen.atMs > this.#bounds.maxAgeMs) return undefined;
    return seen.value;
  }

  /** The values under all of the names, or null if one of them was not seen lately. */
  recallAll(names: readonly string[]): Map<string, Value> | null {
    const values = new Map<string, Value>();
    for (const name of names) {
      const value = this.recall(name);
      if (value === undefined) return null;
      values.set(name, value);
    }
    return values;
  }

  forget(names: Iterable<string>): void {
    for (const name of names) this.#seen.delete(name);
  }
}
