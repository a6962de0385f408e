import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatencyHistory, mostSlots } from './latency-history.ts';

const policy = { factor: 4, floorMs: 100, slotMs: 5_000, minSamples: 20, minSlots: 12 };

/** Fills slots with calls of one latency each; slots without a latency stay empty. */
function fill(
  history: LatencyHistory,
  fromSlot: number,
  latenciesMs: readonly (number | null)[],
  samples = 40,
) {
  for (const [index, latencyMs] of latenciesMs.entries()) {
    const at = (fromSlot + index) * policy.slotMs;
    if (latencyMs === null) continue;
    for (let i = 0; i < samples; i += 1) history.record(latencyMs, at + i);
  }
}

function steady(slots: number, latencyMs: number): number[] {
  return Array.from({ length: slots }, () => latencyMs);
}

describe('a latency spike', () => {
  it.each([5_000, 7_000, 300_000, 420_000, 600_000])(
    'is seen in slots of %d ms if no more are asked for than an hour has',
    (slotMs) => {
      const most = mostSlots(slotMs);
      const isSeen = (minSlots: number) => {
        const history = new LatencyHistory({ ...policy, slotMs, minSlots });
        const slots = Math.ceil(3_600_000 / slotMs) + 5;
        for (let slot = 0; slot <= slots; slot += 1) {
          const latencyMs = slot === slots ? 500 : 50;
          for (let i = 0; i < 20; i += 1) history.record(latencyMs, slot * slotMs + i);
        }
        return history.isSpiking((slots + 1) * slotMs);
      };
      expect([isSeen(most), isSeen(most + 1)]).toEqual([true, false]);
    },
  );

  it('is four times the usual p95, once the slot is over', () => {
    const history = new LatencyHistory(policy);
    fill(history, 0, [...steady(12, 50), 250]);
    expect(history.isSpiking(12 * 5_000 + 4_999)).toBe(false);
    expect(history.isSpiking(13 * 5_000)).toBe(true);
  });

  it('is just four times the usual p95 too, and not the step below that a quantile knows', () => {
    const isSpike = (latencyMs: number) => {
      const history = new LatencyHistory(policy);
      fill(history, 0, [...steady(12, 64), latencyMs]);
      return history.isSpiking(13 * 5_000);
    };
    expect([isSpike(256), isSpike(256 / 2 ** (1 / 8))]).toEqual([true, false]);
  });

  it('ends with a slot that is as usual, and with one that has no calls', () => {
    const calm = new LatencyHistory(policy);
    fill(calm, 0, [...steady(12, 50), 250, 50]);
    expect(calm.isSpiking(14 * 5_000)).toBe(false);
    const empty = new LatencyHistory(policy);
    fill(empty, 0, [...steady(12, 50), 250]);
    expect(empty.isSpiking(14 * 5_000)).toBe(false);
  });

  it('is not three times the usual', () => {
    const history = new LatencyHistory(policy);
    fill(history, 0, [...steady(12, 50), 150]);
    expect(history.isSpiking(13 * 5_000)).toBe(false);
  });

  it('is not below the floor', () => {
    const history = new LatencyHistory(policy);
    fill(history, 0, [...steady(12, 2), 90]);
    expect(history.isSpiking(13 * 5_000)).toBe(false);
  });

  it('is not seen without a history, and not in a handful of calls', () => {
    const young = new LatencyHistory(policy);
    fill(young, 0, [...steady(11, 50), 1_000]);
    expect(young.isSpiking(12 * 5_000)).toBe(false);
    const quiet = new LatencyHistory(policy);
    fill(quiet, 0, steady(12, 50));
    fill(quiet, 12, [1_000], 19);
    expect(quiet.isSpiking(13 * 5_000)).toBe(false);
  });

  it('is not seen when only one call in a hundred is slow', () => {
    const history = new LatencyHistory(policy);
    fill(history, 0, steady(12, 50));
    for (let i = 0; i < 99; i += 1) history.record(50, 12 * 5_000);
    history.record(5_000, 12 * 5_000);
    expect(history.isSpiking(13 * 5_000)).toBe(false);
  });

  it('is measured against the last hour only', () => {
    const history = new LatencyHistory(policy);
    fill(history, 0, steady(12, 2_000));
    fill(history, 720 + 12, [...steady(12, 50), 250]);
    expect(history.isSpiking((720 + 25) * 5_000)).toBe(true);
  });

  it('becomes the usual when it lasts', () => {
    const history = new LatencyHistory(policy);
    fill(history, 0, [...steady(12, 50), ...steady(14, 500)]);
    expect(history.isSpiking(26 * 5_000)).toBe(false);
  });

  it('is never seen while latency stays within a factor of 3.5', () => {
    const latency = fc.integer({ min: 200, max: 700 });
    fc.assert(
      fc.property(fc.array(latency, { minLength: 13, maxLength: 40 }), (latencies) => {
        const history = new LatencyHistory(policy);
        for (const [index, latencyMs] of latencies.entries()) {
          fill(history, index, [latencyMs], 20);
          expect(history.isSpiking((index + 1) * 5_000)).toBe(false);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('counts any latency, also none and one beyond all bounds', () => {
    const history = new LatencyHistory({ ...policy, minSlots: 1 });
    fill(history, 0, [0, 1e12]);
    expect(history.isSpiking(2 * 5_000)).toBe(true);
  });
});
