import { describe, expect, test } from 'vitest';
import type { Key, Records, StoredRecord } from '../../core/records.ts';
import { Snapshot } from './envelope.ts';
import { Reading } from './reading.ts';
import { ReadingRecords } from './reading-records.ts';

interface Count extends StoredRecord {
  readonly count: number;
}

const now = 1_700_000_000_000;
const kept = { keepMs: 1_000, softMs: 0, hardMs: 0 };
const keyOf = (name: string, was: string | null = null): Key<Count> => ({
  text: `portcullis:test:login:1:K4:{g}:${name}`,
  was,
});

function reading(keys: readonly Key[], counts: Readonly<Record<string, number>> = {}): Reading {
  const found = Reading.of(keys, (text) => {
    const count = counts[text.split(':').at(-1) ?? ''];
    return count === undefined
      ? Snapshot.absent(0)
      : Snapshot.unwritten({ value: { at: now, count } as Count, retention: kept, form: undefined }, now);
  });
  if (found === undefined) throw new RangeError('Every text has a snapshot.');
  return found;
}

/** Adds in place where it can. */
const addOne =
  (key: Key<Count>, thrown?: Error) =>
  (records: Records): number => {
    const record = records.own?.(key) ?? { at: now, count: records.get(key)?.count ?? 0 };
    record.count += 1;
    records.put(key, record, kept);
    if (thrown !== undefined) throw thrown;
    return record.count;
  };

const few = [keyOf('a'), keyOf('b')];
const many = Array.from({ length: 20 }, (_, index) => keyOf(`k${index}`));

describe('the records of a reading', () => {
  test.each([
    ['a few keys', few],
    ['many keys', many],
  ])('show each step what those before it have put; %s', (_, keys) => {
    const key = keys[1] as Key<Count>;
    const records = new ReadingRecords(reading(keys, { b: 4, k1: 4 }), now);
    const step = { keys: [key], run: addOne(key) };
    expect([records.run(step), records.run(step), records.run(step)]).toEqual([5, 6, 7]);
    expect(records.written?.map((put) => put?.value)).toEqual(
      keys.map((one) => (one === key ? { at: now, count: 7 } : undefined)),
    );
  });

  test('find the record under the previous text until one was put', () => {
    const key = keyOf('new', 'before:old');
    const records = new ReadingRecords(reading([key], { old: 2 }), now);
    expect(records.show((shown) => shown.get(key)?.count)).toBe(2);
    expect(records.run({ keys: [key], run: addOne(key) })).toBe(3);
    expect(records.run({ keys: [key], run: (shown) => shown.get(key)?.count })).toBe(3);
  });

  test('take a key of the same text for the same', () => {
    const records = new ReadingRecords(reading(few, { a: 1 }), now);
    expect(records.show((shown) => shown.get(keyOf('a'))?.count)).toBe(1);
  });

  test('tell when a step has thrown in the middle of its changes, and only then', () => {
    const [key] = few as [Key<Count>];
    const broken = new RangeError('broken');
    const records = new ReadingRecords(reading(few), now);
    const look = (shown: Records): never => {
      shown.get(key);
      throw broken;
    };
    expect(() => records.run({ keys: few, run: look })).toThrow(broken);
    expect(records.run({ keys: few, run: addOne(key) })).toBe(1);
    expect(() => records.run({ keys: few, run: look })).toThrow(broken);
    expect(records.isSpoilt).toBe(false);
    expect(() => records.run({ keys: few, run: addOne(key, broken) })).toThrow(broken);
    expect(records.isSpoilt).toBe(true);
  });

  test('know only the keys of their step', () => {
    const [named, stranger] = few as [Key<Count>, Key<Count>];
    const records = new ReadingRecords(reading(few), now);
    const fault = expect.objectContaining({
      code: 'INVARIANT_BROKEN',
      message: 'A step used a K4 key that its call does not name.',
    });
    expect(() => records.run({ keys: [named], run: (shown) => shown.get(stranger) })).toThrow(fault);
    expect(() => records.run({ keys: [named], run: addOne(stranger) })).toThrow(fault);
    expect(() => records.show((shown) => shown.get(keyOf('else')))).toThrow(fault);
  });

  test('change nothing for a look, and are of no use after their end', () => {
    const [key] = few as [Key<Count>];
    const records = new ReadingRecords(reading(few), now);
    expect(() => records.show((shown) => shown.put(key, { at: now, count: 1 }, kept))).toThrow(
      'A look may not put a record.',
    );
    expect(() => records.show((shown) => shown.own?.(key))).toThrow('A look may not change a record.');
    expect(() => records.get(key)).toThrow('Records were used after their step had ended.');
  });
});

describe('a reading', () => {
  test('is none as soon as one text is not found', () => {
    const keys = [keyOf('a'), keyOf('b', 'before:b')];
    const found = Snapshot.absent(0);
    expect(Reading.of(keys, (text) => (text === 'before:b' ? undefined : found))).toBeUndefined();
    expect(Reading.of(keys, (text) => (text.endsWith(':a') ? undefined : found))).toBeUndefined();
  });

  test('tells every text, the previous ones too', () => {
    const told: string[] = [];
    reading([keyOf('a'), keyOf('b', 'before:b')]).forEach((text) => {
      told.push(text);
    });
    expect(told).toEqual([keyOf('a').text, keyOf('b').text, 'before:b']);
  });
});
