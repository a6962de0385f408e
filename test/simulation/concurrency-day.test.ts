import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { playedDay } from './concurrency/played.ts';
import { drawDay } from './concurrency/plots.ts';
import { between, goodputOf, meanLimitOf } from './concurrency/reading.ts';
import { DAY_CAPACITY, day, GUESSED_LIMIT, protections } from './concurrency/scenarios.ts';
import { simulate } from './concurrency/simulate.ts';

const HOUR_MS = 3_600_000;

describe('a day of a tenth more than the dependency can take', () => {
  it('does not make the limit creep up', { timeout: 300_000 }, async () => {
    const intervals = await playedDay('adaptive');
    const hours = Array.from({ length: 24 }, (_, hour) =>
      meanLimitOf(between(intervals, hour * HOUR_MS, (hour + 1) * HOUR_MS)),
    );
    expect(Math.max(...hours)).toBeLessThan(2 * day.workers);
    expect(Math.min(...hours)).toBeGreaterThan(day.workers);
    const [first, last] = [
      between(intervals, 0, 6 * HOUR_MS),
      between(intervals, 18 * HOUR_MS, 24 * HOUR_MS),
    ];
    expect(meanLimitOf(last)).toBeLessThan(1.1 * meanLimitOf(first));
    expect(goodputOf(intervals, day.everyMs)).toBeGreaterThan(0.9 * DAY_CAPACITY);
  });

  it('would be noticed: a gradient against a plain long average is at its maximum within an hour', async () => {
    const intervals = await playedDay('plain gradient');
    for (const { limits } of between(intervals, HOUR_MS, 4 * HOUR_MS))
      expect(limits).toEqual([GUESSED_LIMIT]);
  });

  it('is what the plot in the documents shows, byte for byte', async () => {
    const [name, svg] = await drawDay();
    const file = new URL(`../../docs/concepts/img/${name}`, import.meta.url);
    expect(readFileSync(file, 'utf8') === svg, `${name} is old: npm run plots`).toBe(true);
  });
});

describe('the same scenario', () => {
  it('gives the same result again', async () => {
    const short = { ...day, lengthMs: HOUR_MS };
    expect(await simulate(short, protections.adaptive)).toEqual(await simulate(short, protections.adaptive));
  });
});
