import { getHeapStatistics } from 'node:v8';
import { describe, expect, it } from 'vitest';
import type { StoredRecord } from '../core/records.ts';
import { openReplayStore } from './engine-options.ts';

/** Puts a record that counts as this share of the memory of the process, and takes next to nothing of it. */
function put(share: number, stores: number): void {
  const { store } = openReplayStore(stores);
  const text = 'x'.repeat(2 ** 20);
  const texts = new Array<string>(Math.round((share * getHeapStatistics().heap_size_limit) / text.length));
  const key = { text: 'portcullis:replay:login:1:account:{a}', was: null };
  const record: StoredRecord & { texts: string[] } = { at: 0, texts: texts.fill(text) };
  store.immediate.transact([key], (records) =>
    records.put(key, record, { keepMs: 1_000, softMs: 0, hardMs: 0 }),
  );
}

describe('the records of a file', () => {
  it.each([
    { stores: 1, fits: 0.39, exceeds: 0.41 },
    { stores: 2, fits: 0.19, exceeds: 0.21 },
  ])('in $stores stores take two fifths of the memory that the process gets', ({ stores, fits, exceeds }) => {
    expect(() => put(fits, stores)).not.toThrow();
    expect(() => put(exceeds, stores)).toThrow(/STORE_FULL|over the store's bound/);
  });
});
