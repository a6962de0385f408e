import { describe, expect, it } from 'vitest';
import { played } from './concurrency/played.ts';
import { between, goodputOf, meanLimitOf, percentileOf, total } from './concurrency/reading.ts';
import { CAPACITY, OVERLOAD, protections, scenarios, WORKERS } from './concurrency/scenarios.ts';
import { simulate } from './concurrency/simulate.ts';

describe('a dependency that takes three times as long for 30 s, under a light load', () => {
  it('is spared at first, then served in full again', async () => {
    const adaptive = await played('slowdown', 'adaptive');
    expect(meanLimitOf(between(adaptive, 32_000, 36_000))).toBeLessThan(40);
    const steady = between(adaptive, 42_000, 60_000);
    expect(total(steady, 'good')).toBeGreaterThan(0.97 * total(steady, 'asked'));
    const after = between(adaptive, 62_000, 90_000);
    expect(total(after, 'shed')).toBe(0);
    expect(percentileOf(after, 0.99)).toBeLessThan(
      1.2 * percentileOf(between(adaptive, 1_000, 30_000), 0.99),
    );
  });

  it('shows as pressure', async () => {
    const adaptive = await played('slowdown', 'adaptive');
    expect(Math.max(...between(adaptive, 0, 30_000).map(({ pressure }) => pressure))).toBeLessThan(0.05);
    expect(Math.max(...between(adaptive, 30_000, 40_000).map(({ pressure }) => pressure))).toBeGreaterThan(
      0.5,
    );
    expect(adaptive.at(-1)?.pressure).toBeLessThan(0.1);
  });
});

describe('a dependency that becomes three times as slow over 5 min, while overloaded', () => {
  it('is still used to 85 % of what it can do at each time', async () => {
    const adaptive = await played('ageing', 'adaptive');
    for (let fromMs = 20_000; fromMs < 300_000; fromMs += 40_000) {
      const part = between(adaptive, fromMs, fromMs + 40_000);
      const slowness = 1 + (2 * (fromMs + 20_000)) / 300_000;
      expect(goodputOf(part)).toBeGreaterThan((0.85 * CAPACITY) / slowness);
    }
  });
});

describe('four nodes that share a dependency, overloaded by 30 % for 10 min', () => {
  it('do not creep up in turns', async () => {
    const intervals = await simulate(scenarios.nodes, protections['adaptive node']);
    const [early, late] = [between(intervals, 60_000, 240_000), between(intervals, 420_000, 600_000)];
    expect(meanLimitOf(late)).toBeLessThan(1.25 * meanLimitOf(early));
    expect(meanLimitOf(late)).toBeLessThan(4 * WORKERS);
    expect(goodputOf(late)).toBeGreaterThan(0.9 * CAPACITY);
  });
});

describe('a gateway that hears of the pressure', () => {
  it('takes most of the load off the service, which does nearly as much as before', async () => {
    const alone = between(await played('step', 'adaptive'), OVERLOAD.fromMs + 10_000, OVERLOAD.toMs);
    const behind = between(await played('gateway', 'adaptive'), OVERLOAD.fromMs + 10_000, OVERLOAD.toMs);
    expect(total(behind, 'shed')).toBeLessThan(0.3 * total(alone, 'shed'));
    expect(goodputOf(behind)).toBeGreaterThan(0.9 * CAPACITY);
  });

  it('settles instead of swinging', async () => {
    const steady = between(await played('gateway', 'adaptive'), OVERLOAD.fromMs + 20_000, OVERLOAD.toMs);
    const levels = steady.map(({ pressure }) => pressure);
    expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(0.15);
  });

  it('lets the traffic back within half a minute', async () => {
    expect((await played('gateway', 'adaptive')).at(-1)?.pressure).toBeLessThan(0.1);
  });
});
