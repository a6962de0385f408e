import { Fault, shapeOf } from '../../core/fault.ts';
import type { Retention, StoredRecord } from '../../core/records.ts';

/**
 * The text of a record in Redis, made to be read in `redis-cli`:
 *
 *     <version> <keepUntil> <softUntil> <hardUntil> <JSON>
 *
 * The version comes first and has a fixed width, so that the commit script compares it without reading the rest. The
 * three times are the store's, in milliseconds; a block that does not run is 0. They stand outside the JSON so that
 * blocks are found and remembered without knowing what a record means.
 */
export const VERSION_WIDTH = 16;

/** The version of a record that is not there. */
export const NO_VERSION = '';

/** What was stored under a key at one moment; `version` is {@link NO_VERSION} if nothing was. */
export class Snapshot {
  readonly version: string;
  readonly keepUntil: number;
  readonly softUntil: number;
  readonly hardUntil: number;
  /** Monotonic time at which the command that showed it was sent: it is no fresher than that. */
  readonly seenAtMs: number;
  readonly #json: string;
  #value: StoredRecord | undefined;

  private constructor(fields: SnapshotFields) {
    this.version = fields.version;
    this.keepUntil = fields.keepUntil;
    this.softUntil = fields.softUntil;
    this.hardUntil = fields.hardUntil;
    this.seenAtMs = fields.seenAtMs;
    this.#json = fields.json;
    this.#value = fields.value;
  }

  /**
   * Takes a reply apart. The JSON is read only when a step asks for it.
   *
   * @throws Fault `RECORD_CORRUPT` when the text is not an envelope.
   */
  static read(text: string | null, seenAtMs: number): Snapshot {
    if (text === null) return new Snapshot({ ...absence, seenAtMs });
    const keepAt = VERSION_WIDTH + 1;
    const softAt = text.indexOf(' ', keepAt) + 1;
    const hardAt = text.indexOf(' ', softAt) + 1;
    const jsonAt = text.indexOf(' ', hardAt) + 1;
    const whole = text[VERSION_WIDTH] === ' ' && softAt > keepAt && hardAt > softAt && jsonAt > hardAt;
    if (!whole) throw corrupt(text);
    return new Snapshot({
      version: text.slice(0, VERSION_WIDTH),
      keepUntil: timeIn(text, keepAt, softAt),
      softUntil: timeIn(text, softAt, hardAt),
      hardUntil: timeIn(text, hardAt, jsonAt),
      seenAtMs,
      json: text.slice(jsonAt),
      value: undefined,
    });
  }

  /** What a commit has just left behind, without reading it back. */
  static written(write: Write, version: string, seenAtMs: number): Snapshot {
    if (write.keepMs === 0) return new Snapshot({ ...absence, seenAtMs });
    const { value, keepUntil, softUntil, hardUntil } = write;
    return new Snapshot({ version, keepUntil, softUntil, hardUntil, seenAtMs, json: '', value });
  }

  /** The record, or undefined where there is none or its expiry has come, whether or not Redis has dropped it. */
  valueAt(now: number): StoredRecord | undefined {
    if (now >= this.keepUntil) return undefined;
    this.#value ??= parse(this.#json);
    return this.#value;
  }

  isHardBlocked(now: number): boolean {
    return now < this.hardUntil && now < this.keepUntil;
  }

  /** Whether a block of either kind runs. */
  isHeld(now: number): boolean {
    return (now < this.hardUntil || now < this.softUntil) && now < this.keepUntil;
  }
}

interface SnapshotFields {
  readonly version: string;
  readonly keepUntil: number;
  readonly softUntil: number;
  readonly hardUntil: number;
  readonly seenAtMs: number;
  readonly json: string;
  readonly value: StoredRecord | undefined;
}

const absence = {
  version: NO_VERSION,
  keepUntil: 0,
  softUntil: 0,
  hardUntil: 0,
  json: '',
  value: undefined,
} as const;

/** A record to be written, its times made absolute. */
export interface Write {
  readonly value: StoredRecord;
  readonly keepMs: number;
  readonly keepUntil: number;
  readonly softUntil: number;
  readonly hardUntil: number;
}

/** Makes a retention absolute. Times are whole milliseconds; a fraction is rounded so that nothing ends early. */
export function writeOf(value: StoredRecord, retention: Retention, now: number): Write {
  const { keepMs, softMs, hardMs } = retention;
  return {
    value,
    keepMs: Math.max(0, Math.ceil(keepMs)),
    keepUntil: Math.ceil(now + keepMs),
    softUntil: softMs > 0 ? Math.ceil(now + softMs) : 0,
    hardUntil: hardMs > 0 ? Math.ceil(now + hardMs) : 0,
  };
}

/** The text that Redis stores. */
export function textOf(write: Write, version: string): string {
  const { keepUntil, softUntil, hardUntil, value } = write;
  return `${version} ${keepUntil} ${softUntil} ${hardUntil} ${JSON.stringify(value)}`;
}

function timeIn(text: string, from: number, to: number): number {
  const time = Number(text.slice(from, to - 1));
  if (!Number.isSafeInteger(time) || time < 0) throw corrupt(text);
  return time;
}

function parse(json: string): StoredRecord {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new Fault('RECORD_CORRUPT', 'A stored record is not JSON.', { cause });
  }
  if (isRecord(value)) return value;
  throw new Fault(
    'RECORD_CORRUPT',
    `A stored record is ${shapeOf(value)}, not an object with the time of its write.`,
  );
}

function isRecord(value: unknown): value is StoredRecord {
  return typeof value === 'object' && value !== null && 'at' in value && typeof value.at === 'number';
}

function corrupt(text: string): Fault {
  return new Fault('RECORD_CORRUPT', `A stored record is ${shapeOf(text)} that is not an envelope.`);
}
