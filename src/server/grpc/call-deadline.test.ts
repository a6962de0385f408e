import { describe, expect, it } from 'vitest';
import { waitMsOf } from './call-deadline.ts';

describe('how long a caller waits', () => {
  it.each([
    ['250m', 250],
    ['3S', 3_000],
    ['2M', 120_000],
    ['1H', 3_600_000],
    ['500u', 0.5],
    ['1n', 1e-6],
    // Longer than a timer can count: it would end at once.
    ['99999999H', 2 ** 31 - 1],
    ['', null],
    ['S', null],
    ['123456789m', null],
    ['-1S', null],
    ['1 S', null],
    [undefined, null],
  ])('%s is %s ms', (timeout, waitMs) => {
    expect(waitMsOf(timeout)).toBe(waitMs);
  });
});
