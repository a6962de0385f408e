import type { Limit } from '../../../src/concurrency/index.ts';

/**
 * The gradient limiter as it is usually written: a long average over everything, a gradient clamped to a half, and the
 * square root of the limit added for a queue. Here to show what the simulations are there to find.
 */
export function plainGradient(options: { min: number; max: number; windowMs: number }): Limit {
  const longWindows = 600;
  let limit = options.max / 2;
  let long: number | null = null;
  let sum = 0;
  let count = 0;
  let fromMs = 0;
  return {
    get current() {
      return Math.floor(limit);
    },
    strain: 0,
    observe(latencyMs, running, now) {
      sum += latencyMs;
      count += 1;
      if (now - fromMs < options.windowMs || count < 10) return;
      const short = sum / count;
      long = long === null ? short : long + (2 / (longWindows + 1)) * (short - long);
      [sum, count, fromMs] = [0, 0, now];
      if (running < limit / 2) return;
      const gradient = Math.max(0.5, Math.min(1, (1.5 * long) / short));
      const next = limit * gradient + Math.sqrt(limit);
      limit = Math.max(options.min, Math.min(options.max, 0.8 * limit + 0.2 * next));
    },
  };
}
