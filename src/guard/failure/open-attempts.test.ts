import { describe, expect, test } from 'vitest';
import { OpenAttempts } from './open-attempts.ts';

describe('open attempts', () => {
  test('are settled once each', () => {
    const attempts = new OpenAttempts(100);
    attempts.open('a', 0);
    attempts.open('a', 1);
    expect([2, 3, 4].map((now) => attempts.settle('a', now))).toEqual([true, true, false]);
    expect(attempts.settle('b', 5)).toBe(false);
  });

  test('are forgotten after their time', () => {
    const attempts = new OpenAttempts(100);
    attempts.open('a', 0);
    attempts.open('a', 50);
    expect(attempts.settle('a', 100)).toBe(true);
    expect(attempts.settle('a', 100)).toBe(false);
  });

  test('are forgotten together', () => {
    const attempts = new OpenAttempts(100);
    attempts.open('a', 0);
    attempts.clear();
    expect(attempts.settle('a', 1)).toBe(false);
  });

  test('hold no more subjects than were opened within their time', () => {
    const attempts = new OpenAttempts(100);
    for (let now = 0; now < 10_000; now += 1) {
      attempts.open(`subject ${now}`, now);
      expect(attempts.size).toBeLessThanOrEqual(100);
    }
  });
});
