import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backlog, fullBucket } from '../core/bucket.ts';
import { FreePlaces } from './free-places.ts';
import { type Booked, giveBack, giveUpPlace, type Pool, quotaOf, type Take, takeCall } from './pool.ts';

function pool(ratePerSecond: number, burst: number): Pool {
  return { bucket: fullBucket, quota: quotaOf({ ratePerSecond, burst }) };
}

/** Asks in turn at the given times; answers with what each got. */
function ask(target: Pool, global: Pool, times: readonly number[], maxWaitMs = 0): Take[] {
  let [own, all] = [target, global];
  return times.map((now) => {
    const take = takeCall(own, all, now, maxWaitMs);
    if (take.taken)
      [own, all] = [
        { ...own, bucket: take.target },
        { ...all, bucket: take.global },
      ];
    return take;
  });
}

/** A call that has its place in a queue: when that is, and what it has booked. */
interface Waiting {
  readonly at: number;
  readonly booked: Booked | null;
}

/** A pool that is asked, and whose callers leave its queue. */
class AskedPool {
  now = 0;
  readonly starts: Waiting[] = [];
  #pool: Pool;

  constructor(ratePerSecond: number, burst: number) {
    this.#pool = { ...pool(ratePerSecond, burst), free: new FreePlaces() };
  }

  ask(): number | null {
    const take = takeCall(this.#pool, pool(1_000_000, 1_000_000), this.now, 5_000);
    if (!take.taken) return null;
    this.#pool = { ...this.#pool, bucket: take.target };
    this.starts.push({ at: this.now + take.waitMs, booked: take.booked });
    return take.waitMs;
  }

  /** One of those who wait, by a number that may be too high, or nobody. */
  leave(pick: number): void {
    const waiting = this.starts.filter(({ at }) => at > this.now);
    const gone = waiting[pick % Math.max(1, waiting.length)];
    if (gone === undefined || gone.booked === null) return;
    this.starts.splice(this.starts.indexOf(gone), 1);
    this.#pool = { ...this.#pool, bucket: giveUpPlace(this.#pool, gone.booked.target, this.now) };
  }
}

describe('a pool whose callers leave its queue', () => {
  it('gives a place that was left to the next who asks, and no other twice', () => {
    const asked = new AskedPool(10, 1);
    expect([0, 1, 2, 3].map(() => asked.ask())).toEqual([0, 100, 200, 300]);
    asked.leave(1);
    asked.leave(0);
    expect([asked.ask(), asked.ask(), asked.ask()]).toEqual([100, 200, 400]);
  });

  it('owes nobody anything when all have left', () => {
    const asked = new AskedPool(10, 2);
    for (let i = 0; i < 9; i += 1) asked.ask();
    for (const pick of [3, 0, 4, 0, 2, 0, 0]) asked.leave(pick);
    asked.now = 200;
    expect([asked.ask(), asked.ask(), asked.ask()]).toEqual([0, 0, 100]);
  });

  it('never gives more than burst plus rate, over any stretch', () => {
    const step = fc.record({
      gapMs: fc.constantFrom(0, 0, 0, 7, 60, 400),
      leaves: fc.constantFrom(false, false, true),
      pick: fc.nat(50),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { minLength: 30, maxLength: 100 }),
        (rate, burst, steps) => {
          const asked = new AskedPool(rate, burst);
          for (const { gapMs, leaves, pick } of steps) {
            asked.now += gapMs;
            if (leaves) asked.leave(pick);
            else asked.ask();
          }
          const starts = asked.starts.map(({ at }) => at).toSorted((a, b) => a - b);
          for (const [index, from] of starts.entries()) {
            for (const [further, to] of starts.slice(index).entries()) {
              expect(further + 1).toBeLessThanOrEqual(burst + ((to - from + 1) * rate) / 1_000);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

/**
 * Which part of its ten calls a second a target gets of a ceiling of a hundred, while another one with a queue asks for more
 * than that in all.
 *
 * @param greedyRate the other one's own rate
 */
function shareOfModest({ greedyRate, modestWaitMs }: { greedyRate: number; modestWaitMs: number }): number {
  let [all, greedy, modest] = [pool(100, 10), pool(greedyRate, 10), pool(1_000, 10)];
  let [asked, given] = [0, 0];
  for (let now = 0; now < 20_000; now += 1) {
    if (now % 7 === 0) {
      const take = takeCall(greedy, all, now, 200);
      if (take.taken)
        [greedy, all] = [
          { ...greedy, bucket: take.target },
          { ...all, bucket: take.global },
        ];
    }
    if (now % 100 !== 50) continue;
    const take = takeCall(modest, all, now, modestWaitMs);
    asked += 1;
    if (!take.taken) continue;
    given += 1;
    [modest, all] = [
      { ...modest, bucket: take.target },
      { ...all, bucket: take.global },
    ];
  }
  return given / asked;
}

describe('a pool', () => {
  it('gives its burst at once, then its rate, and says when to come back', () => {
    const takes = ask(pool(10, 3), pool(1_000, 1_000), [0, 0, 0, 0, 99, 100]);
    expect(takes.map(({ taken }) => taken)).toEqual([true, true, true, false, false, true]);
    expect(takes[3]).toEqual({ taken: false, rule: 'target-rate', retryAfterMs: 100 });
    expect(takes[4]).toEqual({ taken: false, rule: 'target-rate', retryAfterMs: 1 });
  });

  it('is not touched when the global one is empty, nor the other way round', () => {
    const global = pool(1, 1);
    const target = pool(10, 10);
    const [first, second] = ask(target, global, [0, 0]);
    expect(first?.taken).toBe(true);
    expect(second).toEqual({ taken: false, rule: 'global-rate', retryAfterMs: 1_000 });
  });

  it('never gives more than burst plus rate, over any stretch, with or without a queue', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 100 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 2_000 }),
        gaps,
        (rate, burst, maxWaitMs, waits) => {
          let now = 0;
          const times = waits.map((wait) => {
            now += wait;
            return now;
          });
          const takes = ask(pool(rate, burst), pool(1_000_000, 1_000_000), times, maxWaitMs);
          const starts = takes.flatMap((take, index) =>
            take.taken ? [(times[index] ?? 0) + take.waitMs] : [],
          );
          for (const [index, from] of starts.entries()) {
            for (const [further, to] of starts.slice(index).entries()) {
              expect(further + 1).toBeLessThanOrEqual(burst + ((to - from + 1) * rate) / 1_000);
            }
          }
        },
      ),
    );
  });

  it('gives places in the order of asking, none further away than allowed', () => {
    const takes = ask(pool(10, 1), pool(1_000, 1_000), [0, 0, 0, 0], 250);
    expect(takes.map((take) => (take.taken ? take.waitMs : null))).toEqual([0, 100, 200, null]);
  });

  it('takes back what is still owed of a place, and nothing that time has refilled', () => {
    const times = fc.integer({ min: 0, max: 3_000 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(times, { minLength: 1, maxLength: 30 }),
        fc.nat(),
        times,
        (rate, burst, asked, pick, leftMs) => {
          const target = pool(rate, burst);
          const sorted = asked.toSorted((a, b) => a - b);
          const buckets = ask(target, pool(1_000_000, 1_000_000), sorted, 60_000).flatMap((take) =>
            take.taken ? [take.target] : [],
          );
          const [booked, last] = [buckets[pick % buckets.length], buckets.at(-1)];
          if (booked === undefined || last === undefined) throw new TypeError('no place was booked');
          const now = (sorted.at(-1) ?? 0) + leftMs;
          const before = backlog(last, rate, now);
          const after = backlog(giveBack({ ...target, bucket: last }, booked, now), rate, now);
          expect(before - after).toBe(Math.min(target.quota.periodMs, backlog(booked, rate, now)));
        },
      ),
    );
  });

  it('for all is first come, first served: who waits has a share of it, who does not gets what is left', () => {
    expect(shareOfModest({ greedyRate: 1_000, modestWaitMs: 0 })).toBeLessThan(0.05);
    expect(shareOfModest({ greedyRate: 1_000, modestWaitMs: 1_000 })).toBeGreaterThan(0.5);
    expect(shareOfModest({ greedyRate: 50, modestWaitMs: 0 })).toBe(1);
  });

  it('that is waited for does not hold back the others', () => {
    const global = pool(10, 2);
    const slow = takeCall({ ...pool(1, 1), bucket: { tatMs: 5_000, tatUnits: 0 } }, global, 0, 10_000);
    if (!slow.taken) throw new TypeError('no place was booked');
    expect(slow.waitMs).toBe(5_000);
    expect(takeCall(pool(10, 10), { ...global, bucket: slow.global }, 0, 0).taken).toBe(true);
  });
});
