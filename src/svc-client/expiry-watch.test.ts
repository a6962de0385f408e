import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { systemClock } from './clock.ts';
import { type Expiring, ExpiryWatch } from './expiry-watch.ts';

describe('what is watched', () => {
  it('expires at its time, whatever else comes and goes', async () => {
    const plan = fc.record({
      addAt: fc.integer({ min: 0, max: 500 }),
      forMs: fc.integer({ min: 1, max: 500 }),
      removeAfterMs: fc.option(fc.integer({ min: 0, max: 600 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { maxLength: 30 }), async (plans) => {
        const clock = new VirtualClock();
        const watch = new ExpiryWatch(clock);
        const expired: (number | null)[] = plans.map(() => null);
        for (const [index, { addAt, forMs, removeAfterMs }] of plans.entries()) {
          clock.after(addAt, () => {
            const expire = () => {
              expired[index] = clock.now();
            };
            const expiring = { expiresAt: clock.now() + forMs, expire, before: null, after: null };
            watch.add(expiring);
            if (removeAfterMs !== null) clock.after(removeAfterMs, () => watch.remove(expiring));
          });
        }
        await clock.advance(2_000);
        for (const [index, { addAt, forMs, removeAfterMs }] of plans.entries()) {
          if (removeAfterMs === forMs) continue;
          const removed = removeAfterMs !== null && removeAfterMs < forMs;
          expect(expired[index]).toBe(removed ? null : addAt + forMs);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('counts as in time when its answer came while the process stood still', async () => {
    const clock = new VirtualClock();
    const heldUp = {
      now: () => clock.now(),
      after: (delayMs: number, run: () => void) => clock.after(delayMs === 10 ? 5_000 : delayMs, run),
    };
    const watch = new ExpiryWatch(heldUp);
    const expired: string[] = [];
    const made = (name: string, expiresAt: number): Expiring => ({
      expiresAt,
      before: null,
      after: null,
      expire: () => expired.push(name),
    });
    const answered = made('answered', 10);
    watch.add(answered);
    watch.add(made('silent', 20));
    // What is read in the same turn of the event loop, after its timers.
    clock.after(5_000, () => {
      watch.remove(answered);
      watch.add(made('new', 5_000));
    });
    await clock.advance(5_000);
    expect(expired).toEqual([]);
    await clock.advance(1);
    expect(expired).toEqual(['new', 'silent']);
  });

  it('may be put back when it expires', async () => {
    const clock = new VirtualClock();
    const watch = new ExpiryWatch(clock);
    const times: number[] = [];
    const expiring = {
      expiresAt: 10,
      before: null,
      after: null,
      expire() {
        times.push(clock.now());
        expiring.expiresAt += 10;
        if (times.length < 3) watch.add(expiring);
      },
    };
    watch.add(expiring);
    await clock.advance(100);
    expect(times).toEqual([10, 20, 30]);
  });

  it('is not told when another one that expires with it has removed it', async () => {
    const clock = new VirtualClock();
    const watch = new ExpiryWatch(clock);
    const told: string[] = [];
    const pair: Expiring[] = ['a', 'b'].map((name, index) => ({
      expiresAt: 10,
      before: null,
      after: null,
      expire: () => {
        told.push(name);
        for (const other of pair) watch.remove(other);
        expect(pair[index]).toMatchObject({ before: null, after: null });
      },
    }));
    for (const expiring of pair) watch.add(expiring);
    await clock.advance(20);
    expect(told).toHaveLength(1);
  });

  it('expires on the clock of the process too, and does not keep it up', async () => {
    const watch = new ExpiryWatch(systemClock);
    const startedAt = systemClock.now();
    await new Promise<void>((resolve) =>
      watch.add({ expiresAt: startedAt + 5, expire: resolve, before: null, after: null }),
    );
    expect(systemClock.now() - startedAt).toBeGreaterThanOrEqual(5);
  });
});
