import { Fault, invariant } from '../../core/fault.ts';
import type { Draft, Key, Records, Retention, StoredRecord } from '../../core/records.ts';
import { type BoundedTable, entryFor, valueAt } from './bounded-table.ts';
import type { Entry } from './entry.ts';

/** The records of one look or step: reads through to the table, keeps writes back until the step has ended well. */
export class StepRecords implements Records {
  readonly #table: BoundedTable;
  readonly #keys: readonly Key[];
  readonly #now: number;
  #use: 'look' | 'step' | 'ended';
  /** The entries that the step has put a record into, each once, as a chain. */
  #first: Entry | null = null;
  #last: Entry | null = null;

  constructor(table: BoundedTable, keys: readonly Key[], now: number, use: 'look' | 'step') {
    this.#table = table;
    this.#keys = keys;
    this.#now = now;
    this.#use = use;
  }

  get<R extends StoredRecord>(key: Key<R>): R | undefined {
    this.#assertUsable(key);
    const put = this.#entryOf(key)?.put;
    if (put !== undefined) return put as R;
    const found = valueAt(this.#table.find(key), this.#now);
    if (found !== undefined || key.was === null) return found as R | undefined;
    return valueAt(this.#table.findText(key.was), this.#now) as R | undefined;
  }

  /** The table's own record: a step runs to its end before anybody else looks. */
  own<R extends StoredRecord>(key: Key<R>): Draft<R> | undefined {
    this.#assertUsable(key);
    invariant(this.#use === 'step', 'A look may not change a record.');
    return (this.#entryOf(key)?.put ?? valueAt(this.#table.find(key), this.#now)) as Draft<R> | undefined;
  }

  put<R extends StoredRecord>(key: Key<R>, value: R | Draft<R>, retention: Retention): void {
    this.#assertUsable(key);
    invariant(this.#use === 'step', 'A look may not put a record.');
    const entry = this.#entryOf(key) ?? this.#touch(key);
    entry.put = value;
    entry.putRetention = retention;
  }

  /** Writes what was put. */
  commit(sweep: boolean): void {
    if (this.#first !== null) this.#table.commit(this.#first, this.#now, sweep);
  }

  /** From now on any use is a bug: a step that is still running after its end would write into nothing. */
  end(): void {
    this.#use = 'ended';
    let entry = this.#first;
    while (entry !== null) {
      const next = entry.putNext;
      entry.put = undefined;
      entry.putNext = null;
      entry = next;
    }
  }

  #touch(key: Key): Entry {
    const entry = entryFor(this.#table, key);
    if (this.#last === null) this.#first = entry;
    else this.#last.putNext = entry;
    this.#last = entry;
    return entry;
  }

  /** The entry that the step has put this record into, if it has. */
  #entryOf(key: Key): Entry | undefined {
    if (this.#first === null) return undefined;
    const found = this.#table.find(key);
    if (found !== undefined) return found.put === undefined ? undefined : found;
    for (let entry: Entry | null = this.#first; entry !== null; entry = entry.putNext) {
      if (entry.text === key.text) return entry;
    }
    return undefined;
  }

  #assertUsable(key: Key): void {
    invariant(this.#use !== 'ended', 'Records were used after their step had ended.');
    if (this.#keys.includes(key)) return;
    // Keys of the same text are the same: but texts take long to compare, and nearly always it is the key itself.
    for (const { text } of this.#keys) if (text === key.text) return;
    throw new Fault('INVARIANT_BROKEN', `A step used a ${kindOf(key)} key that its call does not name.`);
  }
}

/** The kind in a key's text: enough to find the bug, without the hash that names a subject. */
function kindOf(key: Key): string {
  return key.text.split(':')[4] ?? 'nameless';
}
