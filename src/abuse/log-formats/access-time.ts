import { momentOf, monthOf, wallTime } from './calendar.ts';
import { offsetMsOf } from './time-zone.ts';

/** Characters of `10/Oct/2000:13:55:36 -0700`. */
export const ACCESS_TIME_LENGTH = 26;

const zero = 48;

/** Reads the times of access logs. Many requests share a second, so the last time is kept. */
export class AccessTimes {
  #text = '';
  #t: number | null = null;

  /** Milliseconds since 1970; null when the text is no such time. */
  read(text: string): number | null {
    if (text !== this.#text) {
      this.#t = readAccessTime(text);
      this.#text = text;
    }
    return this.#t;
  }
}

function readAccessTime(text: string): number | null {
  if (text.length !== ACCESS_TIME_LENGTH || !shape.test(text)) return null;
  const wall = wallTime(
    two(text, 7) * 100 + two(text, 9),
    monthOf(text, 3),
    two(text, 0),
    two(text, 12),
    two(text, 15),
    two(text, 18),
  );
  if (wall === null) return null;
  return momentOf(wall - offsetMsOf(text.charAt(21), two(text, 22), two(text, 24)));
}

const shape = /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}$/;

const two = (text: string, at: number): number =>
  (text.charCodeAt(at) - zero) * 10 + text.charCodeAt(at + 1) - zero;
