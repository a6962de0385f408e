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
    const copy = copyOf(text);
    this.#texts.set(copy, copy);
    return copy;
  }
}

function copyOf(text: string): string {
  const encoding = /[\u0100-\uffff]/.test(text) ? 'utf16le' : 'latin1';
  return Buffer.from(text, encoding).toString(encoding);
}
