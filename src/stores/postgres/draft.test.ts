import { describe, expect, test } from 'vitest';
import type { Key, Records, StoredRecord } from '../../core/records.ts';
import { Deadlines } from '../deadlines.ts';
import { PendingCall } from '../pending-call.ts';
import { draftOf } from './draft.ts';
import { absentRow, Row } from './rows.ts';

interface Count extends StoredRecord {
  readonly count: number;
}

const key: Key<Count> = { text: 'portcullis:test:login:1:K4:{a}', was: null };
const kept = { keepMs: 1_000, softMs: 0, hardMs: 0 };
const deadlines = new Deadlines('The store', 60_000, () => 0);
const now = 5_000;

const add =
  (retention = kept) =>
  (records: Records, at: number): number => {
    const count = (records.get(key)?.count ?? 0) + 1;
    records.put(key, { at, count }, retention);
    return count;
  };
const callOf = <T>(step: (records: Records, at: number) => T) => new PendingCall([key], step, deadlines);
const rowOf = (count: number, expiresAt: number) =>
  new Map([[key.text, new Row('7', `{"at":1,"count":${count}}`, expiresAt)]]);

describe('draftOf', () => {
  test('runs each step on what the ones before it have put, and writes the last', async () => {
    const calls = [callOf(add()), callOf(add()), callOf(add({ keepMs: 2_000, softMs: 10, hardMs: 20.5 }))];
    const draft = draftOf(calls, rowOf(4, 9_000), now);
    expect([...draft.writes]).toEqual([
      [
        key.text,
        { value: { at: now, count: 7 }, json: '{"at":5000,"count":7}', expiresAt: 7_000, heldUntil: 5_021 },
      ],
    ]);
    draft.settle();
    expect(await Promise.all(calls.map(({ promise }) => promise))).toEqual([5, 6, 7]);
  });

  test('leaves out a step that throws, and one that nobody waits for', async () => {
    const refused = new RangeError('refused');
    const failing = callOf((records, at) => {
      add()(records, at);
      throw refused;
    });
    const unwritable = callOf((records, at) => {
      const cycle: { at: number; count: number; self?: unknown } = { at, count: 1 };
      cycle.self = cycle;
      records.put(key, cycle, kept);
    });
    const late = callOf(add());
    late.reject(refused);
    const counting = callOf(add());
    const draft = draftOf([failing, unwritable, late, counting], new Map([[key.text, absentRow]]), now);
    draft.settle();
    await expect(failing.promise).rejects.toBe(refused);
    await expect(unwritable.promise).rejects.toBeInstanceOf(TypeError);
    await expect(late.promise).rejects.toBe(refused);
    await expect(counting.promise).resolves.toBe(1);
    expect(draft.writes.get(key.text)?.json).toBe('{"at":5000,"count":1}');
  });

  test('rests on what its steps have asked for or written, not on all that was read', () => {
    const carried: Key<Count> = { text: 'portcullis:test:login:1:K4:{b}', was: key.text };
    const blind: Key<Count> = {
      text: 'portcullis:test:login:1:K4:{c}',
      was: 'portcullis:test:login:1:K4:{d}',
    };
    const restsOn = (present: boolean): string[] => {
      const row = present ? new Row('8', '{"at":1,"count":1}', 9_000) : absentRow;
      const rows = new Map([
        [carried.text, row],
        ...rowOf(4, 9_000),
        [blind.text, absentRow],
        [String(blind.was), absentRow],
      ]);
      const step = (records: Records, at: number) => {
        records.get(carried);
        records.put(blind, { at, count: 1 }, kept);
      };
      return [...draftOf([new PendingCall([carried, blind], step, deadlines)], rows, now).restsOn.keys()];
    };
    expect(restsOn(true)).toEqual([carried.text, blind.text]);
    expect(restsOn(false)).toEqual([carried.text, key.text, blind.text]);
  });

  test('takes a record past its expiry for absent, stored or just put', async () => {
    const calls = [callOf(add({ ...kept, keepMs: 0 })), callOf(add())];
    draftOf(calls, rowOf(4, now), now).settle();
    expect(await Promise.all(calls.map(({ promise }) => promise))).toEqual([1, 1]);
  });
});
