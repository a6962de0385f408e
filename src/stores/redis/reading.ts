import type { Key, StoredRecord } from '../../core/records.ts';
import type { Snapshot } from './envelope.ts';

/**
 * What was read of some records, place by place: a list for each operation costs less than a map of names, and whoever
 * asks for a record mostly holds the very key that was asked for.
 */
export class Reading {
  readonly keys: readonly Key[];
  /** In the order of the keys. */
  readonly snapshots: readonly Snapshot[];
  /** Those under the previous texts, in the same order; null where no key has one. */
  readonly #before: readonly (Snapshot | undefined)[] | null;

  static readonly nothing = new Reading([], [], null);

  private constructor(
    keys: readonly Key[],
    snapshots: readonly Snapshot[],
    before: readonly (Snapshot | undefined)[] | null,
  ) {
    this.keys = keys;
    this.snapshots = snapshots;
    this.#before = before;
  }

  /** Asks for every text of the keys, in order; undefined as soon as one is not found. */
  static of(
    keys: readonly Key[],
    find: (text: string, key: Key) => Snapshot | undefined,
  ): Reading | undefined {
    const snapshots = new Array<Snapshot>(keys.length);
    let before: (Snapshot | undefined)[] | null = null;
    for (let place = 0; place < keys.length; place += 1) {
      const key = keys[place] as Key;
      const { text, was } = key;
      const snapshot = find(text, key);
      if (snapshot === undefined) return undefined;
      snapshots[place] = snapshot;
      if (was === null) continue;
      const earlier = find(was, key);
      if (earlier === undefined) return undefined;
      before ??= new Array(keys.length);
      before[place] = earlier;
    }
    return new Reading(keys, snapshots, before);
  }

  /** The same records with others' writes seen; what was under the previous texts is as it was. */
  with(snapshots: readonly Snapshot[]): Reading {
    return new Reading(this.keys, snapshots, this.#before);
  }

  /** The record that counts at this place: the present one, else the one under the key's previous text. */
  recordAt(place: number, now: number): StoredRecord | undefined {
    const form = this.keys[place]?.form;
    const found = this.snapshots[place]?.valueAt(now, form);
    if (found !== undefined || this.#before === null) return found;
    return this.#before[place]?.valueAt(now, form);
  }

  /** @param tell is told every text, and whose it is */
  forEach(tell: (text: string, snapshot: Snapshot, key: Key) => void): void {
    for (let place = 0; place < this.keys.length; place += 1) {
      const key = this.keys[place] as Key;
      const { text, was } = key;
      tell(text, this.snapshots[place] as Snapshot, key);
      const earlier = this.#before?.[place];
      if (earlier !== undefined && was !== null) tell(was, earlier, key);
    }
  }
}
