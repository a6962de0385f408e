import { Fault, invariant } from '../../core/fault.ts';
import type { Key, Records, Retention, StoredRecord } from '../../core/records.ts';
import { type Write, writeOf } from './envelope.ts';
import type { Reading } from './record-cache.ts';

/** What steps have put, by key text. */
export type Writes = Map<string, Write>;

/** The records of one look: what was read. */
export class LookRecords implements Records {
  protected readonly now: number;
  readonly #keys: readonly Key[];
  readonly #reading: Reading;
  #isEnded = false;

  constructor(keys: readonly Key[], reading: Reading, now: number) {
    this.#keys = keys;
    this.#reading = reading;
    this.now = now;
  }

  get<R extends StoredRecord>(key: Key<R>): R | undefined {
    this.assertUsable(key);
    const found = this.#reading.get(key.text)?.valueAt(this.now);
    if (found !== undefined || key.was === null) return found as R | undefined;
    return this.#reading.get(key.was)?.valueAt(this.now) as R | undefined;
  }

  put<R extends StoredRecord>(_key: Key<R>, _value: R, _retention: Retention): void {
    throw new Fault('INVARIANT_BROKEN', 'A look may not put a record.');
  }

  /** From now on any use is a bug: a step that is still running after its end would write into nothing. */
  end(): void {
    this.#isEnded = true;
  }

  protected assertUsable(key: Key): void {
    invariant(!this.#isEnded, 'Records were used after their step had ended.');
    for (const declared of this.#keys) if (declared === key || declared.text === key.text) return;
    throw new Fault('INVARIANT_BROKEN', `A step used a ${kindOf(key)} key that its call does not name.`);
  }
}

/** The records of one step: what was read, under what earlier steps of the same commit and this one have put. */
export class StepRecords extends LookRecords {
  /** What this step has put. */
  readonly writes: Writes = new Map();
  readonly #earlier: Writes;

  constructor(keys: readonly Key[], reading: Reading, now: number, earlier: Writes) {
    super(keys, reading, now);
    this.#earlier = earlier;
  }

  override get<R extends StoredRecord>(key: Key<R>): R | undefined {
    const put = this.writes.get(key.text) ?? this.#earlier.get(key.text);
    if (put === undefined) return super.get(key);
    this.assertUsable(key);
    return put.value as R;
  }

  override put<R extends StoredRecord>(key: Key<R>, value: R, retention: Retention): void {
    this.assertUsable(key);
    this.writes.set(key.text, writeOf(value, retention, this.now));
  }
}

/** The kind in a key's text: enough to find the bug, without the hash that names a subject. */
function kindOf(key: Key): string {
  return key.text.split(':')[4] ?? 'nameless';
}
