import { MAX_TIME_MS } from '../../abuse/log-formats/calendar.ts';
import { Generations } from '../../identity/recent.ts';
import { parseEventLine, type ReplayEvent, type Words } from './event-line.ts';
import type { Line } from './input-line.ts';

/** What follows time and operation in a line, as it is written and as it is meant. */
interface KnownRest extends Words {
  readonly text: string;
  readonly event: ReplayEvent;
}

const opening = bytesOf('{"t":');
const ZERO = 48;
const NINE = 57;

/** How the operation stands between the time and the rest, which begins with the last character of this. */
const middles = (['check', 'fail', 'succeed', 'consume'] as const).map((op) => ({
  op,
  bytes: bytesOf(`,"op":"${op}","`),
}));

const longestRest = 1024;

/** How many prints of words that were said once are noted: a power of two, and no more than a core has near at hand. */
const NOTED = 2 ** 16;

/** After so many lines it is seen whether it was worth to look for words that were said before. */
const JUDGED_AFTER = 4_096;
/** The part of them that has to have said what others had: to look costs a fifth of what it spares where they have. */
const WORTH_SHARE = 1 / 8;
/** Else so many lines are read without. */
const REST_LINES = 7 * JUDGED_AFTER;

/**
 * Reads event lines as `parseEventLine` does, in less time: the same people come again with the same words, and only the time
 * and the operation in front of them are others. Words that are said a second time are kept, and read only once from then on:
 * to keep those that nobody says again would cost more than it spares. Where hardly any are said again, most lines are read
 * without a look for them.
 */
export class EventReader {
  readonly #known: Generations<number, KnownRest>;
  readonly #printOf: typeof printOf;
  /** The prints of words that were said, each until another one of its place is. */
  readonly #said = new Int32Array(NOTED);
  #time = 0;
  /** How many lines were looked at since the latest judgement, and how many of them have said what was known. */
  #looked = 0;
  #again = 0;
  /** How many lines are still to be read without. */
  #resting = 0;

  /**
   * @param remembered how many words, at least
   * @param print a number for the bytes of words, by which they are looked for; those of others may be the same
   */
  constructor(remembered: number, print = printOf) {
    this.#known = new Generations(remembered);
    this.#printOf = print;
  }

  /** @throws Fault `INPUT_INVALID` that names the field */
  read(line: Line): ReplayEvent {
    if (this.#resting > 0) {
      this.#resting -= 1;
      return parseEventLine(line.text);
    }
    const middleAt = this.#readTime(line);
    if (middleAt === null) return parseEventLine(line.text);
    for (const { op, bytes } of middles)
      if (standsAt(line.block, middleAt, bytes)) return this.#readRest(line, op, middleAt + bytes.length - 1);
    return parseEventLine(line.text);
  }

  /** Where the time ends; null where it is not the first that the line says, or not as it is mostly written. */
  #readTime({ block, start }: Line): number | null {
    if (!standsAt(block, start, opening)) return null;
    const timeAt = start + opening.length;
    // No zero in front: JSON has none there.
    if (block[timeAt] === ZERO) return null;
    let time = 0;
    let at = timeAt;
    for (let digit = block[at]; digit !== undefined && digit >= ZERO && digit <= NINE; digit = block[at]) {
      time = 10 * time + digit - ZERO;
      at += 1;
    }
    if (at === timeAt || time > MAX_TIME_MS) return null;
    this.#time = time;
    return at;
  }

  #readRest({ text, block, start, end }: Line, op: ReplayEvent['op'], restAt: number): ReplayEvent {
    const print = this.#printOf(block, restAt, end);
    const known = this.#known.get(print);
    // Before the rest each character is a byte.
    const before = restAt - start;
    const isKnown = known !== undefined && isSaid(known, op, text, before);
    this.#judge(isKnown);
    if (isKnown) return eventAt(this.#time, op, known);
    const event = parseEventLine(text);
    const words = this.#isSaidBefore(print) ? wordsOf(event, text.slice(before)) : null;
    if (words === null) return event;
    this.#known.set(print, words);
    return eventAt(this.#time, op, words);
  }

  #judge(isKnown: boolean): void {
    this.#looked += 1;
    if (isKnown) this.#again += 1;
    if (this.#looked < JUDGED_AFTER) return;
    if (this.#again < WORTH_SHARE * this.#looked) this.#resting = REST_LINES;
    this.#looked = 0;
    this.#again = 0;
  }

  #isSaidBefore(print: number): boolean {
    const place = print & (NOTED - 1);
    if (this.#said[place] === print) return true;
    this.#said[place] = print;
    return false;
  }
}

/** Whether a line says these words from there on. What they leave out is not the same for a call as for credentials. */
function isSaid({ text, event }: KnownRest, op: ReplayEvent['op'], line: string, from: number): boolean {
  if (line.length - from !== text.length || (op === 'consume') !== (event.op === 'consume')) return false;
  return line.endsWith(text);
}

/** Names the fields: what is spread is of another shape to V8, and all that follows would meet both. */
function eventAt(t: number, op: ReplayEvent['op'], words: KnownRest): ReplayEvent {
  const { action, account, ip, ua, device, cost } = words.event;
  return { t, op, action, account, ip, ua, device, cost, words };
}

function standsAt(block: Uint8Array, at: number, bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index += 1) if (block[at + index] !== bytes[index]) return false;
  return true;
}

/** Any odd number with its bits all over. */
const SPREAD = 0x9e3779b1;

function printOf(block: Uint8Array, from: number, to: number): number {
  let print = to - from;
  let at = from;
  for (; at + 3 < to; at += 4) {
    const four =
      (block[at] as number) |
      ((block[at + 1] as number) << 8) |
      ((block[at + 2] as number) << 16) |
      ((block[at + 3] as number) << 24);
    print = Math.imul(print ^ four, SPREAD);
    print ^= print >>> 15;
  }
  for (; at < to; at += 1) print = Math.imul(print ^ (block[at] as number), SPREAD);
  return print ^ (print >>> 15);
}

/** Null where it cannot be read apart from the time and the operation in front of it. */
function wordsOf(event: ReplayEvent, rest: string): KnownRest | null {
  return isIndependent(rest) ? { text: copyOf(rest), event, heardBy: null, request: null } : null;
}

/** Whether it says nothing of time and operation itself, which would then be others than those in front. */
const isIndependent = (rest: string): boolean =>
  rest.length <= longestRest && !rest.includes('\\') && !rest.includes('"t"') && !rest.includes('"op"');

/** A part of a text holds the whole text in memory: that of a line, all that was read with it. */
const copyOf = (text: string): string => Buffer.from(text).toString();

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
