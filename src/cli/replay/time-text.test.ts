import { expect, it } from 'vitest';
import { clockText, counted, spanText } from './time-text.ts';

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

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [61_999, '1 min 1 s'],
  [2_048_000, '34 min 8 s'],
  [3_600_000, '1 h'],
  [86_400_000 + 59_000, '1 d'],
  [90_061_000, '1 d 1 h'],
])('tells a span of %d ms as %s', (ms, text) => {
  expect(spanText(ms)).toBe(text);
});

it('counts in the right number', () => {
  expect([0, 1, 2].map((count) => counted(count, 'event'))).toEqual(['0 events', '1 event', '2 events']);
});
