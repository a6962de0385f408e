import { describe, expect, it } from 'vitest';
import { disciplines, playStorm, type Storm } from './svc-client/retry-storm.ts';

/** Three layers of clients over a service that fails all the time. */
const storm: Storm = {
  discipline: disciplines.passport,
  failure: '503',
  ratePerSecond: 250,
  seconds: 8,
  outage: [0, 100],
  seed: 1,
};

describe('a retry storm over three layers', () => {
  it('is 27 attempts per request when each layer tries three times', async () => {
    const { amplification } = await playStorm({ ...storm, discipline: disciplines.naive });
    expect(amplification).toBe(27);
  });

  it('is at most 1.3 attempts per request on our rails', async () => {
    const { amplification } = await playStorm(storm);
    expect(amplification).toBeLessThanOrEqual(1.3);
    expect(amplification).toBeGreaterThan(1.2);
  });

  it('is more without passports, since each layer retries for itself', async () => {
    const { amplification } = await playStorm({ ...storm, discipline: disciplines.alone });
    expect(amplification).toBeGreaterThan(1.6);
    expect(amplification).toBeLessThan(2);
  });

  it.each(['refused', 'silent'] as const)(
    'is nearly no attempt at all when connections are %s',
    async (failure) => {
      const naive = await playStorm({ ...storm, discipline: disciplines.naive, failure, seconds: 4 });
      expect(naive.amplification).toBeGreaterThan(8);
      const { amplification } = await playStorm({ ...storm, failure, seconds: 4 });
      expect(amplification).toBeLessThan(failure === 'refused' ? 0.02 : 0.3);
    },
  );

  it('is over when the service is back: users are served as before', async () => {
    const { served, offered, arrived } = await playStorm({ ...storm, seconds: 6, outage: [2, 4] });
    expect(served).toBeGreaterThanOrEqual(4 * 250);
    expect(offered[5]).toBe(250);
    expect(arrived[5]).toBe(250);
  });

  it('is the same from the same seed, and another from another', async () => {
    const brief = { ...storm, seconds: 2 };
    const [first, again] = [await playStorm(brief), await playStorm(brief)];
    expect(again).toEqual(first);
    const other = await playStorm({ ...brief, seed: 2 });
    expect(other.arrived).not.toEqual(first.arrived);
  });
});
