/** Longer texts are not kept: no identifier may be that long. In characters. */
const LONGEST_KEPT = 8_192;
const MOST_KEPT = 16_384;

/**
 * Gives texts that stand on their own. A part of a line, as the engine of JavaScript makes it, keeps the whole block alive that
 * was read with it; where parts are remembered (addresses, names), that would be the whole file.
 */
export class TextPool {
  readonly #texts = new Map<string, string>();

  own(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (text.length > LONGEST_KEPT) return text;
    if (this.#texts.size >= MOST_KEPT) this.#texts.clear();
    const copy = detached(text);
    this.#texts.set(copy, copy);
    return copy;
  }
}

/**
 * The same text, apart from what it was cut out of: joining it with something makes the engine copy it, once it is looked
 * at again.
 */
export function detached(text: string): string {
  return text.length < SHORTEST_SLICE ? text : `${text} `.slice(0, -1);
}

/** Shorter parts are copied by the engine anyway. In characters. */
const SHORTEST_SLICE = 13;
