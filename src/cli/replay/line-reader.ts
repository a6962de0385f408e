import { Fault } from '../../core/fault.ts';
import { BlankLines } from './blank-lines.ts';
import { type Line, MAX_LINE_BYTES, type UnreadableLine, unreadable } from './input-line.ts';

const NEWLINE = 10;
const BYTE_ORDER_MARK = '\uFEFF';
const MARK_BYTES = 3;

/**
 * Splits a byte stream into lines, a batch per chunk, without holding more than a chunk and a line. Events must be UTF-8:
 * replacing bytes that are not would make different identifiers one; and there is one on every line but at the end. A log's
 * line that is not UTF-8 is read byte by byte, and may be empty.
 */
export class LineReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #number = 0;
  readonly #of: 'events' | 'log';
  readonly #blanks = new BlankLines();

  constructor(of: 'events' | 'log') {
    this.#of = of;
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

  /** Keeps the begin of a line. Of one that is too long just enough is kept to see that it is. */
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

  /**
   * A list, not a generator: what a generator costs for each line is more than the lines of a chunk hold. Text does not tell how
   * many bytes it was, so a block is decoded whole only where no line of it can be too long.
   */
  #split(block: Uint8Array): readonly (Line | UnreadableLine)[] {
    const lines: (Line | UnreadableLine)[] = [];
    const text = block.length > MAX_LINE_BYTES ? null : this.#decode(block);
    let start = 0;
    if (text !== null) {
      const isAscii = text.length === block.length;
      for (const line of text.split('\n')) {
        const end = isAscii ? start + line.length : endOfLine(block, start);
        this.#add(line, block, start, end, lines);
        start = end + 1;
      }
      return lines;
    }
    while (start <= block.length) {
      const end = endOfLine(block, start);
      this.#addBytes(block, start, end, lines);
      start = end + 1;
    }
    return lines;
  }

  #addBytes(block: Uint8Array, start: number, end: number, lines: (Line | UnreadableLine)[]): void {
    if (end - start > MAX_LINE_BYTES) {
      this.#addUnreadable(unreadable.tooLong, lines);
      return;
    }
    const bytes = block.subarray(start, end);
    const text = this.#decode(bytes) ?? (this.#of === 'log' ? Buffer.from(bytes).toString('latin1') : null);
    if (text === null) this.#addUnreadable(unreadable.notUtf8, lines);
    else this.#add(text, block, start, end, lines);
  }

  #add(line: string, block: Uint8Array, start: number, end: number, lines: (Line | UnreadableLine)[]): void {
    const isMarked = this.#number === 0 && line.startsWith(BYTE_ORDER_MARK);
    const text = isMarked ? line.slice(1) : line;
    const isBlank = this.#of === 'events' && this.#blanks.takes(text);
    this.#number += 1;
    if (isBlank) return;
    this.#closeGap(lines);
    lines.push({ number: this.#number, text, block, start: isMarked ? start + MARK_BYTES : start, end });
  }

  #addUnreadable(why: string, lines: (Line | UnreadableLine)[]): void {
    this.#number += 1;
    this.#closeGap(lines);
    lines.push({ number: this.#number, fault: new Fault('INPUT_INVALID', why), lines: 1 });
  }

  /** Empty lines that something follows were no end. */
  #closeGap(lines: (Line | UnreadableLine)[]): void {
    const gap = this.#blanks.gapBefore(this.#number);
    if (gap !== null) lines.push(gap);
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

function endOfLine(block: Uint8Array, start: number): number {
  const end = block.indexOf(NEWLINE, start);
  return end === -1 ? block.length : end;
}
