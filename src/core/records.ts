/** What every stored record has: the time of its last write (engine contract §1). Plain JSON data otherwise. */
export interface StoredRecord {
  readonly at: number;
}

/**
 * The name of a record of type `R`. All keys of one record group carry the same `{tag}`, so that a cluster
 * keeps a group in one slot.
 */
export interface Key<R extends StoredRecord = StoredRecord> {
  /** Full text: `portcullis:<environment>:<policy>:<contract version>:<kind>:{<tag>}[:<rest>]`. */
  readonly text: string;
  /** The record's text under the previous secret while a key rotation runs, else null. Only ever read. */
  readonly was: string | null;
  /** The tag in the text, where whoever composed the key knows it. */
  readonly tag?: string | undefined;
  /** The form in which stores that keep texts write the record (`record-forms.ts`); absent: as it is, in plain JSON. */
  readonly form?: string | undefined;
  /** A store's bookmark: where it found the record last. No part of what the key names. */
  mark?: object | undefined;
  /** Never set: ties the record's type to its key. */
  readonly record?: R;
}

/** A value that whoever holds it may change, through and through. */
export type Draft<T> = T extends readonly (infer Item)[]
  ? Draft<Item>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Draft<T[Name]> }
    : T;

/** How long a record matters, in milliseconds from the time of the operation that writes it. */
export interface Retention {
  /** After this it counts as absent; a store drops it then or later. */
  readonly keepMs: number;
  /** For how long a SOFT block on it still runs; 0 if none. */
  readonly softMs: number;
  /** For how long a HARD block on it still runs; 0 if none. */
  readonly hardMs: number;
}

/**
 * The records a look or a step may touch. What was got is never changed, nor kept beyond the end: a step changes a
 * copy, or what is its own, and puts that. A `get` after a `put` of the same step gives the value that was put.
 */
export interface Records {
  /** The record, else the one under the key's previous text, else undefined. */
  get<R extends StoredRecord>(key: Key<R>): R | undefined;
  /**
   * The same record for a step to change in place, where the store keeps it as an object that nobody else sees before
   * the step has ended, or a copy of it where one costs no new memory; it spares a busy process most of its garbage. What
   * was changed must be put, and may stay changed should the step throw, or its puts exceed the store's bound. Undefined, or
   * no such method, where the step has to copy what it gets.
   */
  own?<R extends StoredRecord>(key: Key<R>): Draft<R> | undefined;
  put<R extends StoredRecord>(key: Key<R>, value: R | Draft<R>, retention: Retention): void;
  /** Whether strangers share the record, where there is no room for one of its own. No such method: nobody does. */
  isShared?(key: Key): boolean;
}
