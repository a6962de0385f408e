import { Fault, invariant } from '../../core/fault.ts';
import type { Key, Records, Retention, StoredRecord } from '../../core/records.ts';
import { type Write, writeOf } from './envelope.ts';
import type { Reading } from './record-cache.ts';

/** What steps have put so far, by key text. */
export type Writes = Map<string, Write>;

const nothing: ReadonlyMap<string, Write> = new Map();

/**
 * The records of one look or step: what was read, under what earlier steps of the same commit have put, under what
 * this one has put.
 */
export class StepRecords implements Records {
  /** What this step has put; null for a look. */
  readonly writes: Writes | null;
  readonly #keys: readonly Key[];
  readonly #reading: Reading;
  readonly #earlier: ReadonlyMap<string, Write>;
  readonly #now: number;
  #isEnded = false;

  private constructor(view: { keys: readonly Key[]; reading: Reading; now: number }, layers: Layers) {
    this.#keys = view.keys;
    this.#reading = view.reading;
    this.#now = view.now;
    this.#earlier = layers.earlier;
    this.writes = layers.own;
  }

  static forLook(keys: readonly Key[], reading: Reading, now: number): StepRecords {
    return new StepRecords({ keys, reading, now }, { earlier: nothing, own: null });
  }

  static forStep(keys: readonly Key[], reading: Reading, earlier: Writes, now: number): StepRecords {
    return new StepRecords({ keys, reading, now }, { earlier, own: new Map() });
  }

  get<R extends StoredRecord>(key: Key<R>): R | undefined {
    this.#assertUsable(key);
    const put = this.writes?.get(key.text) ?? this.#earlier.get(key.text);
    return (put === undefined ? this.#read(key) : put.value) as R | undefined;
  }

  put<R extends StoredRecord>(key: Key<R>, value: R, retention: Retention): void {
    this.#assertUsable(key);
    invariant(this.writes !== null, 'A look may not put a record.');
    this.writes.set(key.text, writeOf(value, retention, this.#now));
  }

  /** From now on any use is a bug: a step that is still running after its end would write into nothing. */
  end(): void {
    this.#isEnded = true;
  }

  #read(key: Key): StoredRecord | undefined {
    const found = this.#reading.get(key.text)?.valueAt(this.#now);
    if (found !== undefined || key.was === null) return found;
    return this.#reading.get(key.was)?.valueAt(this.#now);
  }

  #assertUsable(key: Key): void {
    invariant(!this.#isEnded, 'Records were used after their step had ended.');
    for (const declared of this.#keys) if (declared === key || declared.text === key.text) return;
    throw new Fault('INVARIANT_BROKEN', `A step used a ${kindOf(key)} key that its call does not name.`);
  }
}

interface Layers {
  readonly earlier: ReadonlyMap<string, Write>;
  readonly own: Writes | null;
}

/** The kind in a key's text: enough to find the bug, without the hash that names a subject. */
function kindOf(key: Key): string {
  return key.text.split(':')[4] ?? 'nameless';
}
