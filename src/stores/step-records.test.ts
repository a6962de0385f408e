import { describe, expect, test } from 'vitest';
import type { Key, StoredRecord } from '../core/records.ts';
import { StepRecords, textsOf } from './step-records.ts';

interface Count extends StoredRecord {
  readonly count: number;
}

const kept = { keepMs: 1_000, softMs: 0, hardMs: 0 };
const key: Key<Count> = { text: 'portcullis:test:login:1:K4:{new}', was: 'portcullis:test:login:1:K4:{old}' };
const stored = new Map<string, Count>([
  ['portcullis:test:login:1:K4:{old}', { at: 1, count: 1 }],
  ['portcullis:test:login:1:K4:{else}', { at: 1, count: 9 }],
]);
const find = (text: string): StoredRecord | undefined => stored.get(text);

describe('StepRecords', () => {
  test('read the record under the previous text until one was put', () => {
    const records = new StepRecords([key], find, 'step');
    expect(records.get(key)).toEqual({ at: 1, count: 1 });
    records.put(key, { at: 2, count: 2 }, kept);
    expect(records.get(key)).toEqual({ at: 2, count: 2 });
    expect([...records.puts]).toEqual([[key.text, { value: { at: 2, count: 2 }, retention: kept }]]);
  });

  test('know only the keys of their call', () => {
    const records = new StepRecords([key], find, 'step');
    const stranger: Key<Count> = { text: 'portcullis:test:login:1:K4:{else}', was: null };
    const fault = expect.objectContaining({
      code: 'INVARIANT_BROKEN',
      message: 'A step used a K4 key that its call does not name.',
    });
    expect(() => records.get(stranger)).toThrow(fault);
    expect(() => records.put(stranger, { at: 1, count: 1 }, kept)).toThrow(fault);
    expect(records.puts.size).toBe(0);
  });

  test('take no put of a look, and nothing after their end', () => {
    const looked = new StepRecords([key], find, 'look');
    expect(() => looked.put(key, { at: 1, count: 1 }, kept)).toThrow('A look may not put a record.');
    const ended = new StepRecords([key], find, 'step');
    ended.end();
    expect(() => ended.get(key)).toThrow('Records were used after their step had ended.');
    expect(() => ended.put(key, { at: 1, count: 1 }, kept)).toThrow(
      expect.objectContaining({ code: 'INVARIANT_BROKEN' }),
    );
  });
});

describe('textsOf', () => {
  test('names every text once', () => {
    const other: Key = { text: 'other', was: null };
    expect(textsOf([key, other, { ...key }, { text: 'third', was: 'other' }])).toEqual([
      key.text,
      key.was,
      'other',
      'third',
    ]);
    expect(textsOf([])).toEqual([]);
  });
});
