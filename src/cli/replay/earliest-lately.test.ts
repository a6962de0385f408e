import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EarliestLately } from './earliest-lately.ts';

test('is the earliest of the latest times, of as many as asked for at least and twice as many at most', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { minLength: 1 }), fc.integer({ min: 1, max: 9 }), (times, count) => {
      const lately = new EarliestLately(count);
      times.forEach((t, index) => {
        lately.note(t);
        const latest = (most: number) => Math.min(...times.slice(Math.max(0, index + 1 - most), index + 1));
        if (index + 1 < count) expect(lately.earliest).toBe(Number.NEGATIVE_INFINITY);
        else expect(lately.earliest).toBeLessThanOrEqual(latest(count));
        if (index + 1 >= count) expect(lately.earliest).toBeGreaterThanOrEqual(latest(2 * count));
      });
    }),
  );
});
