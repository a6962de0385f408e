import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountOf, Fault, invariant, shapeOf } from './fault.ts';

describe('shapeOf', () => {
  it.each([
    [4_915_112_345_678, 'an integer of 13 digits'],
    [7, 'an integer of 1 digit'],
    [0, 'an integer of 1 digit'],
    [0.5, 'a number with a fraction'],
    [-42, 'a negative integer of 2 digits'],
    [1e21, 'an integer of 22 digits'],
    [12.5, 'a number with a fraction'],
    [-0.25, 'a negative number with a fraction'],
    [Number.NaN, 'the number NaN'],
    [Number.NEGATIVE_INFINITY, 'the number -Infinity'],
    ['', 'an empty string'],
    ['alice', 'a string of 5 characters'],
    [['alice'], 'an array of 1'],
    [{ account: 'alice' }, 'an object'],
    [true, 'the boolean true'],
    [null, 'null'],
    [undefined, 'nothing'],
    [10n, 'a bigint'],
  ])('tells of %o that it is %s', (value, shape) => {
    expect(shapeOf(value)).toBe(shape);
  });

  it('tells no number that could be an identifier', () => {
    const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(number, number, (a, b) => {
        fc.pre(String(a).length > 3 && String(b).length > 3);
        expect(shapeOf(a)).not.toContain(String(Math.abs(a)));
        // Two numbers of one kind and size are told alike.
        const isAlike = Number.isInteger(a) && Number.isInteger(b) && Math.sign(a) === Math.sign(b);
        if (isAlike && String(a).length === String(b).length && Math.abs(a) < 1e21 && Math.abs(b) < 1e21) {
          expect(shapeOf(a)).toBe(shapeOf(b));
        }
      }),
    );
  });
});

describe('amountOf', () => {
  it.each([
    [9, 'the integer 9'],
    [1.5, 'the number 1.5'],
    [Number.NaN, 'the number NaN'],
    ['9', 'a string of 1 characters'],
    [null, 'null'],
  ])('tells %o as %s', (value, told) => {
    expect(amountOf(value)).toBe(told);
  });
});

describe('Fault', () => {
  it('is an error with a code, and with what led to it', () => {
    const cause = new RangeError('no such port');
    const fault = new Fault('STORE_FAILED', 'the store cannot be reached', { cause });
    expect([fault instanceof Error, fault.name, fault.code, fault.message, fault.cause]).toEqual([
      true,
      'Fault',
      'STORE_FAILED',
      'the store cannot be reached',
      cause,
    ]);
  });
});

describe('invariant', () => {
  it('stops where it does not hold, and only there', () => {
    expect(() => invariant(false, 'a level above the ladder')).toThrow(
      expect.objectContaining({ code: 'INVARIANT_BROKEN', message: 'a level above the ladder' }),
    );
    expect(() => invariant(true, 'a level above the ladder')).not.toThrow();
  });
});
