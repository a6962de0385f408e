import { invariant } from '../core/fault.ts';
import type { Key, Records, Retention, StoredRecord } from '../core/records.ts';
import { unnamedKey } from './unnamed-key.ts';

/** Finds the record that counts at the time of the step, by key text; `form` is that of the key. */
export type FindRecord = (text: string, form: string | undefined) => StoredRecord | undefined;

/** What a step has put under one of its keys. */
export interface Put {
  readonly value: StoredRecord;
  readonly retention: Retention;
  /** That of the key. */
  readonly form: string | undefined;
}

/** The records of one look or step: reads what its store finds, keeps puts back until the step has ended well. */
export class StepRecords implements Records {
  /** What the step has put, by key text. Made with the first put, for a look has none. */
  #puts: Map<string, Put> | null = null;
  readonly #keys: readonly Key[];
  readonly #find: FindRecord;
  #use: 'look' | 'step' | 'ended';

  constructor(keys: readonly Key[], find: FindRecord, use: 'look' | 'step') {
    this.#keys = keys;
    this.#find = find;
    this.#use = use;
  }

  get puts(): ReadonlyMap<string, Put> {
    return this.#puts ?? noPuts;
  }

  get<R extends StoredRecord>(key: Key<R>): R | undefined {
    this.#assertUsable(key);
    const put = this.#puts?.get(key.text);
    const found = put === undefined ? this.#find(key.text, key.form) : put.value;
    if (found !== undefined || key.was === null) return found as R | undefined;
    return this.#find(key.was, key.form) as R | undefined;
  }

  put<R extends StoredRecord>(key: Key<R>, value: R, retention: Retention): void {
    this.#assertUsable(key);
    invariant(this.#use === 'step', 'A look may not put a record.');
    this.#puts ??= new Map();
    this.#puts.set(key.text, { value, retention, form: key.form });
  }

  /** From now on any use is a bug: a step that is still running after its end would write into nothing. */
  end(): void {
    this.#use = 'ended';
  }

  #assertUsable(key: Key): void {
    invariant(this.#use !== 'ended', 'Records were used after their step had ended.');
    if (this.#keys.includes(key)) return;
    for (const { text } of this.#keys) if (text === key.text) return;
    throw unnamedKey(key);
  }
}

const noPuts: ReadonlyMap<string, Put> = new Map();

/** The form of what stands under each text that the keys may be read from. */
export function formsOf(keys: readonly Key[]): ReadonlyMap<string, string | undefined> {
  const forms = new Map<string, string | undefined>();
  for (const { text, was, form } of keys) {
    forms.set(text, form);
    if (was !== null) forms.set(was, form);
  }
  return forms;
}

/** Every text the keys may be read from, each once. */
export function textsOf(keys: readonly Key[]): string[] {
  const texts = new Set<string>();
  for (const { text, was } of keys) {
    texts.add(text);
    if (was !== null) texts.add(was);
  }
  return [...texts];
}
