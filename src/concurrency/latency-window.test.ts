import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatencyWindow } from './latency-window.ts';

describe('LatencyWindow', () => {
  it('gives the mean of the logarithms and its standard error', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 60_000, noNaN: true }), { minLength: 2, maxLength: 50 }),
        (ms) => {
          const window = new LatencyWindow();
          window.restart(0);
          for (const latencyMs of ms) window.add(latencyMs, 1);
          const logs = ms.map((latencyMs) => Math.log(latencyMs));
          const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
          const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
          const summary = window.summary(10);
          expect(summary.mean).toBeCloseTo(mean, 9);
          expect(summary.error).toBeCloseTo(Math.sqrt(variance / logs.length), 9);
          expect(summary.longestMs).toBe(Math.max(...ms));
          expect(summary.count).toBe(ms.length);
        },
      ),
    );
  });

  it('weighs a latency by the calls it stands for, and is no surer for that', () => {
    const latency = fc.double({ min: 1, max: 60_000, noNaN: true });
    const weighed = fc.array(fc.tuple(latency, fc.integer({ min: 1, max: 40 })), {
      minLength: 2,
      maxLength: 30,
    });
    fc.assert(
      fc.property(weighed, (samples) => {
        const window = new LatencyWindow();
        const repeated = new LatencyWindow();
        window.restart(0);
        repeated.restart(0);
        for (const [latencyMs, calls] of samples) {
          window.add(latencyMs, calls % 7, calls);
          for (let i = 0; i < calls; i += 1) repeated.add(latencyMs, calls % 7);
        }
        const seen = window.summary(1);
        const all = repeated.summary(1);
        expect(seen.mean).toBeCloseTo(all.mean, 9);
        expect(seen.meanRunning).toBeCloseTo(all.meanRunning, 9);
        expect(seen.peakRunning).toBe(all.peakRunning);
        expect(seen.count).toBe(samples.length);
        // Where all are nearly alike the error is what rounding leaves, which grows with the latencies.
        const rounding = 1e-9 * Math.max(...samples.map(([latencyMs]) => latencyMs));
        expect(seen.error).toBeGreaterThanOrEqual(all.error - rounding);
      }),
    );
  });

  it('has the same error when all stand for equally many', () => {
    const plain = new LatencyWindow();
    const weighed = new LatencyWindow();
    for (const latencyMs of [1, 5, 30, 200]) {
      plain.add(latencyMs, 1);
      weighed.add(latencyMs, 1, 32);
    }
    expect(weighed.summary(1).error).toBeCloseTo(plain.summary(1).error, 12);
  });

  it('takes less than a millisecond for one', () => {
    const window = new LatencyWindow();
    window.restart(0);
    window.add(0, 1);
    window.add(0.2, 1);
    expect(window.summary(1).mean).toBe(0);
  });

  it('knows how much ran', () => {
    const window = new LatencyWindow();
    window.restart(5);
    window.add(10, 2);
    window.add(10, 7);
    window.add(10, 3);
    expect(window.summary(9)).toMatchObject({ fromMs: 5, toMs: 9, meanRunning: 4, peakRunning: 7 });
  });

  it('forgets when it starts anew', () => {
    const window = new LatencyWindow();
    window.restart(0);
    window.add(50_000, 90);
    window.restart(100);
    window.add(10, 1);
    window.add(10, 1);
    const summary = window.summary(200);
    expect(summary).toMatchObject({ fromMs: 100, count: 2, error: 0, peakRunning: 1, longestMs: 10 });
    expect(summary.mean).toBeCloseTo(Math.log(10), 12);
  });
});
