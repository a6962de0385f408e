import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryOf, entryOfText, recordAt, textOfEntry } from './entry.ts';

const time = fc.nat(Number.MAX_SAFE_INTEGER);

describe('an entry of the embedded store', () => {
  test('comes back from its text as it was', () => {
    fc.assert(
      fc.property(time, time, fc.json(), (expiresAt, heldUntil, json) => {
        const entry = { expiresAt, heldUntil, json };
        expect(entryOfText(textOfEntry(entry))).toEqual(entry);
      }),
    );
  });

  test('ends neither early nor without need', () => {
    const value = { at: 1 };
    const times = (keepMs: number, softMs: number, hardMs: number) => {
      const put = { value, retention: { keepMs, softMs, hardMs }, form: undefined };
      const { expiresAt, heldUntil } = entryOf(put, 1_000);
      return [expiresAt, heldUntil];
    };
    expect(times(500, 0, 0)).toEqual([1_500, 0]);
    expect(times(500.2, 20.5, 0)).toEqual([1_501, 1_021]);
    expect(times(500, 20, 30)).toEqual([1_500, 1_030]);
  });

  test('holds a record until its expiry', () => {
    const entry = { expiresAt: 1_000, heldUntil: 0, json: '{"at":1}' };
    expect(recordAt(entry, 999)).toEqual({ at: 1 });
    expect(recordAt(entry, 1_000)).toBeUndefined();
  });

  test.each([
    '',
    ' ',
    '1',
    '1 2',
    '1  {"at":1}',
    'x 2 {"at":1}',
    '1 x {"at":1}',
    '1.5 2 {"at":1}',
    ' 1 {"at":1}',
  ])('is not read from "%s"', (text) => {
    expect(() => entryOfText(text)).toThrow(expect.objectContaining({ code: 'RECORD_CORRUPT' }));
  });
});
