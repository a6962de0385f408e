import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Key, Records, Retention, StoredRecord } from '../../core/records.ts';
import type { HeldRecord, Store } from '../../stores/store.ts';
import type { TestFramework } from './test-framework.ts';

/** A store under test and what belongs to it. */
export interface OpenedStore {
  readonly store: Store;
  /** A second handle on the same records, as another process would have one. */
  openAnother?(): Promise<Store>;
  /** Ends everything that was opened, also a store that is closed already. */
  close(): Promise<void>;
  /** Lets the store's time pass; a store with a clock of its own is waited for. */
  elapse?(ms: number): Promise<void>;
}

/** What the tests of one store work with. */
export interface UnderTest extends Pick<TestFramework, 'describe' | 'test'> {
  readonly store: Store;
  /** All handles on the same records, the store itself first. */
  readonly handles: readonly Store[];
  /** How many steps run at once. */
  readonly parallel: number;
  /** How many random cases a property tries. */
  readonly runs: number;
  /** Spreads steps over the handles. */
  handleFor(index: number): Store;
  elapse(ms: number): Promise<void>;
  open(): Promise<OpenedStore>;
}

export interface Count extends StoredRecord {
  readonly count: number;
}

export const kept: Retention = { keepMs: 3_600_000, softMs: 0, hardMs: 0 };
/** Long enough to look at a record before it ends, short enough to wait for on a real clock. */
export const briefMs = 1_500;
export const brief: Retention = { ...kept, keepMs: briefMs };

/** A record group of its own: two keys with one tag, and the text that the keys start with. */
export function group(): { key: Key<Count>; sibling: Key<Count>; text: string } {
  const id = randomUUID();
  const text = `portcullis:conformance-${id}:login:1:`;
  return {
    text,
    key: { text: `${text}K1:{${id}}`, was: null },
    sibling: { text: `${text}K2:{${id}}:sibling`, was: null },
  };
}

export function countOf(count: number, at: number): Count {
  return { at, count };
}

export function addOne(key: Key<Count>): (records: Records, now: number) => number {
  return (records, now) => {
    const count = (records.get(key)?.count ?? 0) + 1;
    records.put(key, countOf(count, now), kept);
    return count;
  };
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export async function collect(held: AsyncIterable<HeldRecord>): Promise<HeldRecord[]> {
  const records: HeldRecord[] = [];
  for await (const record of held) records.push(record);
  return records;
}

/** What the promise rejects with; a promise that resolves fails the test. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('it resolved where it should have rejected'),
    (cause: unknown) => cause,
  );
}

/** The promise rejects with a fault of this code. */
export async function assertFault(promise: Promise<unknown>, code: string): Promise<void> {
  const cause = await rejection(promise);
  assert.ok(typeof cause === 'object' && cause !== null && 'code' in cause, `not a fault: ${String(cause)}`);
  assert.equal(cause.code, code);
}
