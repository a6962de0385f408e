import { describe, expect, it } from 'vitest';
import { amount } from './number.ts';

describe('an amount', () => {
  it.each([
    [0.1 * 3, '0.3'],
    [0.025 * 3, '0.075'],
    [0.00025, '0.00025'],
    [20, '20'],
    [100_000 * 4, '400,000'],
  ])('of %d is written as a person would', (value, words) => {
    expect(amount(value)).toBe(words);
  });
});
