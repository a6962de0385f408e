/** A message of an event stream. */
export interface SseMessage {
  /** The last id the stream has named, as a browser's EventSource keeps it. */
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** Longer messages are dropped, so that no stream makes the page hold it whole. In characters. */
const LONGEST_MESSAGE = 1_000_000;

/**
 * Reads `text/event-stream` (WHATWG HTML §9.2) out of pieces of text cut anywhere. EventSource cannot send an
 * `Authorization` header, so the stream is fetched and read here.
 */
export class SseParser {
  #rest = '';
  #data: string[] = [];
  #dataLength = 0;
  #event = '';
  #id: string | null = null;
  /** What the service asks us to wait before the next connection. */
  retryMs: number | null = null;

  push(piece: string): SseMessage[] {
    const messages: SseMessage[] = [];
    const text = this.#rest + piece;
    let start = 0;
    for (;;) {
      const end = text.indexOf('\n', start);
      if (end === -1) break;
      const line = text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
      start = end + 1;
      const message = this.#line(line);
      if (message !== null) messages.push(message);
    }
    this.#rest = text.length - start > LONGEST_MESSAGE ? '' : text.slice(start);
    return messages;
  }

  #line(line: string): SseMessage | null {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const field = colon === -1 ? line : line.slice(0, colon);
    const raw = colon === -1 ? '' : line.slice(colon + 1);
    this.#field(field, raw.startsWith(' ') ? raw.slice(1) : raw);
    return null;
  }

  #field(field: string, value: string): void {
    if (field === 'data') this.#append(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }

  #append(value: string): void {
    this.#dataLength += value.length + 1;
    if (this.#dataLength <= LONGEST_MESSAGE) this.#data.push(value);
  }

  #dispatch(): SseMessage | null {
    const isWhole = this.#dataLength <= LONGEST_MESSAGE;
    const message =
      this.#data.length > 0 && isWhole
        ? { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') }
        : null;
    this.#data = [];
    this.#dataLength = 0;
    this.#event = '';
    return message;
  }
}
