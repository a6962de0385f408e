import { SECOND_MS } from '../core/duration.ts';
import { Fault, type FaultCode } from '../core/fault.ts';
import type { Key, Records } from '../core/records.ts';
import { countWithin, timesWithin } from '../core/times.ts';
import type { ImmediateStore, Store } from '../stores/store.ts';
import type { LimitEvent } from './events.ts';
import { LocalRecords } from './local-records.ts';
import type { SaysNothing } from './local-table.ts';

/** Whether the store decided, or this process alone because the store failed. */
export type LimitMode = 'NORMAL' | 'FAIL_OPEN';

export interface Answered<T> {
  readonly value: T;
  readonly mode: LimitMode;
}

/** What says that the store cannot serve now. Anything else is a bug or misuse, and is thrown. */
const storeFailures: ReadonlySet<FaultCode> = new Set([
  'STORE_FAILED',
  'STORE_TIMEOUT',
  'STORE_CONFLICT',
  'STORE_FULL',
]);
const failuresToPause = 3;
const failureWindowMs = 10 * SECOND_MS;
const pauseMs = 5 * SECOND_MS;

/**
 * Runs steps on the store, and on records of this process while the store fails: limits go on, each process on its
 * own. After three failures within ten seconds the store is left alone for five, then tried with one call at a time,
 * so that an outage does not cost every call its deadline. A success ends that, and forgives no failure: where only a
 * part of the store is away, others succeed between any two calls that fail, and who is on that part must not find an
 * empty record each time. The store has recovered when nothing has failed for ten seconds. It is to be a clearing one.
 */
export class StoreFallback {
  readonly #store: Store;
  readonly #immediate: ImmediateStore | undefined;
  readonly #clock: () => number;
  readonly #onEvent: (event: LimitEvent) => void;
  readonly #local: LocalRecords;
  /** When the store failed last, until it has recovered. */
  #failures: readonly number[] = [];
  /** The same of failures by which it may be away: of writers that met at one key it is not. */
  #outages: readonly number[] = [];
  #pausedUntil: number | null = null;
  #probing = false;

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
  }

  /** @param share with whom a record of this process is shared when there are too many; default all of its kind */
  async transact<T>(
    keys: readonly Key[],
    step: (records: Records, now: number) => T,
    share?: string,
  ): Promise<Answered<T>> {
    const probes = this.#pausedUntil !== null;
    if (this.#pausedUntil !== null) {
      if (this.#probing || this.#clock() < this.#pausedUntil) return this.#runHere(step, share);
      this.#probing = true;
    }
    try {
      const value = await this.#store.transact(keys, step);
      if (this.#failures.length > 0) this.#noteSuccess(probes);
      return { value, mode: 'NORMAL' };
    } catch (error) {
      return this.#runAfterFailure(error, step, share);
    } finally {
      if (probes) this.#probing = false;
    }
  }

  /** The same without a promise, where the store can do without and has not failed lately; else null. */
  transactAtOnce<T>(
    keys: readonly Key[],
    step: (records: Records, now: number) => T,
    share?: string,
  ): Answered<T> | null {
    if (this.#immediate === undefined || this.#failures.length > 0) return null;
    try {
      return { value: this.#immediate.transact(keys, step), mode: 'NORMAL' };
    } catch (error) {
      return this.#runAfterFailure(error, step, share);
    }
  }

  #runAfterFailure<T>(
    error: unknown,
    step: (records: Records, now: number) => T,
    share: string | undefined,
  ): Answered<T> {
    if (!(error instanceof Fault) || !storeFailures.has(error.code)) throw error;
    this.#noteFailure(error);
    return this.#runHere(step, share);
  }

  #runHere<T>(step: (records: Records, now: number) => T, share: string | undefined): Answered<T> {
    return { value: this.#local.run(step, this.#clock(), share), mode: 'FAIL_OPEN' };
  }

  #noteFailure(fault: Fault): void {
    const now = this.#clock();
    this.#failures = lately(this.#failures, now);
    // Else whoever has one key written often enough would take the store, and the blocks in it, away from all.
    const isOutage = fault.code !== 'STORE_CONFLICT';
    if (isOutage) this.#outages = lately(this.#outages, now);
    const pauses = isOutage && (this.#pausedUntil !== null || this.#outages.length >= failuresToPause);
    if (pauses) this.#pausedUntil = now + pauseMs;
    this.#onEvent({ type: 'store-failed', code: fault.code, paused: pauses, cause: fault });
  }

  /** @param probes whether the call was made after the pause had begun; others may have been under way before it */
  #noteSuccess(probes: boolean): void {
    if (probes) this.#pausedUntil = null;
    if (this.#pausedUntil !== null || countWithin(this.#failures, this.#clock(), failureWindowMs) > 0) return;
    this.#failures = [];
    this.#outages = [];
    this.#local.clear();
    this.#onEvent({ type: 'store-recovered' });
  }
}

/** The latest times, with this one. */
function lately(times: readonly number[], now: number): readonly number[] {
  return [...timesWithin(times, now, failureWindowMs), now].slice(-failuresToPause);
}
