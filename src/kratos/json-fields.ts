/** Takes one field of a login: its name and its value as text. */
export type FieldVisitor = (name: string, value: string) => void;

/**
 * Shows the fields of the first JSON object in a text, every one of them: a name that stands twice is shown twice.
 * Kratos decodes the first value of a body and stops there, so what follows it does not matter; and where two decoders
 * disagree about which of two equal names counts, both must be seen.
 *
 * @returns false where no object begins, or where it is broken before its first field is complete
 */
export function visitJsonFields(text: string, visit: FieldVisitor): boolean {
  const scanner = new Scanner(text);
  return scanner.take('{') && scanner.visitFields(visit);
}

const space = /[ \t\r\n\uFEFF]*/y;
const stringToken = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
const plainToken = /[^\s,:[\]{}"]+/y;

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  take(character: string): boolean {
    this.#match(space);
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Shows what there is where the object breaks off: Kratos would refuse it, and nothing is missed. */
  visitFields(visit: FieldVisitor): boolean {
    if (this.take('}')) return true;
    let seen = false;
    do {
      const name = this.#readString();
      if (name === null || !this.take(':')) break;
      const value = this.#readValue();
      if (value === null) break;
      visit(name, value);
      seen = true;
    } while (this.take(','));
    return seen;
  }

  #readString(): string | null {
    this.#match(space);
    const token = this.#match(stringToken);
    return token === null ? null : unescaped(token);
  }

  #readValue(): string | null {
    const text = this.#readString();
    if (text !== null) return text;
    const start = this.#at;
    return this.#skipValue() ? valueText(this.#text.slice(start, this.#at)) : null;
  }

  /** Over a number, a word, an array or an object; brackets are counted, so that depth costs nothing. */
  #skipValue(): boolean {
    let depth = 0;
    do {
      this.#match(space);
      const character = this.#text[this.#at];
      if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') depth -= 1;
      const isMark = character !== undefined && '{}[],:'.includes(character);
      if (depth < 0 || (isMark && depth === 0 && (character === ',' || character === ':'))) return false;
      if (isMark) this.#at += 1;
      else if (this.#match(stringToken) === null && this.#match(plainToken) === null) return false;
    } while (depth > 0);
    return true;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at = pattern.lastIndex;
    return found[0];
  }
}

/** As Kratos turns values into texts: `null` is none, and `1e3` is the same as `1000`. */
function valueText(raw: string): string {
  if (raw === 'null') return '';
  return /^-?\d+$/.test(raw) || Number.isNaN(Number(raw)) ? raw : String(Number(raw));
}

/** The text in a JSON string. Escapes that JSON does not know stand for themselves: it is not ours to refuse them. */
function unescaped(token: string): string {
  const inside = token.slice(1, -1);
  if (!inside.includes('\\')) return inside;
  return inside.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
