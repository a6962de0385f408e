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
 * @param form that of its key; where no key is at hand, or its key has none, a record is what it says that it is
 * @throws Fault `RECORD_CORRUPT` when the text is not the JSON of a record, or not of one in this form.
 */
export function recordOfJson(json: string, form?: string): StoredRecord {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new Fault('RECORD_CORRUPT', 'A stored record is not JSON.', { cause });
  }
  if (!isRecord(value))
    throw new Fault('RECORD_CORRUPT', `A stored record is ${shapeOf(value)}, without the time of its write.`);
  if (!('form' in value))
    return form === undefined ? withStandings(value) : readInFull(knownForm(form), withStandings(value));
  if (form === undefined || value.form === form) return knownForm(value.form).read(value, value.at);
  throw new Fault('RECORD_CORRUPT', `A stored record has another form than ${form}, which its key says.`);
}

/** Of a record without a form under a key that has one, from before there were forms: it is one that the form can write. */
function readInFull(form: RecordForm<StoredRecord>, record: StoredRecord): StoredRecord {
  try {
    return form.read(JSON.parse(textOf(form, record)), record.at);
  } catch (cause) {
    throw new Fault('RECORD_CORRUPT', `A stored record is none of the form ${form.name}.`, { cause });
  }
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
