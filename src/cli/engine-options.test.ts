import { getHeapStatistics } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../core/duration.ts';
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

  /** Notes at a time that something was there for three days, as all records of logins are. */
  const noted = () => {
    const { store, setTime } = openReplayStore();
    const note = (name: string, t: number) => {
      const key = { text: `portcullis:replay:login:1:K1:{${name}}`, was: null };
      setTime(t);
      store.immediate.transact([key], (records) =>
        records.put(key, { at: t }, { keepMs: 3 * DAY_MS, softMs: 0, hardMs: 0 }),
      );
    };
    return { store, note };
  };

  it('are forgotten when they have expired a month before', () => {
    const { store, note } = noted();
    for (let day = 0; day < 365; day += 1) {
      for (let index = 0; index < 100; index += 1) note(`${day}-${index}`, day * DAY_MS + index);
    }
    expect(store.usage().records).toBeLessThan(6_000);
  });

  it('are not forgotten for a line that is far ahead of all others, nor for a month that is read again', () => {
    const { store, note } = noted();
    for (let index = 0; index < 3_000; index += 1) note(`${index}`, index);
    note('ahead', 1_000 * DAY_MS);
    for (let index = 0; index < 3_000; index += 1) note(`month-${index}`, index * (DAY_MS / 100));
    expect(store.usage().records).toBe(6_001);
  });
});
