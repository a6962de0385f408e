import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StoreClock } from './store-clock.ts';

describe('the clock of the store', () => {
  test('is not set before the server has told its time', () => {
    expect(new StoreClock(() => 0).isSet).toBe(false);
  });

  test('is off by no more than half a round trip, and less with every quicker one', () => {
    let nowMs = 1_000;
    const clock = new StoreClock(() => nowMs);
    const serverAt = (ms: number) => ms + 5_000_000;
    clock.observe(serverAt(1_000), 1_000, 1_100);
    nowMs = 1_100;
    expect(Math.abs(clock.now() - serverAt(1_100))).toBeLessThanOrEqual(50);
    clock.observe(serverAt(1_201), 1_200, 1_202);
    nowMs = 1_202;
    expect(Math.abs(clock.now() - serverAt(1_202))).toBeLessThanOrEqual(1);
  });

  test('follows a server whose clock was set ahead', () => {
    let nowMs = 0;
    const clock = new StoreClock(() => nowMs);
    clock.observe(1_000_000, 0, 0);
    nowMs = 10;
    clock.observe(2_000_010, 10, 10);
    expect(clock.now()).toBe(2_000_010);
  });

  test('goes on slowly, never back, while the server is behind', () => {
    let nowMs = 0;
    const clock = new StoreClock(() => nowMs);
    clock.observe(1_000_000, 0, 0);
    expect(clock.now()).toBe(1_000_000);
    clock.observe(999_000, 0, 0);
    nowMs = 500;
    expect(clock.now()).toBe(1_000_250);
    nowMs = 3_000;
    expect(clock.now()).toBe(1_002_000);
  });

  test('never runs backwards, whatever the server says', () => {
    const event = fc.record({
      passMs: fc.nat(10_000),
      serverMs: fc.integer({ min: 1, max: 4_000_000_000_000 }),
      tripMs: fc.nat(200),
      isNew: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 30 }), (events) => {
        let nowMs = 0;
        let shown = 0;
        const clock = new StoreClock(() => nowMs);
        for (const { passMs, serverMs, tripMs, isNew } of events) {
          nowMs += passMs;
          clock.observe(serverMs, nowMs, nowMs + tripMs, isNew);
          nowMs += tripMs;
          const now = clock.now();
          expect(Number.isSafeInteger(now)).toBe(true);
          expect(now).toBeGreaterThanOrEqual(shown);
          shown = now;
        }
      }),
    );
  });
});
