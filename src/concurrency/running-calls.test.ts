import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { RunningCalls } from './running-calls.ts';

function watched(maxRunMs: number) {
  const clock = new VirtualClock();
  const overruns: [atMs: number, calls: number][] = [];
  const calls = new RunningCalls(clock, maxRunMs, (count) => overruns.push([clock.now(), count]));
  return { clock, calls, overruns };
}

describe('RunningCalls', () => {
  it('counts what begins and ends', () => {
    const { calls } = watched(8_000);
    const steps = [calls.begin(), calls.begin()];
    expect(calls.count).toBe(2);
    for (const step of steps) expect(calls.end(step)).toBe(true);
    expect(calls.count).toBe(0);
  });

  it('gives up what runs for too long, not before its time and at most an eighth later', async () => {
    const { clock, calls, overruns } = watched(8_000);
    calls.begin();
    await clock.advance(999);
    const late = calls.begin();
    await clock.advance(8_000);
    expect(calls.count).toBe(2);
    await clock.advance(1);
    expect(overruns).toEqual([[9_000, 2]]);
    expect(calls.count).toBe(0);
    expect(calls.counts(late)).toBe(false);
    expect(calls.end(late)).toBe(false);
    expect(calls.count).toBe(0);
  });

  it('gives up only what began long ago', async () => {
    const { clock, calls, overruns } = watched(8_000);
    calls.begin();
    await clock.advance(5_000);
    const young = calls.begin();
    await clock.advance(5_000);
    expect(overruns).toEqual([[9_000, 1]]);
    expect(calls.count).toBe(1);
    expect(calls.end(young)).toBe(true);
  });

  it('sets no timer while nothing runs', async () => {
    const { clock, calls, overruns } = watched(8_000);
    calls.end(calls.begin());
    await clock.advance(100_000);
    const step = calls.begin();
    await clock.advance(7_999);
    expect(calls.end(step)).toBe(true);
    await clock.advance(100_000);
    expect(overruns).toEqual([]);
  });

  it('keeps counting over many rounds of its steps', async () => {
    const { clock, calls, overruns } = watched(80);
    for (let round = 0; round < 100; round += 1) {
      const step = calls.begin();
      calls.begin();
      await clock.advance(7);
      expect(calls.end(step)).toBe(true);
    }
    await clock.advance(1_000);
    expect(calls.count).toBe(0);
    expect(overruns.reduce((sum, [, count]) => sum + count, 0)).toBe(100);
  });
});
