import { Fault, invariant } from '../../core/fault.ts';
import type { Key, Records, Retention, StoredRecord } from '../../core/records.ts';
import type { BoundedTable, Write } from './bounded-table.ts';

/** The records of one look or step: reads through to the table, keeps writes back until the step has ended well. */
export class StepRecords implements Records {
  /** What the step has put, at most one write a key; null while it has put nothing. */
  writes: Write[] | null = null;
  readonly #table: BoundedTable;
  readonly #keys: readonly Key[];
  readonly #now: number;
  #use: 'look' | 'step' | 'ended';

  constructor(table: BoundedTable, keys: readonly Key[], now: number, use: 'look' | 'step') {
    this.#table = table;
    this.#keys = keys;
    this.#now = now;
    this.#use = use;
  }

  get<R extends StoredRecord>(key: Key<R>): R | undefined {
    this.#assertUsable(key);
    const put = this.#writeOf(key);
    if (put !== undefined) return put.value as R;
    const found = this.#table.find(key.text, this.#now);
    if (found !== undefined || key.was === null) return found as R | undefined;
    return this.#table.find(key.was, this.#now) as R | undefined;
  }

  put<R extends StoredRecord>(key: Key<R>, value: R, retention: Retention): void {
    this.#assertUsable(key);
    invariant(this.#use === 'step', 'A look may not put a record.');
    const put = this.#writeOf(key);
    if (put === undefined) {
      const write: Write = { key, value, retention, entry: undefined, bytes: 0 };
      if (this.writes === null) this.writes = [write];
      else this.writes.push(write);
      return;
    }
    put.value = value;
    put.retention = retention;
  }

  /** From now on any use is a bug: a step that is still running after its end would write into nothing. */
  end(): void {
    this.#use = 'ended';
  }

  #assertUsable(key: Key): void {
    invariant(this.#use !== 'ended', 'Records were used after their step had ended.');
    for (const declared of this.#keys) if (declared === key || declared.text === key.text) return;
    throw new Fault('INVARIANT_BROKEN', `A step used a ${kindOf(key)} key that its call does not name.`);
  }

  #writeOf(key: Key): Write | undefined {
    if (this.writes === null) return undefined;
    for (const put of this.writes) if (put.key === key || put.key.text === key.text) return put;
    return undefined;
  }
}

/** The kind in a key's text: enough to find the bug, without the hash that names a subject. */
function kindOf(key: Key): string {
  return key.text.split(':')[4] ?? 'nameless';
}
