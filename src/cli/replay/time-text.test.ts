import { expect, it } from 'vitest';
import { clockText } from './time-text.ts';

it.each([
  [0, 't = 00:00:00'],
  [-1_995, 't = 00:00:00'],
  [14_418_586, 't = 04:00:18.586'],
  [2 * 86_400_000 + 1_000, 't = 2 d 00:00:01'],
  [Date.UTC(2015, 11, 10, 7, 13, 56), '2015-12-10T07:13:56Z'],
  [Date.UTC(2015, 11, 10, 7, 13, 56, 7), '2015-12-10T07:13:56.007Z'],
])('tells the time %d as %s', (t, text) => {
  expect(clockText(t)).toBe(text);
});
