import { Fault } from '../../core/fault.ts';

/** A line of input and its number, from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** A line that cannot be read as text; its number, from 1, and why. */
export interface UnreadableLine {
  readonly number: number;
  readonly fault: Fault;
}

/** Longer lines are refused, so that no input makes us hold it whole. In bytes. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

const NEWLINE = 10;
const BYTE_ORDER_MARK = '\uFEFF';
const tooLong = `longer than ${MAX_LINE_BYTES} bytes`;

/**
 * Splits a byte stream into lines, a batch per chunk, without holding more than a chunk and a line. Events must be UTF-8:
 * replacing bytes that are not would make different identifiers one. A log's line that is not UTF-8 is read byte by byte.
 */
export class LineReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #number = 0;
  readonly #otherBytes: 'refused' | 'latin1';

  /** @param otherBytes what becomes of a line that is not UTF-8 */
  constructor(otherBytes: 'refused' | 'latin1' = 'refused') {
    this.#otherBytes = otherBytes;
  }

  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): readonly (Line | UnreadableLine)[] {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) {
      this.#hold(chunk);
      return [];
    }
    const lines = this.#split(this.#take(chunk.subarray(0, end)));
    this.#hold(chunk.subarray(end + 1));
    return lines;
  }

  /** The last line, if the stream did not end with a newline. */
  finish(): readonly (Line | UnreadableLine)[] {
    return this.#restBytes > 0 ? this.#split(this.#take(new Uint8Array(0))) : [];
  }

  /** Keeps the begin of a line. Of a line that is too long only the length is kept. */
  #hold(part: Uint8Array): void {
    if (part.length === 0) return;
    if (this.#restBytes <= MAX_LINE_BYTES) this.#rest.push(part);
    this.#restBytes += part.length;
  }

  #take(part: Uint8Array): Uint8Array {
    const whole = this.#rest.length === 0 ? part : Buffer.concat([...this.#rest, part]);
    this.#rest = [];
    this.#restBytes = 0;
    return whole;
  }

  /** A list, not a generator: what a generator costs for each line is more than the lines of a chunk hold. */
  #split(block: Uint8Array): readonly (Line | UnreadableLine)[] {
    const lines: (Line | UnreadableLine)[] = [];
    const text = this.#decode(block);
    if (text !== null) {
      for (const line of text.split('\n')) lines.push(this.#line(line));
      return lines;
    }
    let start = 0;
    while (start <= block.length) {
      const found = block.indexOf(NEWLINE, start);
      const end = found === -1 ? block.length : found;
      lines.push(this.#lineOf(block.subarray(start, end)));
      start = end + 1;
    }
    return lines;
  }

  #lineOf(bytes: Uint8Array): Line | UnreadableLine {
    const text = bytes.length > MAX_LINE_BYTES ? null : this.#decode(bytes);
    if (text !== null) return this.#line(text);
    if (this.#otherBytes === 'latin1' && bytes.length <= MAX_LINE_BYTES) {
      return this.#line(Buffer.from(bytes).toString('latin1'));
    }
    return this.#unreadable(bytes.length > MAX_LINE_BYTES ? tooLong : 'not valid UTF-8');
  }

  #line(text: string): Line | UnreadableLine {
    if (text.length > MAX_LINE_BYTES) return this.#unreadable(tooLong);
    this.#number += 1;
    const isMarked = this.#number === 1 && text.startsWith(BYTE_ORDER_MARK);
    return { number: this.#number, text: isMarked ? text.slice(1) : text };
  }

  #unreadable(why: string): UnreadableLine {
    this.#number += 1;
    return { number: this.#number, fault: new Fault('INPUT_INVALID', why) };
  }

  #decode(bytes: Uint8Array): string | null {
    try {
      return this.#decoder.decode(bytes);
    } catch (cause) {
      if (cause instanceof TypeError) return null;
      throw cause;
    }
  }
}
