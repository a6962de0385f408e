import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Timeline } from './timeline.ts';

const timelineOf = (times: readonly number[]) => {
  const timeline = new Timeline();
  for (const t of times) timeline.add(t, 'ALLOW');
  return timeline.toJSON();
};

describe('a timeline', () => {
  it('begins with the first event, also where it came late in the file', () => {
    const { start, binMs, bins } = timelineOf([100_000, 5, 6]);
    expect([start, binMs, bins.at(0)?.ALLOW, bins.at(-1)?.ALLOW]).toEqual([0, 4_000, 2, 1]);
  });

  it('holds every event in its bin, whatever their order', () => {
    const times = fc.array(fc.nat({ max: 1e15 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(times, (given) => {
        const { start, binMs, bins } = timelineOf(given);
        const counts = bins.map(() => 0);
        for (const t of given) {
          const bin = Math.floor((t - start) / binMs);
          counts[bin] = (counts[bin] ?? 0) + 1;
        }
        expect(bins.map(({ ALLOW }) => ALLOW)).toEqual(counts);
        expect([counts.at(0), counts.at(-1)]).not.toContain(0);
      }),
    );
  });

  it('is empty without events', () => {
    expect(timelineOf([])).toEqual({ start: 0, binMs: 1_000, bins: [] });
  });
});
