import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { sizeOf } from './value-size.ts';

/** Whether the engine keeps a list's numbers in the list itself. Only it can tell. */
function numbersLieIn(list: readonly number[]): boolean {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return runInThisContext('(list) => %HasDoubleElements(list)')(list);
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

describe('the size of a value', () => {
  it('is that of its parts: 24 bytes an object, 48 a list, 24 and its length a text, 8 a number and a reference', () => {
    expect([sizeOf(7), sizeOf('four'), sizeOf(null), sizeOf(true)]).toEqual([8, 28, 0, 0]);
    expect([sizeOf([]), sizeOf([1, 2]), sizeOf(['a'])]).toEqual([48, 64, 81]);
    expect(sizeOf({ at: 1, ids: ['a'], none: null })).toBe(24 + 16 + (8 + 81) + 8);
    expect(sizeOf([{ at: 1 }, { at: 2 }])).toBe(48 + 2 * (8 + 24 + 16));
  });

  it('is told without taking numbers out of their lists, however often it is asked for', () => {
    const at = 1_700_000_000_000;
    const records = Array.from({ length: 20_000 }, (_, place) => ({
      times: [at + place],
      devices: [{ id: 'a', failures: [at, at + place] }],
    }));
    for (const record of records) sizeOf(record);
    expect(records.filter(({ times }) => !numbersLieIn(times)).length).toBe(0);
  });
});
