import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { steadyClock, wholeClock } from './whole-clock.ts';

/** A machine whose clock can be set, and the clock that follows it. */
function machine() {
  const times = { wallMs: 1_000_000, monotonicMs: 0 };
  const now = steadyClock(
    () => times.wallMs,
    () => times.monotonicMs,
  );
  const pass = (ms: number): void => {
    times.wallMs += ms;
    times.monotonicMs += ms;
  };
  const set = (byMs: number): void => {
    times.wallMs += byMs;
  };
  return { now, pass, set };
}

describe('the clock of the machine, as a store has it', () => {
  test('is followed while it goes on, and when it is set forward', () => {
    const { now, pass, set } = machine();
    expect(now()).toBe(1_000_000);
    pass(500);
    expect(now()).toBe(1_000_500);
    set(60_000);
    expect(now()).toBe(1_060_500);
  });

  test('goes on at half speed where it was set back, until it is caught up with', () => {
    const { now, pass, set } = machine();
    expect(now()).toBe(1_000_000);
    set(-10_000);
    expect(now()).toBe(1_000_000);
    pass(5_001);
    expect(now()).toBe(1_002_500);
    pass(14_999);
    expect(now()).toBe(1_010_000);
    pass(1_000);
    expect(now()).toBe(1_011_000);
    set(-100);
    expect(now()).toBe(1_011_000);
    pass(50);
    expect(now()).toBe(1_011_025);
  });

  test('goes on at half speed from what the records of a store have reached, where it is behind that', () => {
    let monotonicMs = 0;
    const now = steadyClock(
      () => 1_000_000 + monotonicMs,
      () => monotonicMs,
      1_010_000,
    );
    expect(now()).toBe(1_010_000);
    monotonicMs = 10_000;
    expect(now()).toBe(1_015_000);
    monotonicMs = 20_000;
    expect(now()).toBe(1_020_000);
    monotonicMs = 21_000;
    expect(now()).toBe(1_021_000);
  });

  test('never runs backwards and never stands still, however it is set', () => {
    const step = fc.record({
      passMs: fc.integer({ min: 2, max: 5_000 }),
      setMs: fc.integer({ min: -1e7, max: 1e7 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const { now, pass, set } = machine();
        let before = now();
        for (const { passMs, setMs } of steps) {
          set(setMs);
          const after = now();
          pass(passMs);
          expect(after).toBeGreaterThanOrEqual(before);
          before = now();
          expect(before).toBeGreaterThan(after);
          expect(Number.isInteger(before)).toBe(true);
        }
      }),
    );
  });
});

describe('a host’s own clock', () => {
  test('is taken at its word, but for a fraction', () => {
    const times = [5.9, 3.2];
    const now = wholeClock(() => times.shift() ?? 0);
    expect([now(), now()]).toEqual([5, 3]);
  });
});
