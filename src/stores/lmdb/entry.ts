import { Fault, shapeOf } from '../../core/fault.ts';
import type { StoredRecord } from '../../core/records.ts';
import { jsonOfRecord, recordOfJson } from '../record-json.ts';
import type { Put } from '../step-records.ts';
import { ifReadable } from '../unreadable.ts';

/**
 * A record as it stands in the file: `<expiresAt> <heldUntil> <JSON>`. The times are the store's, in milliseconds, and
 * stand outside the JSON, so that records are dropped and listed without knowing what they mean.
 */
export interface Entry {
  /** From this time on the record counts as absent. */
  readonly expiresAt: number;
  /** Until then a block on it runs; 0 if its last write left none, or once it was found ended. */
  readonly heldUntil: number;
  readonly json: string;
}

/** Makes a put absolute in time. A fraction of a millisecond is rounded so that nothing ends early. */
export function entryOf({ value, retention, form }: Put, now: number): Entry {
  const heldMs = Math.max(retention.softMs, retention.hardMs);
  return {
    expiresAt: Math.ceil(now + retention.keepMs),
    heldUntil: heldMs > 0 ? Math.ceil(now + heldMs) : 0,
    json: jsonOfRecord(value, form),
  };
}

export function textOfEntry({ expiresAt, heldUntil, json }: Entry): string {
  return `${expiresAt} ${heldUntil} ${json}`;
}

/** @throws Fault `RECORD_CORRUPT` when the text is not an entry. */
export function entryOfText(text: string): Entry {
  const heldAt = text.indexOf(' ') + 1;
  const jsonAt = text.indexOf(' ', heldAt) + 1;
  const expiresAt = Number(text.slice(0, heldAt - 1));
  const heldUntil = Number(text.slice(heldAt, jsonAt - 1));
  const isWhole = heldAt > 1 && jsonAt > heldAt + 1;
  if (isWhole && Number.isSafeInteger(expiresAt) && Number.isSafeInteger(heldUntil)) {
    return { expiresAt, heldUntil, json: text.slice(jsonAt) };
  }
  throw new Fault('RECORD_CORRUPT', `A stored record is ${shapeOf(text)} without its times.`);
}

/** Whether the text is an entry with a record in it, in the form of its key if that is known. */
export function isReadable(text: string, form?: string): boolean {
  return ifReadable(() => recordOfJson(entryOfText(text).json, form)) !== undefined;
}

/** The record in it, or undefined once its expiry has come, whether or not it has been dropped. */
export function recordAt(entry: Entry, now: number, form?: string): StoredRecord | undefined {
  return now < entry.expiresAt ? recordOfJson(entry.json, form) : undefined;
}
