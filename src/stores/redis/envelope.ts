import { digitsOf } from '../../core/digits.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import { formNamed } from '../../core/record-forms.ts';
import type { StoredRecord } from '../../core/records.ts';
import { jsonOfRecord, recordOfJson } from '../record-json.ts';
import type { Put } from '../step-records.ts';
import {
  NO_WRITER,
  readVersion,
  VERSION_WIDTH,
  type Version,
  versionPattern,
  versionText,
} from './versions.ts';

/*
 * The text of a record in Redis, made to be read in `redis-cli`:
 *
 *     <version> <keepUntil> <softUntil> <hardUntil> <JSON>
 *
 * Version and `keepUntil` have a fixed width, so that the commit script finds them without reading the rest. The three
 * times are the store's, in milliseconds; a block that does not run is 0. They stand outside the JSON so that
 * blocks are found and remembered without knowing what a record means.
 */

/** Digits of `keepUntil`: enough for milliseconds until the year 2286. */
export const TIME_WIDTH = 13;
const lastTime = 10 ** TIME_WIDTH - 1;

const startsWithVersion = new RegExp(`^${versionPattern} `);

/** What is stored under a key at one moment; nothing, as long as nothing else is said. */
export class Snapshot implements Version {
  writer = NO_WRITER;
  count = 0;
  // A field that begins with a number has a place for it of its own, which is written over; V8 makes a new object of each
  // large number that comes into any other. Blocks are rare, and their times mostly 0: a place of their own would be wasted.
  keepUntil = 0;
  softUntil: number;
  hardUntil: number;
  /** Monotonic time at which the command that showed it was sent: it is no fresher than that. */
  seenAtMs = Number.NEGATIVE_INFINITY;
  /**
   * What was asked for before this monotonic time may be older, whenever its answer comes. Of a record that this process
   * has written it is the time of the reply: the command may have been sent, or sent again, long after it was made.
   */
  latestAtMs = Number.NEGATIVE_INFINITY;
  /** Whether others than the cache of warm records have it, and may look at it whenever they like. */
  isShared = false;
  readonly #json: string;
  #form: string | undefined;
  #value: StoredRecord | undefined;

  private constructor(json = '') {
    this.softUntil = 0;
    this.hardUntil = 0;
    this.#json = json;
  }

  /** Nothing was there. */
  static absent(seenAtMs: number): Snapshot {
    return new Snapshot().#seen(seenAtMs);
  }

  /** Of a record that was written before this monotonic time, and is to be read again by whoever needs it. */
  static passed(latestAtMs: number): Snapshot {
    const snapshot = new Snapshot();
    snapshot.latestAtMs = latestAtMs;
    return snapshot;
  }

  /**
   * Takes a reply apart. The JSON is read only when a step asks for it.
   *
   * @throws Fault `RECORD_CORRUPT` when the text is not an envelope.
   */
  static read(text: string, seenAtMs: number): Snapshot {
    const keepAt = VERSION_WIDTH + 1;
    const softAt = text.indexOf(' ', keepAt) + 1;
    const hardAt = text.indexOf(' ', softAt) + 1;
    const jsonAt = text.indexOf(' ', hardAt) + 1;
    const whole = startsWithVersion.test(text) && softAt > keepAt && hardAt > softAt && jsonAt > hardAt;
    if (!whole) throw corrupt(text);
    const snapshot = new Snapshot(text.slice(jsonAt)).#seen(seenAtMs);
    readVersion(text, snapshot);
    snapshot.keepUntil = timeIn(text, keepAt, softAt);
    snapshot.softUntil = timeIn(text, softAt, hardAt);
    snapshot.hardUntil = timeIn(text, hardAt, jsonAt);
    return snapshot;
  }

  /** A record that is to be written. */
  static unwritten(put: Put, now: number): Snapshot {
    const snapshot = new Snapshot();
    snapshot.rewrite(put, now);
    return snapshot;
  }

  /**
   * Makes it a record that is to be written, its times absolute. They are whole milliseconds; a fraction is rounded so that
   * nothing ends early.
   */
  rewrite({ value, retention, form }: Put, now: number): void {
    const { keepMs, softMs, hardMs } = retention;
    this.writer = NO_WRITER;
    this.keepUntil = Math.ceil(now + keepMs);
    this.softUntil = softMs > 0 ? Math.ceil(now + softMs) : 0;
    this.hardUntil = hardMs > 0 ? Math.ceil(now + hardMs) : 0;
    this.#form = form;
    this.#value = value;
  }

  /** Whether it can be written over once it is no longer current: see {@link draftOf}. */
  get isReusable(): boolean {
    return !this.isShared && formNamed(this.#form)?.copy !== undefined;
  }

  /** Its record, made to say what another one of the same form does: what is changed here is not changed there. */
  draftOf(record: StoredRecord): StoredRecord {
    const own = this.#value as StoredRecord;
    formNamed(this.#form)?.copy?.(record, own);
    return own;
  }

  /** Whether this is its record. */
  holds(record: StoredRecord): boolean {
    return this.#value === record;
  }

  /** The text that Redis is to store. */
  textFor(version: Version): string {
    const { keepUntil, softUntil, hardUntil } = this;
    const json = this.#value === undefined ? this.#json : jsonOfRecord(this.#value, this.#form);
    const head = `${versionText(version)} ${timeText(keepUntil)}`;
    // In few parts for nearly all: each one that is joined is an object.
    if (softUntil === 0 && hardUntil === 0) return `${head} 0 0 ${json}`;
    return `${head} ${softUntil} ${hardUntil} ${json}`;
  }

  /** Redis has it, under this version: nobody needs to read it back. */
  written({ writer, count }: Version, sentAtMs: number, answeredAtMs: number): void {
    this.writer = writer;
    this.count = count;
    this.seenAtMs = sentAtMs;
    this.latestAtMs = answeredAtMs;
  }

  /**
   * The record, or undefined where there is none or its expiry has come, whether or not Redis has dropped it.
   *
   * @param form that of its key, where there is one at hand
   */
  valueAt(now: number, form?: string): StoredRecord | undefined {
    if (now >= this.keepUntil) return undefined;
    this.#value ??= recordOfJson(this.#json, form);
    return this.#value;
  }

  isHardBlocked(now: number): boolean {
    return now < this.hardUntil && now < this.keepUntil;
  }

  /** Whether a block of either kind runs. */
  isHeld(now: number): boolean {
    return (now < this.hardUntil || now < this.softUntil) && now < this.keepUntil;
  }

  #seen(atMs: number): this {
    this.seenAtMs = atMs;
    this.latestAtMs = atMs;
    return this;
  }
}

/** The commit script finds the time by its width. */
function timeText(time: number): string {
  const text = digitsOf(time);
  return text.length === TIME_WIDTH ? text : String(Math.min(time, lastTime)).padStart(TIME_WIDTH, '0');
}

function timeIn(text: string, from: number, to: number): number {
  const time = Number(text.slice(from, to - 1));
  if (!Number.isSafeInteger(time) || time < 0) throw corrupt(text);
  return time;
}

function corrupt(text: string): Fault {
  return new Fault('RECORD_CORRUPT', `A stored record is ${shapeOf(text)} that is not an envelope.`);
}
