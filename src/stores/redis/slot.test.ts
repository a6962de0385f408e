import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { slotOf } from './slot.ts';

describe('slots', () => {
  test.each([
    ['123456789', 12739],
    ['foo', 12182],
    ['user1000', 3443],
    ['{user1000}.following', 3443],
    ['', 0],
    ['Grüße', 8844],
  ])('%j is in the slot that the cluster computes', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });

  test('keys with one tag share a slot', () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !/[{}]/.test(text));
    fc.assert(
      fc.property(word, word, word, (before, tag, after) => {
        expect(slotOf(`${before}{${tag}}${after}`)).toBe(slotOf(tag));
      }),
    );
  });
});
