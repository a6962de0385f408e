import { describe, expect, it } from 'vitest';
import { type CapOptions, createCap, gradientLimit } from '../../src/concurrency/index.ts';
import { Dependency } from './concurrency/dependency.ts';
import { seeded } from './concurrency/random.ts';
import { VirtualTime } from './concurrency/virtual-time.ts';

/** A dependency that takes 1 000 calls a second, behind a cap; what becomes of calls is the scenario's to say. */
function service(options: Pick<CapOptions, 'learnFrom'> = {}) {
  const clock = new VirtualTime();
  const cap = createCap({ ...options, limit: gradientLimit({ max: 100 }), clock });
  const dependency = new Dependency(clock, 20, () => 20, 0.1);
  const random = seeded(1);
  const arrive = (perSecond: () => number, ask: () => unknown) => {
    clock.after((random.exponential() * 1_000) / perSecond(), () => {
      ask();
      arrive(perSecond, ask);
    });
  };
  return { clock, cap, dependency, arrive };
}

describe('a limit that follows latency, where calls end in errors', () => {
  it('lets the dependency work at its capacity, though handlers give up after five times its latency', async () => {
    const { clock, cap, dependency, arrive } = service();
    let good = 0;
    const ask = async () => {
      const admission = await cap.admit();
      if (!admission.admitted) return;
      const giveUp = clock.after(100, () => admission.release('errored'));
      dependency.call(() => {
        giveUp();
        if (admission.release()) good += 1;
      });
    };
    arrive(() => (clock.now() < 5_000 ? 500 : 3_000), ask);
    await clock.runUntil(10_000);
    good = 0;
    await clock.runUntil(40_000);
    expect(good).toBeGreaterThan(0.9 * 30_000);
  });

  it('does so too where it learns only from wrapped calls, all of which give up', async () => {
    const { clock, cap, dependency, arrive } = service({ learnFrom: 'reported' });
    let good = 0;
    const query = () =>
      new Promise<void>((resolve, reject) => {
        const giveUp = clock.after(100, () => reject(new RangeError('too late')));
        dependency.call(() => {
          giveUp();
          resolve();
        });
      });
    const ask = () =>
      cap
        .run(() => cap.measure(query))
        .then(
          ({ admitted }) => {
            if (admitted) good += 1;
          },
          () => undefined,
        );
    arrive(() => (clock.now() < 5_000 ? 500 : 3_000), ask);
    await clock.runUntil(10_000);
    good = 0;
    await clock.runUntil(40_000);
    expect(good).toBeGreaterThan(0.9 * 30_000);
  });

  it('is what it was once errors that came at once are over', async () => {
    const { clock, cap, dependency, arrive } = service();
    let shed = 0;
    const isDown = () => clock.now() >= 20_000 && clock.now() < 40_000;
    const ask = async () => {
      const admission = await cap.admit();
      if (!admission.admitted) shed += 1;
      else if (isDown()) clock.after(1, () => admission.release('errored'));
      else dependency.call(() => admission.release());
    };
    arrive(() => 800, ask);
    await clock.runUntil(20_000);
    const before = cap.status.limit;
    await clock.runUntil(40_000);
    expect(cap.status.limit).toBe(before);
    await clock.runUntil(60_000);
    expect(shed).toBe(0);
  });
});
