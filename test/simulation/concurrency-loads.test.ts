import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { played } from './concurrency/played.ts';
import { drawLoads } from './concurrency/plots.ts';
import {
  between,
  goodputOf,
  lowestLimitOf,
  meanLimitOf,
  percentileOf,
  total,
} from './concurrency/reading.ts';
import {
  CAPACITY,
  GUESSED_LIMIT,
  MIN_LIMIT,
  OVERLOAD,
  protections,
  QUEUE_DEADLINE_MS,
  SLOW_CAPACITY,
  scenarios,
  WORKERS,
} from './concurrency/scenarios.ts';
import { type Interval, simulate } from './concurrency/simulate.ts';

/** The second before the load changes belongs to neither side. */
const quiet = (intervals: Interval[]) => between(intervals, 1_000, OVERLOAD.fromMs);
const overloaded = (intervals: Interval[]) => between(intervals, OVERLOAD.fromMs, OVERLOAD.toMs);
/** Ten seconds after the overload has ended. */
const recovered = (intervals: Interval[]) => between(intervals, OVERLOAD.toMs + 10_000, 90_000);

function mayTakeMs(unloaded: readonly Interval[]): number {
  return 2 * percentileOf(unloaded, 0.99) + QUEUE_DEADLINE_MS;
}

describe.each(['step', 'bimodal'] as const)(
  '%s: 40 s of three times what the dependency can take',
  (name) => {
    it('lets a limit that follows latency do at least 90 % of what can be done', async () => {
      expect(goodputOf(overloaded(await played(name, 'adaptive')))).toBeGreaterThan(0.9 * CAPACITY);
    });

    it('keeps the 99th percentile within twice the unloaded one and the queue deadline', async () => {
      const adaptive = await played(name, 'adaptive');
      expect(percentileOf(overloaded(adaptive), 0.99)).toBeLessThan(mayTakeMs(quiet(adaptive)));
    });

    it('is over within 10 s of its end', async () => {
      const adaptive = await played(name, 'adaptive');
      const after = recovered(adaptive);
      expect(percentileOf(after, 0.99)).toBeLessThan(1.2 * percentileOf(quiet(adaptive), 0.99));
      expect(total(after, 'shed')).toBe(0);
      expect(total(after, 'good')).toBeGreaterThan(0.99 * total(after, 'asked'));
    });

    it('brings a service without a limit to nothing, and keeps it there', async () => {
      const none = await played(name, 'none');
      expect(goodputOf(between(none, OVERLOAD.fromMs + 5_000, 90_000))).toBeLessThan(0.01 * CAPACITY);
    });

    it('costs a service with a guessed limit a quarter of its work, and its callers twice the time', async () => {
      const fixed = overloaded(await played(name, 'fixed'));
      const adaptive = overloaded(await played(name, 'adaptive'));
      expect(goodputOf(fixed)).toBeLessThan(0.8 * goodputOf(adaptive));
      expect(percentileOf(fixed, 0.5)).toBeGreaterThan(2 * percentileOf(adaptive, 0.5));
    });

    it('finds the limit near what the dependency can do, never at the minimum', async () => {
      const after5s = between(await played(name, 'adaptive'), OVERLOAD.fromMs + 5_000, OVERLOAD.toMs);
      expect(meanLimitOf(after5s)).toBeGreaterThan(WORKERS);
      expect(meanLimitOf(after5s)).toBeLessThan(1.6 * WORKERS);
    });
  },
);

describe('step, from other seeds', () => {
  it.each([2, 3, 4])('does the same with seed %i', async (seed) => {
    const intervals = await simulate({ ...scenarios.step, seed }, protections.adaptive);
    expect(goodputOf(overloaded(intervals))).toBeGreaterThan(0.9 * CAPACITY);
    expect(percentileOf(overloaded(intervals), 0.99)).toBeLessThan(mayTakeMs(quiet(intervals)));
    expect(total(recovered(intervals), 'shed')).toBe(0);
  });
});

describe('spike: 2 s of five times the capacity, every 20 s', () => {
  it('is served as far as it can be, and gone before the next', async () => {
    const adaptive = await played('spike', 'adaptive');
    const spikes = adaptive.filter(({ fromMs }) => fromMs % 20_000 === 11_000);
    const between10s = adaptive.filter(({ fromMs }) => fromMs > 20_000 && fromMs % 20_000 < 10_000);
    expect(goodputOf(spikes)).toBeGreaterThan(0.85 * CAPACITY);
    expect(percentileOf(adaptive, 0.99)).toBeLessThan(mayTakeMs(between(adaptive, 1_000, 10_000)));
    expect(total(between10s, 'shed')).toBe(0);
    expect(total(between10s, 'good')).toBeGreaterThan(0.99 * total(between10s, 'asked'));
  });

  it('is worse with a guessed limit, and the end without one', async () => {
    const [none, fixed, adaptive] = [
      await played('spike', 'none'),
      await played('spike', 'fixed'),
      await played('spike', 'adaptive'),
    ];
    expect(total(none, 'good')).toBeLessThan(0.2 * total(adaptive, 'good'));
    expect(total(fixed, 'good')).toBeLessThan(total(adaptive, 'good'));
    expect(percentileOf(fixed, 0.99)).toBeGreaterThan(1.5 * percentileOf(adaptive, 0.99));
  });
});

describe('sawtooth: from 0.3 to 2.3 times the capacity, every 30 s', () => {
  it('never does less than 90 % of what can be done', async () => {
    const adaptive = await played('sawtooth', 'adaptive');
    const high = adaptive.filter(({ fromMs }) => fromMs % 30_000 >= 14_000);
    const low = adaptive.filter(({ fromMs }) => fromMs % 30_000 >= 1_000 && fromMs % 30_000 < 9_000);
    expect(goodputOf(high)).toBeGreaterThan(0.9 * CAPACITY);
    expect(total(low, 'good')).toBeGreaterThan(0.99 * total(low, 'asked'));
    expect(percentileOf(adaptive, 0.99)).toBeLessThan(mayTakeMs(low));
    expect(total(await played('sawtooth', 'fixed'), 'good')).toBeLessThan(0.85 * total(adaptive, 'good'));
  });
});

describe('drift: from 0.3 to 3 times the capacity over 4 min', () => {
  it('never does less than 90 % of what can be done, at no more latency in the end than at first', async () => {
    const adaptive = await played('drift', 'adaptive');
    expect(goodputOf(between(adaptive, 70_000, 240_000))).toBeGreaterThan(0.9 * CAPACITY);
    expect(percentileOf(adaptive, 0.99)).toBeLessThan(mayTakeMs(between(adaptive, 1_000, 30_000)));
    const [early, late] = [between(adaptive, 80_000, 120_000), between(adaptive, 200_000, 240_000)];
    expect(meanLimitOf(late)).toBeLessThan(1.1 * meanLimitOf(early));
    expect(percentileOf(late, 0.5)).toBeLessThan(1.2 * percentileOf(early, 0.5));
  });

  it('is served worse by a guessed limit', async () => {
    const high = between(await played('drift', 'fixed'), 120_000, 240_000);
    expect(goodputOf(high)).toBeLessThan(0.8 * CAPACITY);
  });
});

describe('noise', () => {
  it.each(['quietNoise', 'quietHumps'] as const)('%s decreases nothing', async (name) => {
    const adaptive = await played(name, 'adaptive');
    expect(lowestLimitOf(adaptive)).toBe(GUESSED_LIMIT);
    expect(total(adaptive, 'shed')).toBe(0);
  });

  it('with a long tail does not bring an overloaded service to the minimum', async () => {
    const adaptive = between(await played('loadedNoise', 'adaptive'), 10_000, 180_000);
    expect(goodputOf(adaptive)).toBeGreaterThan(0.9 * CAPACITY);
    expect(lowestLimitOf(adaptive)).toBeGreaterThan(MIN_LIMIT);
  });

  it('of slow calls, few of them in a window, costs little of the work', async () => {
    const adaptive = between(await played('slowCalls', 'adaptive'), 60_000, 600_000);
    expect(goodputOf(adaptive)).toBeGreaterThan(0.9 * SLOW_CAPACITY);
    expect(meanLimitOf(adaptive)).toBeGreaterThan(scenarios.slowCalls.workers * 0.95);
  });

  it('of stalls that come again and again is got over each time', async () => {
    const adaptive = between(await played('stalls', 'adaptive'), 10_000, 120_000);
    expect(total(adaptive, 'good')).toBeGreaterThan(0.97 * total(adaptive, 'asked'));
    expect(meanLimitOf(adaptive)).toBeGreaterThan(2 * WORKERS);
  });
});

describe('the plots in the documents', () => {
  it('are what these simulations draw, byte for byte', async () => {
    const plots = await drawLoads();
    expect(plots).toHaveLength(5);
    for (const [name, svg] of plots) {
      const file = new URL(`../../docs/concepts/img/${name}`, import.meta.url);
      expect(readFileSync(file, 'utf8') === svg, `${name} is old: npm run plots`).toBe(true);
    }
  });
});
