import { MAX_LINE_BYTES } from '../../../src/cli/replay/input-line.ts';

/** A line of a file, without its end, and its number, from 1. */
export interface FileLine {
  readonly number: number;
  /** Null where it is too long. */
  readonly text: string | null;
  /** Where it is not, the text is that of its bytes, one by one: good enough for a log, never for an event. */
  readonly isUtf8: boolean;
}

const NEWLINE = 10;
const RETURN = 13;

/** Cuts a file's bytes into lines without holding more than a chunk and a line. */
export class LineSplitter {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #number = 0;

  /** The lines that this chunk completes. */
  *push(chunk: Uint8Array): Generator<FileLine> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      yield this.#line(chunk.subarray(start, end));
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  /** The last line, if the file did not end with a newline. */
  *finish(): Generator<FileLine> {
    if (this.#restBytes > 0) yield this.#line(new Uint8Array(0));
  }

  /** Of a line that is too long only the length is kept. */
  #hold(part: Uint8Array): void {
    if (part.length === 0) return;
    if (this.#restBytes <= MAX_LINE_BYTES) this.#rest.push(part);
    this.#restBytes += part.length;
  }

  #line(part: Uint8Array): FileLine {
    this.#number += 1;
    const isTooLong = this.#restBytes + part.length > MAX_LINE_BYTES;
    const whole = this.#restBytes === 0 || isTooLong ? part : joined([...this.#rest, part]);
    // Some systems put a return before each newline.
    const bytes = whole.at(-1) === RETURN ? whole.subarray(0, -1) : whole;
    this.#rest = [];
    this.#restBytes = 0;
    const text = isTooLong ? null : this.#decode(bytes);
    const isUtf8 = text !== null;
    return { number: this.#number, text: isTooLong ? null : (text ?? bytesText(bytes)), isUtf8 };
  }

  #decode(bytes: Uint8Array): string | null {
    try {
      const text = this.#decoder.decode(bytes);
      return this.#number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
    } catch (cause) {
      if (cause instanceof TypeError) return null;
      throw cause;
    }
  }
}

function bytesText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
