import { assertNumber } from '../../core/amounts.ts';
import { Fault } from '../../core/fault.ts';
import { assertOptions, type OptionKinds } from '../../core/options.ts';
import type { Draft, Key, Records, StoredRecord } from '../../core/records.ts';
import { assertOneGroup } from '../group-tag.ts';
import type { HeldRecord, ImmediateStore, Store } from '../store.ts';
import { wholeClock } from '../whole-clock.ts';
import { BoundedTable, valueAt } from './bounded-table.ts';
import { LookRecords, type NamedKeys, StepRecords } from './step-records.ts';

/** How a memory store is bounded and where it takes its time from. */
export interface MemoryStoreOptions {
  /** The most records it keeps. Default 1,000,000. */
  readonly maxRecords?: number;
  /** The most memory its records take, in bytes, by estimate. Default 512 MiB. */
  readonly maxBytes?: number;
  /** The store's time in milliseconds; a fraction is left out. Default `Date.now`, at half speed after it was set back. */
  readonly clock?: () => number;
  /**
   * Records that have expired by this time, in ms, are dropped as writes go by. Default: by the store's time. Where it lies
   * behind that, a clock that runs backwards finds again what it has passed by; `() => -Infinity`: they go only to make room.
   */
  readonly sweptBy?: () => number;
}

/** What a memory store holds and what it had to give up. */
export interface MemoryUsage {
  readonly records: number;
  /** Estimated. */
  readonly bytes: number;
  /** Records dropped since the start because a bound was reached, not by expiry. */
  readonly evicted: number;
  /** Those of them whose block was still running: more than none means that the bounds are too small. */
  readonly evictedBlocks: number;
}

/** A store in the memory of this process, with a face that answers without promises. */
export interface MemoryStore extends Store {
  /**
   * The same records, at once. Its faults are thrown. Whether a step uses the keys that it has named, and whether they are of
   * one group, is left to `transact`: asked for every operation, it would cost more than most rules.
   */
  readonly immediate: ImmediateStore;
  usage(): MemoryUsage;
}

const optionKinds: OptionKinds<MemoryStoreOptions> = {
  maxRecords: 'checked',
  maxBytes: 'checked',
  clock: 'function',
  sweptBy: 'function',
};

/**
 * Keeps records in the memory of this process. Nothing survives it and no other process sees it.
 *
 * A full store makes room: it drops what has expired, then what was written least recently and has no running block,
 * then the block that ends soonest. A step whose own records exceed a bound fails with `STORE_FULL` and puts nothing;
 * what it has changed in place (`Records.own`) stays changed, as after a step that throws.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown or of the wrong type, or a bound is not a positive number.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  assertOptions('the memory store', options, optionKinds);
  const { maxRecords = 1_000_000, maxBytes = 512 * 1024 * 1024, sweptBy = null } = options;
  const clock = wholeClock(options.clock);
  assertNumber('CONFIG_INVALID', 'maxRecords', maxRecords, 1, Number.POSITIVE_INFINITY);
  assertNumber('CONFIG_INVALID', 'maxBytes', maxBytes, 1, Number.POSITIVE_INFINITY);
  const table = new BoundedTable({ maxRecords, maxBytes, sweptBy });
  let closed = false;

  function assertOpen(): void {
    if (closed) throw new Fault('STORE_CLOSED', 'The memory store was used after it was closed.');
  }

  function view<T>(keys: NamedKeys, look: (records: Records, now: number) => T): T {
    assertOpen();
    const now = clock();
    const records = new LookRecords(table, keys, now);
    try {
      return look(records, now);
    } finally {
      records.end();
    }
  }

  function transact<T>(keys: NamedKeys, step: (records: Records, now: number) => T): T {
    assertOpen();
    const now = clock();
    const records = new StepRecords(table, keys, now);
    try {
      const result = step(records, now);
      records.commit();
      return result;
    } finally {
      records.end();
    }
  }

  function amend<R extends StoredRecord, About>(
    key: Key<R>,
    keepMs: number,
    change: (record: Draft<R>, now: number, about: About) => boolean,
    about: About,
  ): boolean {
    const entry = table.find(key);
    if (entry === undefined) return false;
    const now = clock();
    const record = valueAt(entry, now);
    if (record === undefined || !table.canPutOff(entry, keepMs, now)) return false;
    if (!change(record as Draft<R>, now, about)) return false;
    table.putOff(entry, keepMs, now);
    return true;
  }

  const immediate: ImmediateStore = {
    view: (_, look) => view(null, look),
    transact: (_, step) => transact(null, step),
    amend,
  };

  const store: Omit<MemoryStore, 'immediate'> = {
    async view<T>(keys: readonly Key[], look: (records: Records, now: number) => T): Promise<T> {
      return view(keys, look);
    },
    async transact<T>(keys: readonly Key[], step: (records: Records, now: number) => T): Promise<T> {
      assertOneGroup(keys);
      return transact(keys, step);
    },
    // Every step has ended before anybody else is heard.
    hasPending: () => false,
    async ping() {
      assertOpen();
    },
    async *held(prefix: string, signal?: AbortSignal): AsyncGenerator<HeldRecord> {
      assertOpen();
      for (const { text, value } of table.held(prefix, clock())) {
        if (signal?.aborted) return;
        if (value !== undefined) yield { key: text, value };
      }
    },
    async close() {
      closed = true;
      table.clear();
    },
    usage: () => ({
      records: table.size,
      bytes: table.bytes,
      evicted: table.evicted,
      evictedBlocks: table.evictedBlocks,
    }),
  };
  // Not among what a spread copies: whoever wraps the calls of this store must not be passed by.
  return Object.defineProperty(store, 'immediate', { value: immediate }) as MemoryStore;
}
