/** Proxies in a chain beyond which nobody has a good reason. */
const mostHops = 32;

/**
 * What stands for the address in one hop of a forwarding header, which may have a port and be in brackets: null where that
 * is not well written. Whether it is an address is for the caller to see: it may be `unknown` or an obfuscated name.
 */
export function hostOfNode(node: string): string | null {
  if (node.startsWith('[')) {
    const end = node.indexOf(']');
    const inside = node.slice(1, end);
    return end > 0 && inside.includes(':') && isPort(node.slice(end + 1)) ? inside : null;
  }
  const colon = node.indexOf(':');
  const isQuadWithPort = colon > 0 && colon === node.lastIndexOf(':');
  if (!isQuadWithPort) return node;
  return isPort(node.slice(colon)) ? node.slice(0, colon) : null;
}

/** Nothing, or a port: a number, or a name that hides it (RFC 7239 §6). */
function isPort(text: string): boolean {
  return text === '' || /^:(\d{1,5}|_[\w.-]+)$/.test(text);
}

/** The hops of an `X-Forwarded-For` header, nearest first: the last one was added by the proxy that called us. */
export function* hopsOfXForwardedFor(header: string): Generator<string> {
  let end = header.length;
  for (let hop = 0; hop < mostHops && end >= 0; hop += 1) {
    const comma = end === 0 ? -1 : header.lastIndexOf(',', end - 1);
    yield header.slice(comma + 1, end).trim();
    end = comma;
  }
}

const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const quotedText = /"((?:[^"\\]|\\.)*)"/sy;
const space = /[ \t]*/y;

/**
 * The `for` nodes of a `Forwarded` header (RFC 7239), nearest first; an element without one gives an empty text. Ends at
 * the first element that is not well formed. What stands before an element has no part in how it is read: a visitor who
 * opens a quote and leaves it open must not swallow what the proxy has added.
 */
export function* hopsOfForwarded(header: string): Generator<string> {
  let end = header.length;
  for (let hop = 0; hop < mostHops && end >= 0; hop += 1) {
    const comma = commaBefore(header, end);
    const node = new ForwardedElement(header.slice(comma + 1, end)).read();
    if (node === null) return;
    yield node;
    end = comma;
  }
}

/** The last comma before the end that is not quoted; -1 where there is none. */
function commaBefore(header: string, end: number): number {
  for (let at = end - 1; at >= 0; at -= 1) {
    if (header[at] === ',') return at;
    if (header[at] === '"') at = openingQuote(header, at);
  }
  return -1;
}

/** Of the quote that closes there; -1 where nothing opens it. */
function openingQuote(header: string, closing: number): number {
  let at = closing;
  do at = at === 0 ? -1 : header.lastIndexOf('"', at - 1);
  while (isEscaped(header, at));
  return at;
}

function isEscaped(header: string, at: number): boolean {
  let start = at;
  while (header[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

class ForwardedElement {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** `for=a;by=b`: the value of `for`; null where it is not well formed, or `for` stands twice. */
  read(): string | null {
    let node = '';
    const seen = new Set<string>();
    do {
      this.#match(space);
      const name = this.#match(token)?.[0].toLowerCase();
      if (name === undefined) continue;
      if (seen.has(name) || !this.#take('=')) return null;
      seen.add(name);
      const value = this.#readValue();
      if (value === null) return null;
      if (name === 'for') node = value;
      this.#match(space);
    } while (this.#take(';'));
    return this.#at === this.#text.length ? node : null;
  }

  #readValue(): string | null {
    const quoted = this.#match(quotedText);
    if (quoted !== null) return (quoted[1] ?? '').replace(/\\(.)/gs, '$1');
    return this.#match(token)?.[0] ?? null;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}
