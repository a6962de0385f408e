import { MAX_TIME_MS } from '../../abuse/log-formats/calendar.ts';
import { Recent } from '../../identity/recent.ts';
import { parseEventLine, type ReplayEvent, type Words } from './event-line.ts';

/** What follows time and operation in a line, as it is written and as it is meant. */
interface KnownRest extends Words {
  readonly text: string;
  readonly event: ReplayEvent;
}

const opening = '{"t":';
/** The first digit, and no zero: JSON has none in front. */
const timeAt = opening.length;
const ZERO = 48;
const NINE = 57;

/** How the operation of a login stands between the time and the rest, which begins with the last character of this. */
const middles = (['check', 'fail', 'succeed'] as const).map((op) => ({ op, text: `,"op":"${op}","` }));

const beforeAccount = '"account":"';
const longestAccount = 128;
const longestRest = 1024;

/** So many accounts are met again, and then it is seen whether it was worth to keep their words. */
const judgedAfter = 512;
/** The part of them that has to have said the same: to keep words costs somewhat more than to find them again spares. */
const worthShare = 0.7;
/** Else so many lines are read without. */
const restLines = 64 * judgedAfter;

/**
 * Reads event lines as `parseEventLine` does, in less time: an account mostly comes again with the same words, and only the
 * time and the operation in front of them are others. So the latest words of an account are kept, and read only once. To keep
 * words that are not said again costs more than it spares: where few are, most lines are read without.
 */
export class EventReader {
  readonly #known: Recent<KnownRest>;
  #time = 0;
  /** How many accounts were met again, and how many of them have said the same. */
  #met = 0;
  #same = 0;
  /** How many lines are still to be read without. */
  #resting = 0;

  /** @param remembered how many accounts, at least */
  constructor(remembered: number) {
    this.#known = new Recent(remembered, longestAccount, copyOf);
  }

  /** @throws Fault `INPUT_INVALID` that names the field */
  read(line: string): ReplayEvent {
    if (this.#resting > 0) {
      this.#resting -= 1;
      return parseEventLine(line);
    }
    const middleAt = this.#readTime(line);
    if (middleAt === null) return parseEventLine(line);
    for (const { op, text } of middles)
      if (line.startsWith(text, middleAt)) return this.#readRest(line, op, middleAt + text.length - 1);
    return parseEventLine(line);
  }

  /** Where the time ends; null where it is not the first that the line says, or not as it is mostly written. */
  #readTime(line: string): number | null {
    if (!line.startsWith(opening)) return null;
    let time = 0;
    let at = timeAt;
    for (let code = line.charCodeAt(at); code >= ZERO && code <= NINE; code = line.charCodeAt(at)) {
      time = 10 * time + code - ZERO;
      at += 1;
    }
    if (at === timeAt || time > MAX_TIME_MS) return null;
    if (line.charCodeAt(timeAt) === ZERO) return null;
    this.#time = time;
    return at;
  }

  #readRest(line: string, op: ReplayEvent['op'], restAt: number): ReplayEvent {
    const account = accountIn(line, restAt);
    const known = this.#known.get(account);
    const rest = line.slice(restAt);
    const isSame = known?.text === rest;
    if (known !== undefined) this.#judge(isSame);
    if (known !== undefined && isSame) return eventAt(this.#time, op, known);
    const event = parseEventLine(line);
    if (isIndependent(rest))
      this.#known.set(account, { text: copyOf(rest), event, heardBy: null, subject: null });
    return event;
  }

  #judge(isSame: boolean): void {
    this.#met += 1;
    if (isSame) this.#same += 1;
    if (this.#met < judgedAfter) return;
    if (this.#same < worthShare * this.#met) this.#resting = restLines;
    this.#met = 0;
    this.#same = 0;
  }
}

/** Names the fields: what is spread is of another shape to V8, and all that follows would meet both. */
function eventAt(t: number, op: ReplayEvent['op'], words: KnownRest): ReplayEvent {
  const { action, account, ip, ua, device, cost } = words.event;
  return { t, op, action, account, ip, ua, device, cost, words };
}

/** What stands where an account mostly does. What it is for is to find words again: those are compared whole. */
function accountIn(line: string, from: number): string {
  const at = line.indexOf(beforeAccount, from) + beforeAccount.length;
  return line.slice(at, line.indexOf('"', at));
}

/** Whether it says nothing of time and operation itself, which would then be others than those in front. */
const isIndependent = (rest: string): boolean =>
  rest.length <= longestRest && !rest.includes('\\') && !rest.includes('"t"') && !rest.includes('"op"');

/** A part of a text holds the whole text in memory: that of a line, all that was read with it. */
const copyOf = (text: string): string => Buffer.from(text).toString();
