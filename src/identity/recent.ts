/**
 * Remembers values by key, at least the `count` most recently used and at most twice as many. Two generations
 * instead of a strict order of use: a hit on a warm value is one lookup and writes nothing.
 */
export class Generations<Key, Value> {
  readonly #count: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(count: number) {
    this.#count = count;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#count) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}

/** The same by text. A longer one than `longestText` characters is not remembered, so that nobody can fill the memory with them. */
export class Recent<Value> {
  readonly #longestText: number;
  readonly #values: Generations<string, Value>;

  constructor(count: number, longestText: number) {
    this.#longestText = longestText;
    this.#values = new Generations(count);
  }

  get(text: string): Value | undefined {
    return this.#values.get(text);
  }

  set(text: string, value: Value): void {
    if (text.length <= this.#longestText) this.#values.set(text, value);
  }
}
