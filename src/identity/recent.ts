/**
 * Remembers values by text, at least the `count` most recently used and at most twice as many. Two generations
 * instead of a strict order of use: a hit on a warm value is one lookup and writes nothing.
 */
export class Recent<Value> {
  readonly #count: number;
  readonly #longestText: number;
  readonly #kept: (text: string) => string;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /**
   * @param longestText in characters; a longer text is not remembered, so that nobody can fill the memory with them
   * @param kept what is kept of a text: of one that is cut out of a larger one a copy, or the larger one is kept with it
   */
  constructor(count: number, longestText: number, kept = (text: string) => text) {
    this.#count = count;
    this.#longestText = longestText;
    this.#kept = kept;
  }

  get(text: string): Value | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.#remember(text, old);
    return old;
  }

  set(text: string, value: Value): void {
    if (text.length <= this.#longestText) this.#remember(text, value);
  }

  #remember(text: string, value: Value): void {
    if (this.#young.size >= this.#count) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(this.#kept(text), value);
  }
}
