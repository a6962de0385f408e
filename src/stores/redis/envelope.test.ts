import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Retention, StoredRecord } from '../../core/records.ts';
import { Snapshot, TIME_WIDTH } from './envelope.ts';
import { isSameVersion, NO_WRITER, VERSION_WIDTH } from './versions.ts';

const version = { writer: 'abcdefgh', count: 1 };
const versionHead = 'abcdefgh00000001';
const now = 1_700_000_000_000;

const unwritten = (value: StoredRecord, retention: Retention, time: number): Snapshot =>
  Snapshot.unwritten({ value, retention, form: undefined }, time);

describe('the text of a record', () => {
  test('reads in redis-cli', () => {
    const snapshot = unwritten({ at: now }, { keepMs: 1_000, softMs: 0, hardMs: 500 }, now);
    expect(snapshot.textFor(version)).toBe(
      `${versionHead} 1700000001000 0 1700000000500 {"at":1700000000000}`,
    );
  });

  test('gives back what was put, while it is kept', () => {
    const duration = fc.integer({ min: 0, max: 90 * 86_400_000 });
    const retention = fc.record({ keepMs: duration, softMs: duration, hardMs: duration });
    fc.assert(
      fc.property(fc.jsonValue(), retention, duration, (rest, retained, laterMs) => {
        const value = JSON.parse(JSON.stringify({ at: now, rest }));
        const snapshot = Snapshot.read(unwritten(value, retained, now).textFor(version), 0);
        const later = now + laterMs;
        const isKept = laterMs < retained.keepMs;
        expect(isSameVersion(snapshot, version)).toBe(true);
        expect(snapshot.valueAt(later)).toEqual(isKept ? value : undefined);
        expect(snapshot.isHardBlocked(later)).toBe(isKept && laterMs < retained.hardMs);
        expect(snapshot.isHeld(later)).toBe(isKept && laterMs < Math.max(retained.softMs, retained.hardMs));
      }),
    );
  });

  test('rounds times up to whole milliseconds', () => {
    const { keepUntil, softUntil, hardUntil } = unwritten(
      { at: 1 },
      { keepMs: 0.5, softMs: 1.2, hardMs: 0 },
      10,
    );
    expect([keepUntil, softUntil, hardUntil]).toEqual([11, 12, 0]);
  });

  test('has its version and its end where the commit script looks for them', () => {
    for (const time of [5, now, 10 ** 20]) {
      const text = unwritten({ at: 1 }, { keepMs: 0, softMs: 0, hardMs: 0 }, time).textFor(version);
      expect(text.slice(0, VERSION_WIDTH)).toBe(versionHead);
      expect(text.slice(VERSION_WIDTH + 1, VERSION_WIDTH + 1 + TIME_WIDTH)).toMatch(/^\d+$/);
      expect(text[VERSION_WIDTH + 1 + TIME_WIDTH]).toBe(' ');
    }
  });

  test.each([
    '',
    'x',
    `${versionHead}`,
    `${versionHead} 1 2 3`,
    `${versionHead} 1 -2 3 {}`,
    `${'é'.repeat(VERSION_WIDTH)} 1 2 3 {}`,
    `${versionHead}x1 2 3 {}`,
    `${versionHead} a 0 0 {}`,
    `abcdefghijklmnop 1 2 3 {}`,
  ])('that is %j is no record', (text) => {
    expect(() => Snapshot.read(text, 0)).toThrow(expect.objectContaining({ code: 'RECORD_CORRUPT' }));
  });

  test('tells of a corrupt record without showing it', () => {
    const text = `${versionHead} 9999999999999 0 0 {"secret`;
    expect(() => Snapshot.read(text, 0).valueAt(now)).toThrow(
      expect.objectContaining({ code: 'RECORD_CORRUPT', message: expect.not.stringContaining('secret') }),
    );
  });

  test('is absent as nothing, with no version', () => {
    const absent = Snapshot.absent(7);
    expect(absent.writer).toBe(NO_WRITER);
    expect(absent.seenAtMs).toBe(7);
    expect(absent.valueAt(0)).toBeUndefined();
    expect(absent.isHeld(0)).toBe(false);
  });
});
