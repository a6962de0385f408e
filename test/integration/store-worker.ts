import { performance } from 'node:perf_hooks';
import { Fault } from '../../src/core/fault.ts';
import type { Key, Records } from '../../src/core/records.ts';
import { createLmdbStore, type LmdbStore } from '../../src/stores/lmdb/index.ts';
import { createPostgresStore, type PostgresStore } from '../../src/stores/postgres/index.ts';
import { type Count, kept } from '../conformance/under-test.ts';

/** Where the records of a worker are. */
export type Place =
  | { readonly kind: 'lmdb'; readonly path: string }
  | { readonly kind: 'postgres'; readonly connectionString: string };

/** What a worker is told, as its only argument. */
export interface Orders {
  readonly place: Place;
  readonly keys: readonly string[];
  /** How many steps in all; null: until it is killed. */
  readonly steps: number | null;
  /** How many of them at once. */
  readonly atOnce: number;
  /** How long each step keeps the process busy, in milliseconds; it says so before. Default 0. */
  readonly stallMs?: number;
  /** How large its records are, in characters. Default 0. */
  readonly padding?: number;
}

/**
 * What a worker says: the count that its step has left under a key, as soon as the step has resolved; the code of the
 * fault that has ended it; that a step begins to stall.
 */
export type Said =
  | { readonly key: string; readonly count: number }
  | { readonly fault: string }
  | { readonly isStalling: true };

const deadlineMs = 60_000;

async function main(): Promise<void> {
  const {
    place,
    keys,
    steps,
    atOnce,
    stallMs = 0,
    padding = 0,
  } = JSON.parse(process.argv[2] ?? '') as Orders;
  const store = open(place);
  let left = steps ?? Number.POSITIVE_INFINITY;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const text = keys[Math.floor(Math.random() * keys.length)] ?? '';
      const key: Key<Count> = { text, was: null };
      const count = await store.transact([key], (records, now) => {
        if (stallMs > 0) stall(stallMs);
        return addOnePadded(key, padding, records, now);
      });
      say({ key: text, count });
    }
  };
  try {
    await store.ready();
    await Promise.all(Array.from({ length: atOnce }, lane));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    await sayLast({ fault: error.code });
  }
  await store.close();
  process.disconnect();
}

function addOnePadded(key: Key<Count>, padding: number, records: Records, now: number): number {
  const count = (records.get(key)?.count ?? 0) + 1;
  const record = { at: now, count, padding: 'x'.repeat(padding) };
  records.put(key, record, kept);
  return count;
}

function stall(ms: number): void {
  say({ isStalling: true });
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

function say(said: Said): void {
  process.send?.(said);
}

/** Resolves once it was written, and all that was said before it: what still waits is lost when the worker hangs up. */
async function sayLast(said: Said): Promise<void> {
  await new Promise((resolve) => process.send?.(said, resolve));
}

function open(place: Place): LmdbStore | PostgresStore {
  return place.kind === 'lmdb'
    ? createLmdbStore({ path: place.path, deadlineMs })
    : createPostgresStore({ connectionString: place.connectionString, deadlineMs });
}

await main();
