import { Fault, invariant } from '../../core/fault.ts';
import type { Draft, Key, Records, Retention, StoredRecord } from '../../core/records.ts';
import { unnamedKey } from '../unnamed-key.ts';
import { type BoundedTable, valueAt } from './bounded-table.ts';
import { type Entry, newEntry, type Put } from './entry.ts';

/** The keys that may be used; null where the caller is believed to use none that it has not named. */
export type NamedKeys = readonly Key[] | null;

/** Those of a look or step that has ended. */
const noKeys: readonly Key[] = [];

/** The records of one look: reads through to the table. */
export class LookRecords implements Records {
  readonly #table: BoundedTable;
  readonly #now: number;
  #keys: NamedKeys;

  constructor(table: BoundedTable, keys: NamedKeys, now: number) {
    this.#table = table;
    this.#keys = keys;
    this.#now = now;
  }

  get<R extends StoredRecord>(key: Key<R>): R | undefined {
    if (this.#keys !== null) assertNamed(key, this.#keys);
    const found = valueAt(this.#table.find(key), this.#now);
    if (found !== undefined || key.was === null) return found as R | undefined;
    return valueAt(this.#table.findText(key.was), this.#now) as R | undefined;
  }

  put(): never {
    throw new Fault('INVARIANT_BROKEN', 'A look may not put a record.');
  }

  /** From now on any use is a bug. */
  end(): void {
    this.#keys = noKeys;
  }
}

/** The records of one step: reads through to the table, keeps writes back until the step has ended well. */
export class StepRecords implements Records {
  readonly #table: BoundedTable;
  readonly #now: number;
  /** What the table had written when the step began. */
  readonly #before: number;
  #keys: NamedKeys;
  /** What the step has put, one for each entry, as a chain. */
  #first: Put | null = null;
  #last: Put | null = null;

  constructor(table: BoundedTable, keys: NamedKeys, now: number) {
    this.#table = table;
    this.#keys = keys;
    this.#now = now;
    this.#before = table.written;
  }

  get<R extends StoredRecord>(key: Key<R>): R | undefined {
    const found = this.own(key);
    if (found !== undefined || key.was === null) return found as R | undefined;
    return valueAt(this.#table.findText(key.was), this.#now) as R | undefined;
  }

  /** What the step has put, else the table's own record: a step runs to its end before anybody else looks. */
  own<R extends StoredRecord>(key: Key<R>): Draft<R> | undefined {
    const entry = this.#entryOf(key);
    const put = this.#first === null || entry === undefined ? null : this.#putInto(entry);
    return (put === null ? valueAt(entry, this.#now) : put.value) as Draft<R> | undefined;
  }

  put<R extends StoredRecord>(key: Key<R>, value: R | Draft<R>, retention: Retention): void {
    const entry = this.#entryOf(key) ?? newEntry(key.text);
    const before = this.#first === null ? null : this.#putInto(entry);
    if (before !== null) {
      before.value = value;
      before.retention = retention;
    } else if (!this.#table.keep(entry, value, retention, this.#now)) {
      this.#chain({ entry, value, retention, bytes: 0, next: null });
    }
  }

  /** Writes what was put. */
  commit(): void {
    if (this.#first !== null) this.#table.commit(this.#first, this.#now, this.#before);
  }

  /** From now on any use is a bug: a step that is still running after its end would write into nothing. */
  end(): void {
    this.#keys = noKeys;
  }

  /** In the table, or one that the step has made: that joins the table only when the step commits. */
  #entryOf(key: Key): Entry | undefined {
    if (this.#keys !== null) assertNamed(key, this.#keys);
    const entry = this.#table.find(key);
    return entry === undefined && this.#first !== null ? this.#madeEntry(key.text) : entry;
  }

  #madeEntry(text: string): Entry | undefined {
    for (let put = this.#first; put !== null; put = put.next) if (put.entry.text === text) return put.entry;
    return undefined;
  }

  #putInto(entry: Entry): Put | null {
    for (let put = this.#first; put !== null; put = put.next) if (put.entry === entry) return put;
    return null;
  }

  #chain(put: Put): void {
    if (this.#last === null) this.#first = put;
    else this.#last.next = put;
    this.#last = put;
  }
}

function assertNamed(key: Key, keys: readonly Key[]): void {
  invariant(keys !== noKeys, 'Records were used after their step had ended.');
  // Keys of the same text are the same: but texts take long to compare, and nearly always it is the key itself.
  if (keys.includes(key)) return;
  for (const { text } of keys) if (text === key.text) return;
  throw unnamedKey(key);
}
