import fc from 'fast-check';
import { expect, it } from 'vitest';
import { reconnectWaitMs } from './backoff.ts';

it('waits longer each time, within bounds, and never less than it is asked to', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 30_000 }),
      (attempt, chance, leastMs) => {
        const waitMs = reconnectWaitMs(attempt, chance, leastMs);
        expect(waitMs).toBeGreaterThanOrEqual(Math.max(250, leastMs));
        expect(waitMs).toBeLessThanOrEqual(Math.max(15_000, leastMs));
        expect(reconnectWaitMs(attempt + 1, chance)).toBeGreaterThanOrEqual(reconnectWaitMs(attempt, chance));
      },
    ),
  );
});
