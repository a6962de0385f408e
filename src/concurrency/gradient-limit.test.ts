import { describe, expect, it } from 'vitest';
import { type GradientLimit, gradientLimit } from './gradient-limit.ts';
import type { GradientOptions } from './gradient-policy.ts';

/** Feeds so many latencies over a second, evenly. */
function feed(limit: GradientLimit, fromMs: number, latencyMs: number, running: number, count = 100): void {
  for (let i = 1; i <= count; i += 1) limit.observe(latencyMs, running, fromMs + (1_000 * i) / count);
}

describe('gradientLimit', () => {
  it('starts at the maximum, or where it is told to', () => {
    expect(gradientLimit({ max: 50 }).current).toBe(50);
    expect(gradientLimit({ max: 50, initial: 20 }).current).toBe(20);
  });

  it('is a whole number', () => {
    const limit = gradientLimit({ max: 50, initial: 20 });
    feed(limit, 0, 20, 5);
    feed(limit, 1_000, 20, 20);
    expect(limit.state.limit).not.toBe(Math.floor(limit.state.limit));
    expect(limit.current).toBe(Math.floor(limit.state.limit));
  });

  it('decreases at most once per cooldown', () => {
    const limit = gradientLimit({ max: 64, min: 1 });
    feed(limit, 0, 20, 5);
    const seen = new Set<number>();
    for (let i = 1; i <= 300; i += 1) {
      limit.observe(2_000, 64, 1_000 + i * 10);
      seen.add(limit.current);
    }
    // Calls of 2 s stretch the cooldown to 2 s: one decrease at once, and one after it.
    expect([...seen]).toEqual([64, 32, 16]);
  });

  it('has every call timed until a window has many, then one of 32, then every call again', () => {
    const limit = gradientLimit({ max: 64, windowMs: 250 });
    for (let i = 0; i < 1_024; i += 1) {
      expect(limit.sample?.()).toBe(1);
      limit.observe(20, 5, 1);
    }
    expect(limit.sample?.()).toBe(32);
    limit.observe(20, 5, 251, 32);
    expect(limit.state.last?.count).toBe(1_025);
    expect(limit.sample?.()).toBe(1);
  });

  it('learns nothing from errors that come at once, however many', () => {
    const limit = gradientLimit({ max: 64, initial: 20 });
    feed(limit, 0, 20, 5);
    const { quiet } = limit.state;
    for (let i = 1; i <= 1_000; i += 1) limit.observeError?.(1, 20, 1_000 + i);
    expect(limit.state).toMatchObject({ quiet, limit: 20 });
  });

  it('comes down once per cooldown where most calls end in errors that took long', () => {
    const limit = gradientLimit({ max: 64, min: 1 });
    feed(limit, 0, 20, 5);
    const seen = new Set<number>();
    for (let i = 1; i <= 300; i += 1) {
      limit.observeError?.(2_000, 64, 1_000 + i * 10);
      seen.add(limit.current);
    }
    expect([...seen]).toEqual([64, 32, 16]);
  });

  it('stays where slow errors are few among calls that are fine, however many come in time', () => {
    const limit = gradientLimit({ max: 64 });
    for (let i = 1; i <= 10_000; i += 1) {
      limit.observe(20, 5, i * 10);
      if (i % 3 === 0) limit.observeError?.(2_000, 5, i * 10);
    }
    expect(limit.current).toBe(64);
  });

  it('judges no window of few latencies, however many calls they stand for', () => {
    const limit = gradientLimit({ max: 64, windowMs: 1 });
    feed(limit, 0, 20, 5, 20);
    for (let i = 1; i <= 19; i += 1) limit.observe(20_000, 64, 1_000 + i, 32);
    expect(limit.current).toBe(64);
    limit.observe(20_000, 64, 1_020, 32);
    expect(limit.current).toBe(32);
  });

  it('judges no window of few latencies', () => {
    const limit = gradientLimit({ max: 64, windowMs: 1 });
    feed(limit, 0, 20, 5, 20);
    feed(limit, 1_000, 20_000, 64, 19);
    expect(limit.current).toBe(64);
    limit.observe(20_000, 64, 2_001);
    expect(limit.current).toBe(32);
  });

  it('is not moved by one stuck call among many', () => {
    const limit = gradientLimit({ max: 64 });
    feed(limit, 0, 20, 5);
    for (let second = 1; second < 60; second += 1) {
      limit.observe(60_000, 64, second * 1_000);
      feed(limit, second * 1_000, 20, 64);
      expect(limit.state.probedFrom ?? limit.current).toBe(64);
    }
  });

  it('takes calls that nobody counted as one running', () => {
    const limit = gradientLimit({ max: 64 });
    feed(limit, 0, 20, 0);
    feed(limit, 1_000, 40, 0);
    expect(limit.current).toBeLessThan(64);
    expect(limit.state.last?.meanRunning).toBe(1);
  });

  it.each([
    { max: 0 },
    { max: 10, min: 0 },
    { max: 10, min: 11 },
    { max: 10, min: 5, initial: 4 },
    { max: 10, tolerance: 1 },
    { max: 10, tolerance: 2 },
    { max: 10, tolerance: Number.NaN },
    { max: 10, windowMs: 0 },
    { max: 10, minSamples: 1 },
    { max: 10, cooldownMs: 0 },
    { max: 10, longMs: 100 },
    { max: 10, probeEveryMs: 100 },
  ])('checks its options: %o', (options) => {
    expect(() => gradientLimit(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it.each<[unknown, string]>([
    [{ max: 10, mim: 2 }, 'mim is no option of a gradient limit: there are max, min, '],
    [{ max: 10, min: null }, 'min must be a whole number from 1 to 10, got null'],
    [{ max: 5n }, 'max must be a whole number from 1 to 1000000, got a bigint'],
    [10, 'options of a gradient limit must be an object, got an integer of 2 digits'],
    [null, 'options of a gradient limit must be an object, got null'],
  ])('names what is wrong with %o', (options, message) => {
    expect(() => gradientLimit(options as GradientOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });

  it('takes an option that is undefined for one that is not given', () => {
    const options: object = { max: 50, min: undefined, initial: undefined };
    expect(gradientLimit(options as GradientOptions).current).toBe(50);
  });
});

describe('a limit while calls fail quickly', () => {
  it.each([0, 4, 6, 7, 8])('recovers by those that do not fail: %i of ten do', (errorsOfTen) => {
    const limit = gradientLimit({ max: 100, initial: 10 });
    let now = 1_000_000;
    for (let call = 0; call < 200 * 60 * 30; call += 1) {
      now += 5;
      if (call % 10 < errorsOfTen) limit.observeError?.(1, limit.current, now);
      else limit.observe(20, limit.current, now);
    }
    expect(limit.state.probedFrom ?? limit.current).toBeGreaterThan(90);
  });

  it('ends a probe', () => {
    const limit = gradientLimit({ max: 100 });
    let now = 1_000_000;
    while (limit.state.probedFrom === null && now < 2_000_000) {
      now += 5;
      limit.observe(20, limit.current, now);
    }
    expect(limit.state.probedFrom).toBe(100);
    for (let call = 0; call < 2_000; call += 1) {
      now += 5;
      if (call % 10 < 8) limit.observeError?.(20, limit.current, now);
      else limit.observe(20, limit.current, now);
    }
    expect([limit.state.probedFrom, limit.current]).toEqual([null, 100]);
  });
});
