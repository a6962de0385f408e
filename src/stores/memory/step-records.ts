import { invariant } from '../../core/fault.ts';
import type { Draft, Key, Records, Retention, StoredRecord } from '../../core/records.ts';
import { unnamedKey } from '../unnamed-key.ts';
import { type BoundedTable, valueAt } from './bounded-table.ts';
import { type Entry, newEntry, type Put } from './entry.ts';

/** The records of one look or step: reads through to the table, keeps writes back until the step has ended well. */
export class StepRecords implements Records {
  readonly #table: BoundedTable;
  readonly #keys: readonly Key[];
  readonly #now: number;
  #use: 'look' | 'step' | 'ended';
  /** What the step has put, one for each entry, as a chain. */
  #first: Put | null = null;
  #last: Put | null = null;
  /** The key that was used last, and its entry: a rule that gets a record mostly puts it next. */
  #latestKey: Key | null = null;
  #latestEntry: Entry | undefined;

  constructor(table: BoundedTable, keys: readonly Key[], now: number, use: 'look' | 'step') {
    this.#table = table;
    this.#keys = keys;
    this.#now = now;
    this.#use = use;
  }

  get<R extends StoredRecord>(key: Key<R>): R | undefined {
    const found = this.#valueOf(key);
    if (found !== undefined || key.was === null) return found as R | undefined;
    return valueAt(this.#table.findText(key.was), this.#now) as R | undefined;
  }

  /** The table's own record: a step runs to its end before anybody else looks. */
  own<R extends StoredRecord>(key: Key<R>): Draft<R> | undefined {
    invariant(this.#use === 'step', 'A look may not change a record.');
    return this.#valueOf(key) as Draft<R> | undefined;
  }

  put<R extends StoredRecord>(key: Key<R>, value: R | Draft<R>, retention: Retention): void {
    invariant(this.#use === 'step', 'A look may not put a record.');
    const entry = this.#entryOf(key) ?? this.#newEntry(key);
    const before = this.#putInto(entry);
    if (before === null) {
      this.#chain({ entry, value, retention, bytes: 0, next: null });
      return;
    }
    before.value = value;
    before.retention = retention;
  }

  /** Writes what was put. */
  commit(sweep: boolean): void {
    if (this.#first !== null) this.#table.commit(this.#first, this.#now, sweep);
  }

  /** From now on any use is a bug: a step that is still running after its end would write into nothing. */
  end(): void {
    this.#use = 'ended';
    this.#latestKey = null;
  }

  /** What the step has put, else what is in the table. */
  #valueOf(key: Key): StoredRecord | undefined {
    const entry = this.#entryOf(key);
    if (entry === undefined) return undefined;
    return this.#putInto(entry)?.value ?? valueAt(entry, this.#now);
  }

  #entryOf(key: Key): Entry | undefined {
    return key === this.#latestKey ? this.#latestEntry : this.#find(key);
  }

  #find(key: Key): Entry | undefined {
    this.#assertUsable(key);
    this.#latestKey = key;
    this.#latestEntry = this.#table.find(key) ?? this.#ownEntry(key.text);
    return this.#latestEntry;
  }

  /** One that the step has made: it joins the table only when the step commits. */
  #ownEntry(text: string): Entry | undefined {
    for (let put = this.#first; put !== null; put = put.next) if (put.entry.text === text) return put.entry;
    return undefined;
  }

  #putInto(entry: Entry): Put | null {
    for (let put = this.#first; put !== null; put = put.next) if (put.entry === entry) return put;
    return null;
  }

  #newEntry(key: Key): Entry {
    const entry = newEntry(key.text);
    this.#latestEntry = entry;
    return entry;
  }

  #chain(put: Put): void {
    if (this.#last === null) this.#first = put;
    else this.#last.next = put;
    this.#last = put;
  }

  #assertUsable(key: Key): void {
    invariant(this.#use !== 'ended', 'Records were used after their step had ended.');
    const keys = this.#keys;
    for (let place = 0; place < keys.length; place += 1) if (keys[place] === key) return;
    // Keys of the same text are the same: but texts take long to compare, and nearly always it is the key itself.
    for (const { text } of keys) if (text === key.text) return;
    throw unnamedKey(key);
  }
}
