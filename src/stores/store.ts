import type { Draft, Key, Records, StoredRecord } from '../core/records.ts';

/** A record that carries an active block, as {@link Store.held} lists it. */
export interface HeldRecord {
  readonly key: string;
  readonly value: StoredRecord;
}

/** How records are walked. */
export interface WalkOptions {
  /** Ends the walk when it is aborted: whoever stops reading leaves it walking until it has found one more. */
  readonly signal?: AbortSignal | undefined;
}

/** How a view may be answered. */
export interface ViewOptions<T = unknown> {
  /**
   * Whether what this process has read or written a moment ago will do, so that no round trip is needed. Every step
   * that follows still proves its own records current. Default false.
   */
  readonly isWarm?: boolean;
  /**
   * Whether what was looked at is stopped by a running HARD block. A store that answers blocks from memory gives such an
   * answer only then: a block of a moment ago may refuse, but must not let anybody through. Default: any answer will do.
   */
  readonly isStopped?: (seen: T) => boolean;
}

/** See {@link Store.viewNow}. */
export type ViewNow = <T extends object>(
  keys: readonly Key[],
  look: (records: Records, now: number) => T,
  options?: ViewOptions<T>,
) => T | undefined;

/** A pure step and the keys of its group. */
export interface GroupStep<T> {
  readonly keys: readonly Key[];
  run(records: Records, now: number): T;
}

/**
 * Where records live. A store is atomic in its own way and knows no rule; every store passes
 * `test/conformance/store-conformance.ts`.
 *
 * Failures reject with a `Fault` of code `STORE_*`; a record that cannot be read rejects with `RECORD_CORRUPT`.
 * What a look or a step throws is passed on unchanged, and nothing that it put is written.
 */
export interface Store {
  /** Shows the records to a pure look. One round trip, whatever the number of keys. `now` is the store's time. */
  view<T>(
    keys: readonly Key[],
    look: (records: Records, now: number) => T,
    options?: ViewOptions<T>,
  ): Promise<T>;
  /**
   * Runs a pure step that may change the records of one group (keys with one tag); all of its changes happen,
   * or none. May run the step again on fresher records. `now` is the store's time.
   */
  transact<T>(keys: readonly Key[], step: (records: Records, now: number) => T): Promise<T>;
  /**
   * Runs steps of different groups, each as `transact` does and none waiting for another: one promise for all that an
   * operation writes. Rejects as soon as one step does; whether the others were written is not known then.
   */
  readonly transactEach?: (<T>(steps: readonly GroupStep<T>[]) => Promise<readonly T[]>) | undefined;
  /**
   * Sets aside those of these records that cannot be read, so that the next operation finds none there, and keeps
   * them for an operator to look at. Returns how many it set aside. A store whose records cannot be corrupt has no such
   * method.
   */
  readonly setAside?: ((keys: readonly Key[]) => Promise<number>) | undefined;
  /** The same records without promises, where the store always answers at once and none of its records can be corrupt. */
  readonly immediate?: ImmediateStore | undefined;
  /** `view` without a promise; gives undefined where the store cannot show its records at once. Its faults are thrown. */
  readonly viewNow?: ViewNow | undefined;
  /**
   * Whether steps on a group of these keys that this process has asked for may still be under way, so that a view of now does
   * not show what they do. A store without it may have some at any time.
   */
  readonly hasPending?: ((keys: readonly Key[]) => boolean) | undefined;
  /** A light proof of life; rejects when the store cannot serve. */
  ping(): Promise<void>;
  /**
   * All records whose key text starts with `prefix` and whose last write left a block running. Unordered. One that cannot
   * be read is left out: it must not hide the others, and whoever calls for it sets it aside.
   *
   * Some stores walk all records for that. Aborting the signal ends the walk, without an error; who only stops reading leaves
   * it walking until it has found one more.
   */
  held(prefix: string, signal?: AbortSignal): AsyncIterable<HeldRecord>;
  /**
   * As `held`, of several prefixes in one walk, in which their records come mixed. For a store that walks all records: one
   * that finds them by their prefix has no such method, and is asked for each prefix.
   */
  readonly heldOfAny?:
    | ((prefixes: readonly string[], signal?: AbortSignal) => AsyncIterable<HeldRecord>)
    | undefined;
  /** Ends what the store owns (connections, files). Calls after it reject with `STORE_CLOSED`. */
  close(): Promise<void>;
}

/** A store that answers at once, without a promise. Its faults are thrown. */
export interface ImmediateStore {
  view<T>(keys: readonly Key[], look: (records: Records, now: number) => T): T;
  transact<T>(keys: readonly Key[], step: (records: Records, now: number) => T): T;
  /**
   * Changes one record where it stands, without what a step costs: for what happens to a record nearly every time. False
   * where nothing has happened and a step has to: there is no record, more is to be done than to keep it for `keepMs` from
   * now on, or `change` says that it has left the record as it was.
   *
   * @param change a function for good, not one of each call, which is handed what it is `about`
   */
  amend?<R extends StoredRecord, About>(
    key: Key<R>,
    keepMs: number,
    change: (record: Draft<R>, now: number, about: About) => boolean,
    about: About,
  ): boolean;
}
