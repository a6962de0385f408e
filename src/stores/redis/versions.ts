import { randomBytes } from 'node:crypto';
import { digitsOf } from '../../core/digits.ts';

/**
 * Which write a record is from: a name that all writes of a process share, and a number. No text of its own: it is kept with every
 * record that this process has written lately, and a text that is new for each write would outlive collections of garbage.
 */
export interface Version {
  /** Names the process that wrote it; {@link NO_WRITER} where nothing is stored. */
  writer: string;
  /** Which of its writes it was. */
  count: number;
}

export const NO_WRITER = '';

const writerBytes = 6;
const writerWidth = 8;
const countWidth = 8;
/** From the first count that has all its digits. Decimal ones: V8 takes five times as long for others. */
const countStart = 10 ** (countWidth - 1);
const countEnd = 10 ** countWidth;

/** Characters of one byte each: the commit script finds versions by their width. */
export const VERSION_WIDTH = writerWidth + countWidth;
export const versionPattern = `[\\w-]{${writerWidth}}\\d{${countWidth}}`;

/**
 * Names for what is written, never used twice: 48 random bits for the process, then a count. A version that came
 * back after its record had expired or been deleted and written anew would let a stale commit through.
 */
export class Versions {
  readonly #random: (bytes: number) => Buffer;
  #writer = NO_WRITER;
  #count = countEnd;

  constructor(random: (bytes: number) => Buffer = randomBytes) {
    this.#random = random;
  }

  /** Makes it a version that no other write has. */
  renew(version: Version): void {
    if (this.#count >= countEnd) {
      this.#writer = this.#random(writerBytes).toString('base64url');
      this.#count = countStart;
    }
    version.writer = this.#writer;
    version.count = this.#count;
    this.#count += 1;
  }
}

/** As Redis stores it. */
export function versionText({ writer, count }: Version): string {
  return writer + digitsOf(count).padStart(countWidth, '0');
}

/** Takes the version out of the beginning of a text that has one. */
export function readVersion(text: string, version: Version): void {
  version.writer = text.slice(0, writerWidth);
  version.count = Number(text.slice(writerWidth, VERSION_WIDTH));
}

export function isSameVersion(one: Version, other: Version): boolean {
  return one.count === other.count && one.writer === other.writer;
}
