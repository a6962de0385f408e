import { describe, expect, it } from 'vitest';
import type { Key, StoredRecord } from '../core/records.ts';
import { LocalRecords } from './local-records.ts';

interface Count extends StoredRecord {
  readonly count: number;
}

const keyOf = (id: number): Key<Count> => ({ text: `portcullis:x:K2:{${id}}:y`, was: null });

const addOne = (local: LocalRecords, id: number, now: number): number =>
  local.run((records, at) => {
    const count = (records.get(keyOf(id))?.count ?? 0) + 1;
    records.put(keyOf(id), { at, count }, { keepMs: 1_000, softMs: 0, hardMs: 0 });
    return count;
  }, now);

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
});
