import type { FaultCode } from '../core/fault.ts';
import type { Draft, Key, Records, StoredRecord } from '../core/records.ts';
import { isWithin } from '../core/times.ts';
import { setAsideAmong } from '../stores/clearing-store.ts';
import type { ImmediateStore, Store } from '../stores/store.ts';
import { isPassingFailure } from '../stores/store-failure.ts';
import { failureWindowMs, StoreRest, type Turn } from '../stores/store-rest.ts';
import { isUnreadable } from '../stores/unreadable.ts';
import type { LimitEvent } from './events.ts';
import { LocalRecords } from './local-records.ts';
import type { SaysNothing } from './local-table.ts';

/** Whether the store decided, or this process alone because the store failed. */
export type LimitMode = 'NORMAL' | 'FAIL_OPEN';

export interface Answered<T> {
  readonly value: T;
  readonly mode: LimitMode;
}

/**
 * What leaves the store alone. Writers that met at one key do not: else whoever has one key written often enough would
 * take the store, and the blocks in it, away from all.
 */
const outages: ReadonlySet<FaultCode> = new Set(['STORE_FAILED', 'STORE_TIMEOUT', 'STORE_FULL']);

/**
 * Runs steps on the store, and on records of this process while the store fails: limits go on, each process on its
 * own. A store that is away is left alone. The answer to a probe ends that, and forgives no failure: where only a part
 * of the store is away, others succeed between any two calls that fail, and who is on that part must not find an empty
 * record each time. The store has recovered when nothing has failed for ten seconds.
 *
 * A record that cannot be read is set aside, and the call that has met it rejects with `RECORD_CORRUPT`.
 */
export class StoreFallback {
  readonly #store: Store;
  readonly #immediate: ImmediateStore | undefined;
  readonly #clock: () => number;
  readonly #onEvent: (event: LimitEvent) => void;
  readonly #local: LocalRecords;
  readonly #rest: StoreRest;
  /** When the store failed last; null when it has recovered. */
  #failedAt: number | null = null;

  /** @param saysNothing of a record of this process that may go when there are too many */
  constructor(
    store: Store,
    clock: () => number,
    onEvent: (event: LimitEvent) => void,
    saysNothing?: SaysNothing,
  ) {
    this.#store = store;
    this.#immediate = store.immediate;
    this.#clock = clock;
    this.#onEvent = onEvent;
    this.#local = new LocalRecords(saysNothing);
    this.#rest = new StoreRest({ clock, outages, forgives: false });
  }

  /**
   * @param conclude what to make of what the step came to, on the way: another promise for it would be one for every call
   * @param share with whom a record of this process is shared when there are too many; default all of its kind
   */
  transact<T, Result>(
    keys: readonly Key[],
    step: (records: Records, now: number) => T,
    conclude: (answered: Answered<T>) => Result,
    share?: string,
  ): Promise<Result> {
    const turn = this.#rest.turn();
    if (turn === null) return new Promise((resolve) => resolve(conclude(this.#runHere(step, share))));
    return this.#ask(keys, step).then(
      (value) => {
        this.#rest.answered(turn);
        if (this.#failedAt !== null) this.#noteSuccess(this.#failedAt);
        return conclude({ value, mode: 'NORMAL' });
      },
      (error: unknown) =>
        isUnreadable(error)
          ? this.#setAside(turn, error, keys)
          : conclude(this.#runAfterFailure(turn, error, step, share)),
    );
  }

  /** A store that throws instead of rejecting has failed no less. */
  #ask<T>(keys: readonly Key[], step: (records: Records, now: number) => T): Promise<T> {
    try {
      return this.#store.transact(keys, step);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The same without a promise, where the store can do without and has not failed lately; else null. */
  transactAtOnce<T>(
    keys: readonly Key[],
    step: (records: Records, now: number) => T,
    share?: string,
  ): Answered<T> | null {
    if (this.#immediate === undefined || this.#failedAt !== null) return null;
    try {
      return { value: this.#immediate.transact(keys, step), mode: 'NORMAL' };
    } catch (error) {
      return this.#runAfterFailure('call', error, step, share);
    }
  }

  /** Changes a record of the store where it stands; false where a step has to be run. */
  amendAtOnce<R extends StoredRecord, About>(
    key: Key<R>,
    keepMs: number,
    change: (record: Draft<R>, now: number, about: About) => boolean,
    about: About,
  ): boolean {
    if (this.#immediate?.amend === undefined || this.#failedAt !== null) return false;
    return this.#immediate.amend(key, keepMs, change, about);
  }

  #runAfterFailure<T>(
    turn: Turn,
    error: unknown,
    step: (records: Records, now: number) => T,
    share: string | undefined,
  ): Answered<T> {
    const paused = this.#rest.failed(turn, error);
    if (!isPassingFailure(error)) throw error;
    this.#failedAt = this.#clock();
    this.#onEvent({ type: 'store-failed', code: error.code, paused, cause: error });
    return this.#runHere(step, share);
  }

  /** As a clearing store does (`clearing-store.ts`), without a promise of its own for every call that meets nothing of the kind. */
  async #setAside(turn: Turn, error: unknown, keys: readonly Key[]): Promise<never> {
    this.#rest.failed(turn, error);
    this.#onEvent({ type: 'record-corrupt', setAside: await setAsideAmong(this.#store, keys) });
    throw error;
  }

  #runHere<T>(step: (records: Records, now: number) => T, share: string | undefined): Answered<T> {
    return { value: this.#local.run(step, this.#clock(), share), mode: 'FAIL_OPEN' };
  }

  #noteSuccess(failedAt: number): void {
    const now = this.#clock();
    // Else a clock that was set back by an hour would keep the records of this process for as long.
    if (failedAt > now) this.#failedAt = now;
    if (this.#rest.isAway || isWithin(failedAt, now, failureWindowMs)) return;
    this.#failedAt = null;
    this.#local.clear();
    this.#onEvent({ type: 'store-recovered' });
  }
}
