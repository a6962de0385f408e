import { describe, expect, test } from 'vitest';
import { isSamePlace, placeOf } from './drop-order.ts';

const place = (expiresAt: number, heldUntil: number) => placeOf('a', { expiresAt, heldUntil, json: '{}' });

describe('the order of dropping', () => {
  test('goes by the minute of expiry, and of a block by the minute of its end', () => {
    expect(place(180_000, 0)).toEqual(['free', 3, 'a']);
    expect(place(999_000, 119_999)).toEqual(['held', 1, 'a']);
  });

  test('does not change with every write', () => {
    expect(isSamePlace(place(120_000, 0), place(179_999, 0))).toBe(true);
    expect(isSamePlace(place(120_000, 0), place(180_000, 0))).toBe(false);
    expect(isSamePlace(place(120_000, 60_000), place(900_000, 60_001))).toBe(true);
    expect(isSamePlace(place(120_000, 120_000), place(120_000, 0))).toBe(false);
  });
});
