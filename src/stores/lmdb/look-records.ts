import { Fault, invariant } from '../../core/fault.ts';
import type { Key, Records, StoredRecord } from '../../core/records.ts';
import type { RecordFile } from './record-file.ts';

/** The records of one look, read through to what is known of the file. */
export class LookRecords implements Records {
  readonly #file: RecordFile;
  readonly #keys: readonly Key[];
  readonly #now: number;
  #hasEnded = false;

  constructor(file: RecordFile, keys: readonly Key[], now: number) {
    this.#file = file;
    this.#keys = keys;
    this.#now = now;
  }

  get<R extends StoredRecord>(key: Key<R>): R | undefined {
    this.#assertUsable(key);
    return this.#file.read(key, this.#now) as R | undefined;
  }

  put(key: Key): void {
    this.#assertUsable(key);
    throw new Fault('INVARIANT_BROKEN', 'A look may not put a record.');
  }

  /** From now on any use is a bug. */
  end(): void {
    this.#hasEnded = true;
  }

  #assertUsable(key: Key): void {
    invariant(!this.#hasEnded, 'Records were used after their look had ended.');
    for (const declared of this.#keys) if (declared === key || declared.text === key.text) return;
    throw new Fault('INVARIANT_BROKEN', 'A look used a key that its call does not name.');
  }
}
