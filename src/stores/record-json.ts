import { Fault, shapeOf } from '../core/fault.ts';
import type { StoredRecord } from '../core/records.ts';

/**
 * Reads a record from the JSON a store keeps it in. Numbers of a record are whole and below 2^53, so they come back
 * as they were.
 *
 * @throws Fault `RECORD_CORRUPT` when the text is not the JSON of a record.
 */
export function recordOfJson(json: string): StoredRecord {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new Fault('RECORD_CORRUPT', 'A stored record is not JSON.', { cause });
  }
  if (isRecord(value)) return value;
  throw new Fault('RECORD_CORRUPT', `A stored record is ${shapeOf(value)}, without the time of its write.`);
}

function isRecord(value: unknown): value is StoredRecord {
  return typeof value === 'object' && value !== null && 'at' in value && Number.isSafeInteger(value.at);
}
