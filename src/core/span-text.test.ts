import fc from 'fast-check';
import { expect, it } from 'vitest';
import { spanText, waitText } from './span-text.ts';

it.each([
  [-5, '0 s'],
  [0, '0 s'],
  [0.4, '0 ms'],
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

it.each([
  [0, '0 s'],
  [1, '1 s'],
  [59_001, '1 min'],
  [60_001, '1 min 1 s'],
  [6 * 3_600_000, '6 h'],
  [6 * 3_600_000 + 1, '6 h 1 min'],
  [90 * 86_400_000 - 1, '90 d'],
])('tells that %d ms are to pass as %s', (ms, text) => {
  expect(waitText(ms)).toBe(text);
});

it('never tells a wait that is shorter than it is, nor longer by more than its smaller unit', () => {
  const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000 };
  const readBack = (text: string) =>
    [...text.matchAll(/(\d+) (\w+)/g)].reduce(
      (sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0),
      0,
    );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e10 }), (ms) => {
      const toldMs = readBack(waitText(ms));
      const stepMs = ms >= 86_400_000 ? 3_600_000 : ms >= 3_600_000 ? 60_000 : 1_000;
      expect(toldMs).toBeGreaterThanOrEqual(ms);
      expect(toldMs - ms).toBeLessThan(stepMs);
    }),
  );
});
