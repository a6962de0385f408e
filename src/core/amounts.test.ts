import { describe, expect, it } from 'vitest';
import {
  assertNumber,
  assertWhole,
  isNumber,
  isWhole,
  numberWords,
  outOfRange,
  wholeWords,
} from './amounts.ts';

const noNumbers: readonly unknown[] = [Number.NaN, '3', 3n, null, undefined, true, [3], new Number(3)];

describe('amounts', () => {
  it('takes numbers from the least to the most, both among them', () => {
    expect([1.9, 2, 3.5, 4, 4.1].map((value) => isNumber(value, 2, 4))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('takes whole numbers from the least to the most, both among them', () => {
    expect([1, 2, 2.5, 4, 5].map((value) => isWhole(value, 2, 4))).toEqual([false, true, false, true, false]);
  });

  it('takes finite numbers alone where there is no most, unless infinity is said to be one', () => {
    expect(isNumber(Number.MAX_VALUE, 1)).toBe(true);
    expect(isNumber(Number.POSITIVE_INFINITY, 1)).toBe(false);
    expect(isNumber(Number.POSITIVE_INFINITY, 1, Number.POSITIVE_INFINITY)).toBe(true);
  });

  it('takes whole numbers only as far as they are exact', () => {
    expect(isWhole(Number.MAX_SAFE_INTEGER, 1)).toBe(true);
    expect(isWhole(2 ** 53, 1)).toBe(false);
    expect(isWhole(2 ** 53, 1, Number.POSITIVE_INFINITY)).toBe(false);
  });

  it.each(noNumbers.map((value) => [value]))('takes %s for no number', (value) => {
    expect([isNumber(value, 0), isWhole(value, 0)]).toEqual([false, false]);
  });

  it('tells a range in the same words everywhere', () => {
    expect([numberWords(2, 4), numberWords(0.5), numberWords(undefined, 4), numberWords()]).toEqual([
      'a number from 2 to 4',
      'a number of at least 0.5',
      'a number of at most 4',
      'a number',
    ]);
    expect([wholeWords(1, 12), wholeWords(1), wholeWords(1, Number.MAX_SAFE_INTEGER)]).toEqual([
      'a whole number from 1 to 12',
      'a whole number of at least 1',
      'a whole number of at least 1',
    ]);
  });

  it('refuses with the field, its range and what was given', () => {
    const refused = (code: string, message: string) => expect.objectContaining({ code, message });
    expect(() => assertNumber('CONFIG_INVALID', 'burst', 9, 2, 4)).toThrow(
      refused('CONFIG_INVALID', 'burst must be a number from 2 to 4, got the integer 9'),
    );
    expect(() => assertWhole('INPUT_INVALID', 'hits', 0.5, 0)).toThrow(
      refused('INPUT_INVALID', 'hits must be a whole number of at least 0, got the number 0.5'),
    );
    expect(outOfRange('INPUT_INVALID', 'share', 'above 0', 'secret')).toEqual(
      refused('INPUT_INVALID', 'share must be above 0, got a string of 6 characters'),
    );
  });

  it('lets pass what is in range', () => {
    expect(() => assertNumber('CONFIG_INVALID', 'burst', 2.5, 2, 4)).not.toThrow();
    expect(() => assertWhole('CONFIG_INVALID', 'nodes', 3, 1)).not.toThrow();
  });
});
