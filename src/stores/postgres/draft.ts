import type { StoredRecord } from '../../core/records.ts';
import type { Call } from '../pending-call.ts';
import { jsonOfRecord } from '../record-json.ts';
import { type FindRecord, type Put, StepRecords } from '../step-records.ts';
import type { Rows } from './rows.ts';

/** A record as it is to be written. */
export interface Write {
  readonly value: StoredRecord;
  readonly json: string;
  readonly expiresAt: number;
  /** 0 without a block. */
  readonly heldUntil: number;
}

/** What a number of steps, one after the other, make of the rows that were read. */
export interface Draft {
  readonly rows: Rows;
  /**
   * Those of the rows that the steps have asked for or write. While a secret is rotated, the previous name of a record that has
   * its new one decides nothing, and nodes that still have the old secret go on writing it.
   */
  readonly restsOn: Rows;
  readonly writes: ReadonlyMap<string, Write>;
  /** Answers every caller; only when the writes have happened. */
  settle(): void;
}

/** Runs the steps in order, each on what the ones before it have put. A step that throws puts nothing. */
export function draftOf(calls: readonly Call[], rows: Rows, now: number): Draft {
  const writes = new Map<string, Write>();
  const asked = new Set<string>();
  const answers: (() => void)[] = [];
  const find: FindRecord = (text, form) => {
    asked.add(text);
    const write = writes.get(text);
    if (write === undefined) return rows.get(text)?.valueAt(now, form);
    return write.expiresAt > now ? write.value : undefined;
  };
  for (const call of calls) {
    if (call.isOver) continue;
    const records = new StepRecords(call.keys, find, 'step');
    try {
      const answer = call.run(records, now);
      const made = [...records.puts].map(([text, put]) => [text, writeOf(put, now)] as const);
      for (const [text, write] of made) writes.set(text, write);
      answers.push(answer);
    } catch (error) {
      answers.push(() => call.reject(error));
    } finally {
      records.end();
    }
  }
  const restsOn = new Map([...rows].filter(([text]) => asked.has(text) || writes.has(text)));
  return { rows, restsOn, writes, settle: () => answers.forEach((answer) => void answer()) };
}

/** Times are whole milliseconds; a fraction is rounded so that nothing ends early. */
function writeOf({ value, retention, form }: Put, now: number): Write {
  const heldMs = Math.max(retention.softMs, retention.hardMs);
  return {
    value,
    json: inAscii(jsonOfRecord(value, form)),
    expiresAt: Math.ceil(now + retention.keepMs),
    heldUntil: heldMs > 0 ? Math.ceil(now + heldMs) : 0,
  };
}

const beyondAscii = /[\u0080-\uffff]/g;

/** The same JSON in characters that every database has, whatever its encoding: an operator writes as they like. */
const inAscii = (json: string): string =>
  json.replace(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
