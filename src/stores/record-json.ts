import { Fault, shapeOf } from '../core/fault.ts';
import type { Fields } from '../core/form-fields.ts';
import { formNamed, type RecordForm, textOf } from '../core/record-forms.ts';
import type { StoredRecord } from '../core/records.ts';
import { cleanStanding } from '../core/standing.ts';

/**
 * The JSON that a store keeps a record in.
 *
 * @param form that of its key
 */
export function jsonOfRecord(record: StoredRecord, form: string | undefined): string {
  return form === undefined ? JSON.stringify(record) : textOf(knownForm(form), record);
}

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
  if (isRecord(value)) {
    return 'form' in value ? knownForm(value.form).read(value, value.at) : withStandings(value);
  }
  throw new Fault('RECORD_CORRUPT', `A stored record is ${shapeOf(value)}, without the time of its write.`);
}

function isRecord(value: unknown): value is StoredRecord & Fields {
  return typeof value === 'object' && value !== null && 'at' in value && Number.isSafeInteger(value.at);
}

function knownForm(name: unknown): RecordForm<StoredRecord> {
  const form = formNamed(name);
  if (form !== undefined) return form;
  throw new Fault('RECORD_CORRUPT', `A stored record has ${shapeOf(name)} as its form, which is none.`);
}

/** A clean standing is null in JSON, that of the record and those of the devices in it. */
function withStandings(record: StoredRecord & { readonly devices?: unknown }): StoredRecord {
  restoreStanding(record);
  if (Array.isArray(record.devices)) for (const device of record.devices) restoreStanding(device);
  return record;
}

function restoreStanding(holder: unknown): void {
  if (typeof holder !== 'object' || holder === null || !('standing' in holder)) return;
  if (holder.standing === null) holder.standing = cleanStanding;
}
