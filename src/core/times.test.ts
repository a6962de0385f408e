import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWithin, isWithin, noteTime, timesWithin } from './times.ts';

describe('within a window (§1)', () => {
  it('means younger than it: what is exactly as old lies outside', () => {
    expect([isWithin(901, 1_000, 100), isWithin(900, 1_000, 100)]).toEqual([true, false]);
    expect(timesWithin([899, 900, 901, 1_000], 1_000, 100)).toEqual([901, 1_000]);
    expect(countWithin([899, 900, 901, 1_000], 1_000, 100)).toBe(2);
  });

  it('lies what was noted for a time to come: inside a record time never runs backwards', () => {
    expect(isWithin(1_001, 1_000, 100)).toBe(true);
  });

  it('is counted as it is listed', () => {
    const times = fc.array(fc.integer({ min: 0, max: 200 }));
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 200 }), (list, now) => {
        expect(countWithin(list, now, 50)).toBe(timesWithin(list, now, 50).length);
      }),
    );
  });
});

describe('noteTime', () => {
  it('keeps the last ones, however many the list held before', () => {
    const list = fc.array(fc.integer(), { maxLength: 12 });
    fc.assert(
      fc.property(list, fc.integer(), fc.integer({ min: 1, max: 8 }), (times, at, kept) => {
        expect(noteTime(times.slice(), at, kept)).toEqual([...times, at].slice(-kept));
      }),
    );
  });

  it('makes another list while it is short, and changes it in place from then on', () => {
    const [short, full]: [number[], number[]] = [[1], [1, 2, 3]];
    const long = [1, 2, 3, 4];
    expect([noteTime(short, 2, 3), short]).toEqual([[1, 2], [1]]);
    expect([noteTime(long, 5, 9), long]).toEqual([long, [1, 2, 3, 4, 5]]);
    expect(noteTime(long, 6, 9)).toBe(long);
    expect(noteTime(full, 4, 3)).toBe(full);
    expect(noteTime(full, 5, 1)).toBe(full);
    expect(full).toEqual([5]);
  });
});
