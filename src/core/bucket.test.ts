import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bucket, charge, fullBucket, type Quota, remaining } from './bucket.ts';

const quota = fc.record({
  limit: fc.integer({ min: 1, max: 100_000 }),
  periodMs: fc.constantFrom(1, 7, 1_000, 60_000),
  capacity: fc.integer({ min: 1, max: 1_000 }),
});
const calls = fc.array(
  fc.record({ cost: fc.integer({ min: 1, max: 50 }), waitMs: fc.integer({ min: 0, max: 5_000 }) }),
  { maxLength: 60 },
);

/** The contract's own words with big integers: tat in units of 1/limit ms. */
function reference(tat: bigint, { limit, periodMs, capacity }: Quota, cost: number, now: number) {
  const L = BigInt(limit);
  const base = tat > BigInt(now) * L ? tat : BigInt(now) * L;
  const next = base + BigInt(cost) * BigInt(periodMs);
  const over = next - BigInt(now) * L - BigInt(periodMs) * BigInt(capacity);
  const until = over > 0n ? now + Number((over + L - 1n) / L) : null;
  return { tat: over > 0n ? tat : next, until };
}

describe('charge', () => {
  it('is exact: big integers give the same, at any date', () => {
    fc.assert(
      fc.property(
        quota,
        calls,
        fc.constantFrom(0, 1_700_000_000_000, 8_000_000_000_000_000),
        (limits, list, start) => {
          let bucket: Bucket = fullBucket;
          let tat = 0n;
          let now = start;
          for (const { cost, waitMs } of list) {
            now += waitMs;
            const charged = charge(bucket, limits, cost, now);
            const expected = reference(tat, limits, cost, now);
            expect(charged.conforms ? null : charged.until).toBe(expected.until);
            tat = expected.tat;
            if (charged.conforms) bucket = charged.bucket;
          }
        },
      ),
    );
  });

  it('conforms at the time it names, and not a millisecond before', () => {
    fc.assert(
      fc.property(quota, fc.integer({ min: 1, max: 20 }), (limits, wanted) => {
        const cost = Math.min(wanted, limits.capacity);
        let bucket: Bucket = fullBucket;
        for (;;) {
          const charged = charge(bucket, limits, cost, 1_000);
          if (charged.conforms) {
            bucket = charged.bucket;
            continue;
          }
          expect(charge(bucket, limits, cost, charged.until).conforms).toBe(true);
          expect(charge(bucket, limits, cost, charged.until - 1).conforms).toBe(false);
          return;
        }
      }),
    );
  });
});

describe('remaining', () => {
  it('is what can be charged at once', () => {
    fc.assert(
      fc.property(quota, fc.integer({ min: 0, max: 1_000 }), (limits, spent) => {
        const taken = charge(fullBucket, limits, spent, 5_000);
        const bucket = taken.conforms ? taken.bucket : fullBucket;
        const left = remaining(bucket, limits, 5_000);
        expect(charge(bucket, limits, left, 5_000).conforms).toBe(true);
        expect(charge(bucket, limits, left + 1, 5_000).conforms).toBe(false);
      }),
    );
  });
});
