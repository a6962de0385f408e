import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorStep, type GradientState, gradientStep, initialGradient, startProbe } from './gradient.ts';
import { completePolicy } from './gradient-policy.ts';
import type { WindowSummary } from './latency-window.ts';

const policy = completePolicy({ max: 100, min: 4 });

/** A window of 250 ms that ends at `toMs`, with this mean latency and nothing else to say. */
function windowOf(
  toMs: number,
  latencyMs: number,
  running: number,
  more: Partial<WindowSummary> = {},
): WindowSummary {
  return {
    fromMs: toMs - 250,
    toMs,
    count: 100,
    mean: Math.log(latencyMs),
    error: 0,
    meanRunning: running,
    peakRunning: running,
    longestMs: latencyMs,
    ...more,
  };
}

/** A limiter that knows 20 ms as quiet. */
function quietAt20(limit = 40): GradientState {
  const state = gradientStep(initialGradient(policy), windowOf(250, 20, 1), policy);
  return { ...state, limit, settledAt: Number.NEGATIVE_INFINITY };
}

function quietMs(state: GradientState): number {
  return Math.exp(state.quiet?.mean ?? Number.NaN);
}

describe('a slow window', () => {
  it('brings the limit down by the gradient', () => {
    const after = gradientStep(quietAt20(), windowOf(500, 40, 40), policy);
    expect(after.limit).toBeCloseTo(40 * ((1.5 * 20) / 40), 9);
    expect(after.strain).toBeCloseTo(0.25, 9);
  });

  it('never by more than half, never below the minimum', () => {
    expect(gradientStep(quietAt20(), windowOf(500, 9_000, 40), policy).limit).toBe(20);
    expect(gradientStep(quietAt20(5), windowOf(500, 9_000, 5), policy).limit).toBe(4);
  });

  it('starts a cooldown, as long as the longest calls at least', () => {
    expect(gradientStep(quietAt20(), windowOf(500, 40, 40), policy).settledAt).toBe(1_500);
    const long = gradientStep(quietAt20(), windowOf(500, 400, 40, { longestMs: 3_000 }), policy);
    expect(long.settledAt).toBe(3_500);
  });

  it('does not wait for one stuck call', () => {
    const stuck = gradientStep(quietAt20(), windowOf(500, 200, 40, { longestMs: 60_000 }), policy);
    expect(stuck.settledAt).toBeCloseTo(2_500, 6);
  });

  it('must be slow beyond chance', () => {
    const noisy = gradientStep(quietAt20(), windowOf(500, 40, 40, { error: 0.2 }), policy);
    expect(noisy.limit).toBe(40);
    expect(noisy.slow).toBe(false);
    expect(gradientStep(quietAt20(), windowOf(500, 40, 40, { error: 0.1 }), policy).limit).toBeLessThan(40);
  });
});

describe('a window of errors', () => {
  it('brings the limit down as any other when it is slow, and starts a cooldown', () => {
    const after = errorStep(quietAt20(), windowOf(500, 40, 40), policy);
    expect(after.limit).toBeCloseTo(40 * ((1.5 * 20) / 40), 9);
    expect(after).toMatchObject({ strain: expect.closeTo(0.25, 9), settledAt: 1_500 });
  });

  it('never raises the limit, and never moves the long average', () => {
    const latency = fc.double({ min: 1, max: 60_000, noNaN: true });
    fc.assert(
      fc.property(latency, fc.integer({ min: 1, max: 100 }), (latencyMs, running) => {
        const before = quietAt20();
        const after = errorStep(before, windowOf(500, latencyMs, running), policy);
        expect(after.limit).toBeLessThanOrEqual(before.limit);
        expect(after.quiet).toEqual(before.quiet);
      }),
    );
  });

  it('is not taken for the dependency having become slower, however long it lasts', () => {
    let state = quietAt20();
    for (let i = 1; i <= 50; i += 1) state = errorStep(state, windowOf(500 + i * 2_000, 2_000, 4), policy);
    expect(quietMs(state)).toBeCloseTo(20, 9);
    expect(state.limit).toBe(policy.min);
  });

  it('shows nothing before anything is known, and ends a probe without its having shown anything', () => {
    const initial = initialGradient(policy);
    expect(errorStep(initial, windowOf(500, 2_000, 40), policy)).toBe(initial);
    const quiet = quietAt20();
    const probing = startProbe(quiet, 600, policy);
    const ended = errorStep(probing, windowOf(900, 2_000, 40), policy);
    expect([ended.limit, ended.probedFrom, ended.quiet]).toEqual([quiet.limit, null, quiet.quiet]);
  });
});

describe('a fine window', () => {
  it('adds the square root of the limit while latency is that of quiet times', () => {
    expect(gradientStep(quietAt20(), windowOf(500, 20, 40), policy).limit).toBeCloseTo(40 + Math.sqrt(40), 9);
  });

  it('adds less, the nearer latency is to the tolerance', () => {
    const near = gradientStep(quietAt20(), windowOf(500, 29.9, 40), policy);
    expect(near.limit).toBeGreaterThan(40);
    expect(near.limit).toBeLessThan(40.1);
  });

  it('adds nothing to a limit that is not in use', () => {
    expect(gradientStep(quietAt20(), windowOf(500, 20, 20), policy).limit).toBe(40);
  });

  it('never exceeds the maximum', () => {
    expect(gradientStep(quietAt20(99), windowOf(500, 20, 99), policy).limit).toBe(100);
  });
});

describe('the long average', () => {
  it('does not take in an overload: heavy windows never raise it', () => {
    let state = quietAt20();
    for (let toMs = 500; toMs < 600_000; toMs += 1_250) {
      // Just within the tolerance, for ten minutes: what a limiter with a plain long average gets used to.
      state = { ...gradientStep(state, windowOf(toMs, 29, state.limit), policy), limit: 40 };
    }
    expect(quietMs(state)).toBeCloseTo(20, 9);
  });

  it('follows light windows both ways, over its time', () => {
    let state = quietAt20();
    const light = (fromMs: number, toMs: number, latencyMs: number) => {
      for (let at = fromMs + 250; at <= toMs; at += 250) {
        state = gradientStep(state, windowOf(at, latencyMs, 5), policy);
      }
      return quietMs(state);
    };
    expect(light(250, 120_000, 20)).toBeCloseTo(20, 9);
    expect(light(120_000, 180_000, 26)).toBeCloseTo(20 * 1.3 ** (1 - Math.exp(-1)), 6);
    expect(light(180_000, 900_000, 10)).toBeCloseTo(10, 3);
  });

  it('believes the first light window more than any loaded one', () => {
    const loaded = gradientStep(initialGradient(policy), windowOf(250, 90, 100), policy);
    expect(quietMs(loaded)).toBeCloseTo(90, 9);
    expect(quietMs(gradientStep(loaded, windowOf(500, 30, 5), policy))).toBeCloseTo(30, 9);
  });

  it('falls at once with heavy windows that are faster', () => {
    let state = quietAt20();
    for (let toMs = 500; toMs <= 3_000; toMs += 250)
      state = gradientStep(state, windowOf(toMs, 10, 40), policy);
    expect(quietMs(state)).toBeLessThan(11);
  });

  it('is not lowered by heavy windows that are faster by chance', () => {
    let state = quietAt20();
    for (let toMs = 500; toMs <= 60_000; toMs += 250) {
      state = gradientStep({ ...state, limit: 40 }, windowOf(toMs, 12, 40, { error: 0.2 }), policy);
    }
    expect(quietMs(state)).toBeCloseTo(20, 9);
  });

  it('is accepted anew when fewer calls did not make the dependency faster', () => {
    let state = quietAt20(64);
    const limits: number[] = [];
    for (let toMs = 500; toMs < 8_000; toMs += 1_250) {
      state = gradientStep(state, windowOf(toMs, 60, state.limit, { error: 0.02 }), policy);
      limits.push(state.limit);
    }
    expect(quietMs(state)).toBeCloseTo(60, 9);
    expect(Math.min(...limits)).toBeGreaterThan(policy.min);
    expect(limits.at(-1)).toBeGreaterThan(Math.min(...limits));
  });

  it('is not accepted anew while fewer calls do make it faster', () => {
    let state = quietAt20(100);
    for (let toMs = 500; toMs < 20_000; toMs += 1_250) {
      // A dependency of 10 workers: latency is proportional to what runs.
      state = gradientStep(state, windowOf(toMs, (20 * state.limit) / 10, state.limit), policy);
      expect(quietMs(state)).toBeCloseTo(20, 9);
    }
    expect(state.limit).toBeCloseTo(15, 0);
  });

  it('is not accepted anew on the word of a window in which the queue was still growing', () => {
    const growing = gradientStep(quietAt20(100), windowOf(500, 40, 100), policy);
    const steady = gradientStep({ ...growing, limit: 50 }, windowOf(2_000, 100, 50), policy);
    expect(quietMs(steady)).toBeCloseTo(20, 9);
  });

  it('is not accepted anew before half as many calls have been tried', () => {
    let state = quietAt20(64);
    for (const [index, running] of [64, 64, 50, 40, 33].entries()) {
      state = { ...gradientStep(state, windowOf(500 + index * 1_250, 60, running), policy), limit: 64 };
    }
    expect(quietMs(state)).toBeCloseTo(20, 9);
    state = gradientStep(state, windowOf(8_000, 60, 31), policy);
    expect(quietMs(state)).toBeCloseTo(60, 9);
  });

  it('gives in step by step at the lowest limit', () => {
    let state = quietAt20(4);
    for (let toMs = 500; toMs < 10_000; toMs += 1_250)
      state = gradientStep(state, windowOf(toMs, 200, 4), policy);
    expect(quietMs(state)).toBeGreaterThan(200 / 1.5);
    expect(state.limit).toBeGreaterThan(4);
  });
});

describe('probes', () => {
  it('come when the limit has been in use, on a grid of absolute time', () => {
    const confirmed = gradientStep(quietAt20(), windowOf(500, 20, 5), policy);
    expect(confirmed.probeAt).toBe(Number.POSITIVE_INFINITY);
    const heavy = gradientStep(confirmed, windowOf(40_000, 25, 40), policy);
    expect(heavy.probeAt).toBe(60_000);
  });

  it('come sooner after a guess', () => {
    const first = gradientStep(initialGradient(policy), windowOf(250, 20, 100), policy);
    expect(first.probeAt).toBe(3_750);
  });

  it('are rarer where the dependency is slow, on the same grid', () => {
    const confirmed = gradientStep(quietAt20(), windowOf(500, 20, 5), policy);
    const slow = gradientStep(confirmed, windowOf(40_000, 20, 40, { longestMs: 2_000 }), policy);
    expect(slow.probeAt).toBe(60_000);
    const slower = gradientStep(confirmed, windowOf(70_000, 2_000, 40, { longestMs: 9_000 }), policy);
    expect(slower.probeAt).toBe(480_000);
  });

  it('halve what runs, and go back to the limit from before', () => {
    const heavy = gradientStep(quietAt20(), windowOf(500, 25, 36, { peakRunning: 40 }), policy);
    const probing = startProbe(heavy, 30_000, policy);
    expect(probing.limit).toBe(18);
    expect(probing.settledAt).toBe(30_025);
    const after = gradientStep(probing, windowOf(30_400, 10, 18), policy);
    expect(after.limit).toBe(heavy.limit);
    expect(quietMs(after)).toBeCloseTo(10, 9);
  });

  it('are averaged as long as they differ by chance only', () => {
    let state = quietAt20();
    const means: number[] = [];
    for (let second = 30; second <= 300; second += 30) {
      const heavy = gradientStep({ ...state, limit: 40 }, windowOf(second * 1_000 - 250, 25, 40), policy);
      const probing = startProbe(heavy, second * 1_000, policy);
      const latencyMs = second % 60 === 0 ? 16 : 25;
      state = gradientStep(probing, windowOf(second * 1_000 + 500, latencyMs, 20, { error: 0.25 }), policy);
      expect(state.quiet?.confirmed).toBe(true);
      means.push(quietMs(state));
    }
    expect(means[0]).toBeCloseTo(25, 9);
    for (const mean of means.slice(4)) {
      expect(mean).toBeGreaterThan(18.5);
      expect(mean).toBeLessThan(21.5);
    }
  });

  it('believe a slower dependency half-way', () => {
    const heavy = gradientStep(quietAt20(), windowOf(500, 25, 40), policy);
    const after = gradientStep(startProbe(heavy, 30_000, policy), windowOf(30_400, 45, 20), policy);
    expect(quietMs(after)).toBeCloseTo(Math.sqrt(20 * 45), 9);
    expect(after.quiet?.confirmed).toBe(false);
  });

  it('bring down a limit that is too high, whatever was thought before', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 50, noNaN: true }),
        fc.integer({ min: 2, max: 60 }),
        (factor, workers) => {
          const latencyMs = (running: number) => 20 * Math.max(1, running / workers);
          const wide = completePolicy({ max: 10_000, min: 1 });
          let state: GradientState = { ...initialGradient(wide), limit: workers * factor };
          for (let window = 1, toMs = 0; window < 1_000; window += 1) {
            toMs += 2_000;
            if (toMs >= state.probeAt) state = startProbe(state, toMs, wide);
            state = gradientStep(state, windowOf(toMs, latencyMs(state.limit), state.limit), wide);
          }
          expect(state.probedFrom ?? state.limit).toBeLessThan(2 * workers);
        },
      ),
    );
  });
});

describe('one step', () => {
  it('keeps the limit between its bounds, and decreases it only by a slow window', () => {
    const window = fc.record({
      latencyMs: fc.double({ min: 1, max: 60_000, noNaN: true }),
      running: fc.integer({ min: 1, max: 200 }),
      error: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(window, { maxLength: 100 }), (windows) => {
        let state = initialGradient(policy);
        for (const [index, { latencyMs, running, error }] of windows.entries()) {
          const next = gradientStep(
            state,
            windowOf((index + 1) * 250, latencyMs, running, { error }),
            policy,
          );
          expect(next.limit).toBeGreaterThanOrEqual(policy.min);
          expect(next.limit).toBeLessThanOrEqual(policy.max);
          if (next.limit < state.limit) expect(next.slow).toBe(true);
          state = next;
        }
      }),
    );
  });
});
