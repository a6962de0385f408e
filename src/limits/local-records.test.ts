import { describe, expect, it } from 'vitest';
import type { Key, StoredRecord } from '../core/records.ts';
import { LocalRecords } from './local-records.ts';

interface Count extends StoredRecord {
  readonly count: number;
}

const keyOf = (id: number, kind = 'K2'): Key<Count> => ({
  text: `portcullis:x:${kind}:{${id}}:y`,
  was: null,
});

interface Adding {
  readonly kind?: string;
  readonly share?: string;
}

const addOne = (local: LocalRecords, id: number, now: number, { kind, share }: Adding = {}): number =>
  local.run(
    (records, at) => {
      const key = keyOf(id, kind);
      const count = (records.get(key)?.count ?? 0) + 1;
      records.put(key, { at, count }, { keepMs: 1_000, softMs: 0, hardMs: 0 });
      return count;
    },
    now,
    share,
  );

const isShared = (local: LocalRecords, id: number, now: number) =>
  local.run((records) => records.isShared?.(keyOf(id)), now);

describe('records of this process', () => {
  it('are kept until they expire', () => {
    const local = new LocalRecords();
    expect([addOne(local, 1, 0), addOne(local, 1, 999), addOne(local, 2, 999)]).toEqual([1, 2, 1]);
    expect(addOne(local, 1, 1_999)).toBe(1);
    local.clear();
    expect(addOne(local, 1, 1_999)).toBe(1);
  });

  it('are bounded: who comes too late shares one, and those there keep theirs', () => {
    const local = new LocalRecords();
    for (let id = 0; id < 4_096; id += 1) expect(addOne(local, id, 0)).toBe(1);
    expect([addOne(local, 5_000, 0), addOne(local, 5_001, 0), addOne(local, 5_002, 0)]).toEqual([1, 2, 3]);
    expect(addOne(local, 17, 0)).toBe(2);
  });

  it('make room once others have expired', () => {
    const local = new LocalRecords();
    for (let id = 0; id < 5_000; id += 1) addOne(local, id, 0);
    expect([addOne(local, 6_000, 2_000), addOne(local, 6_001, 2_000)]).toEqual([1, 1]);
  });

  it('of one kind leave the places of another alone', () => {
    const local = new LocalRecords();
    for (let id = 0; id < 5_000; id += 1) addOne(local, id, 0, { kind: 'K1' });
    expect([addOne(local, 1, 0), addOne(local, 2, 0), addOne(local, 2, 0)]).toEqual([1, 1, 2]);
  });

  it('say which of them are shared', () => {
    const local = new LocalRecords();
    for (let id = 0; id < 4_096; id += 1) addOne(local, id, 0);
    expect([isShared(local, 17, 0), isShared(local, 5_000, 0)]).toEqual([false, true]);
    expect(isShared(local, 5_000, 1_000)).toBe(false);
  });

  it('make room by the one used longest ago that says nothing, and never by one that says something', () => {
    const local = new LocalRecords((record) => (record as Count).count === 1);
    addOne(local, 0, 0);
    for (let id = 0; id < 4_096; id += 1) addOne(local, id, 0);
    expect([addOne(local, 5_000, 0), addOne(local, 5_001, 0)]).toEqual([1, 1]);
    expect([addOne(local, 0, 0), addOne(local, 3, 0)]).toEqual([3, 2]);
    expect(addOne(local, 1, 0)).toBe(1);
  });

  it('find room behind any number of records that say something', () => {
    const local = new LocalRecords((record) => (record as Count).count === 1);
    for (let id = 0; id < 4_095; id += 1) addOne(local, id, 0);
    for (let id = 0; id < 4_095; id += 1) addOne(local, id, 0);
    addOne(local, 4_095, 0);
    let calls = 1;
    while (isShared(local, 5_000, 0)) calls += 1;
    expect(calls).toBeLessThan(200);
    expect(addOne(local, 17, 0)).toBe(3);
  });

  it('are shared only by those who name the same share, and these are bounded too', () => {
    const local = new LocalRecords();
    for (let id = 0; id < 4_096; id += 1) addOne(local, id, 0);
    const add = (id: number, share: string) => addOne(local, id, 0, { share });
    expect([add(5_000, 'a'), add(5_001, 'b'), add(5_002, 'b')]).toEqual([1, 1, 2]);
    for (let share = 0; share < 4_094; share += 1) add(5_000, `${share}`);
    expect([add(5_000, 'c'), add(5_000, 'd'), add(5_000, 'b')]).toEqual([1, 2, 3]);
  });

  it('stay where a step has found them', () => {
    const local = new LocalRecords();
    for (let id = 0; id < 4_095; id += 1) addOne(local, id, 0);
    const retention = { keepMs: 1_000, softMs: 0, hardMs: 0 };
    local.run((records, at) => {
      for (const id of [5_000, 5_001]) expect(records.get(keyOf(id))).toBeUndefined();
      for (const id of [5_000, 5_001]) records.put(keyOf(id), { at, count: id }, retention);
      expect(records.get(keyOf(5_001))?.count).toBe(5_001);
    }, 0);
    expect([addOne(local, 5_000, 0), addOne(local, 5_001, 0), addOne(local, 6_000, 0)]).toEqual([
      5_001, 5_002, 1,
    ]);
  });
});
