import { invariant } from '../../core/fault.ts';
import type { Draft, Key, Records, Retention, StoredRecord } from '../../core/records.ts';
import type { GroupStep } from '../store.ts';
import { unnamedKey } from '../unnamed-key.ts';
import type { Snapshot } from './envelope.ts';
import type { Reading } from './reading.ts';

/** What the steps of a turn have put under one key. */
export interface Put {
  value: StoredRecord;
  retention: Retention;
  /** That of the key. */
  readonly form: string | undefined;
}

/** Where steps find records that they may write over. */
export interface Spares {
  spareOf(key: Key): Snapshot | null;
}

/** With more keys than these a map finds a place sooner than a search. */
const searchedKeys = 8;

/**
 * The records of a reading, as a look and the steps of a turn see them: each step sees what those before it have put, and
 * changes that in place (`Records.own`), since nobody else sees it before it is committed. So what a step has begun to
 * change cannot be taken back when it throws: see `isSpoilt`.
 */
export class ReadingRecords implements Records {
  readonly #reading: Reading;
  readonly #now: number;
  readonly #spares: Spares;
  readonly #places: ReadonlyMap<string, number> | null;
  #written: (Put | undefined)[] | null = null;
  #keys: readonly Key[] = noKeys;
  #use: 'look' | 'step' | 'ended' = 'ended';
  #hasChanged = false;
  #isSpoilt = false;

  constructor(reading: Reading, now: number, spares = noSpares) {
    this.#reading = reading;
    this.#now = now;
    this.#spares = spares;
    this.#places = reading.keys.length > searchedKeys ? placesOf(reading.keys) : null;
  }

  /** What the steps have put, by place; undefined where nothing was, null where they have put nothing at all. */
  get written(): readonly (Put | undefined)[] | null {
    return this.#written;
  }

  /** Whether a step has thrown in the middle of its changes: then nothing that was written here is of use any more. */
  get isSpoilt(): boolean {
    return this.#isSpoilt;
  }

  show<T>(look: (records: Records, now: number) => T): T {
    this.#keys = this.#reading.keys;
    this.#use = 'look';
    try {
      return look(this, this.#now);
    } finally {
      this.#use = 'ended';
    }
  }

  /** Runs a step on top of those before it. What it throws is passed on. */
  run<T>(step: GroupStep<T>): T {
    this.#keys = step.keys;
    this.#use = 'step';
    this.#hasChanged = false;
    try {
      return step.run(this, this.#now);
    } catch (thrown) {
      this.#isSpoilt ||= this.#hasChanged;
      throw thrown;
    } finally {
      this.#use = 'ended';
    }
  }

  get<R extends StoredRecord>(key: Key<R>): R | undefined {
    const place = this.#placeOf(key);
    const put = this.#written?.[place];
    return (put === undefined ? this.#reading.recordAt(place, this.#now) : put.value) as R | undefined;
  }

  own<R extends StoredRecord>(key: Key<R>): Draft<R> | undefined {
    invariant(this.#use === 'step', 'A look may not change a record.');
    const place = this.#placeOf(key);
    const put = this.#written?.[place];
    if (put === undefined) return this.#draftAt(place) as Draft<R> | undefined;
    this.#hasChanged = true;
    return put.value as Draft<R>;
  }

  /** A copy where one costs no new memory. Nobody sees it, and nothing is lost with it, until it is put. */
  #draftAt(place: number): StoredRecord | undefined {
    const spare = this.#spares.spareOf(this.#reading.keys[place] as Key);
    if (spare === null) return undefined;
    const current = this.#reading.recordAt(place, this.#now);
    return current === undefined ? undefined : spare.draftOf(current);
  }

  put<R extends StoredRecord>(key: Key<R>, value: R | Draft<R>, retention: Retention): void {
    invariant(this.#use === 'step', 'A look may not put a record.');
    const place = this.#placeOf(key);
    // As long as there are places, and not grown by one: V8 would give it room for seventeen.
    this.#written ??= new Array<Put | undefined>(this.#reading.keys.length);
    const put = this.#written[place];
    this.#hasChanged = true;
    if (put === undefined) {
      this.#written[place] = { value: value as StoredRecord, retention, form: key.form };
    } else {
      put.value = value as StoredRecord;
      put.retention = retention;
    }
  }

  #placeOf(key: Key): number {
    invariant(this.#use !== 'ended', 'Records were used after their step had ended.');
    const { keys } = this.#reading;
    if (this.#keys !== keys && placeIn(this.#keys, key) === -1) throw unnamedKey(key);
    const place = this.#places === null ? placeIn(keys, key) : (this.#places.get(key.text) ?? -1);
    if (place === -1) throw unnamedKey(key);
    return place;
  }
}

const noKeys: readonly Key[] = [];
const noSpares: Spares = { spareOf: () => null };

function placesOf(keys: readonly Key[]): ReadonlyMap<string, number> {
  return new Map(keys.map(({ text }, place) => [text, place]));
}

/** Keys of the same text are the same, but nearly always it is the key itself. */
function placeIn(keys: readonly Key[], key: Key): number {
  const place = keys.indexOf(key);
  return place === -1 ? keys.findIndex(({ text }) => text === key.text) : place;
}
