import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digitsOf, threeDigitsOf } from './digits.ts';

test('a number has the digits that it has', () => {
  const number = fc.oneof(fc.maxSafeNat(), fc.nat(2_000), fc.maxSafeInteger(), fc.double());
  fc.assert(
    fc.property(number, (any) => {
      expect(digitsOf(any)).toBe(String(any));
    }),
    { examples: [[0], [999], [1_000], [1_001], [1_700_000_000_000], [Number.MAX_SAFE_INTEGER]] },
  );
});

test('three digits are three, whatever the number', () => {
  expect([0, 7, 42, 999].map(threeDigitsOf)).toEqual(['000', '007', '042', '999']);
});
