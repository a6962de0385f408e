import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bucket, backlog, bucketOwing, charge, fullBucket, type Quota, remaining } from './bucket.ts';

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

describe('the boundaries of a limit of 120 a minute (§11)', () => {
  const perMinute: Quota = { limit: 120, periodMs: 60_000, capacity: 120 };
  const now = 1_000_000;

  /** The bucket after so much was taken at once. */
  const spent = (cost: number): Bucket => {
    const charged = charge(fullBucket, perMinute, cost, now);
    return charged.conforms ? charged.bucket : fullBucket;
  };

  it('a full bucket holds exactly its capacity', () => {
    expect(charge(fullBucket, perMinute, 120, now).conforms).toBe(true);
    expect(charge(fullBucket, perMinute, 121, now)).toEqual({ conforms: false, until: now + 500 });
  });

  it('an empty one gives one again half a second later', () => {
    const empty = spent(120);
    expect(
      [now, now + 499, now + 500, now + 999, now + 1_000].map((t) => remaining(empty, perMinute, t)),
    ).toEqual([0, 0, 1, 1, 2]);
    expect(charge(empty, perMinute, 1, now)).toEqual({ conforms: false, until: now + 500 });
  });

  it('is full again after a minute, and never more than full', () => {
    expect([60_000, 60_001, 600_000].map((ms) => remaining(spent(120), perMinute, now + ms))).toEqual([
      120, 120, 120,
    ]);
  });
});

describe('bucketOwing', () => {
  it('owes just so much, in whole milliseconds and a rest that is less than one', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.integer({ min: 1, max: 100_000 }), fc.nat(), (units, limit, now) => {
        const bucket = bucketOwing(units, limit, now);
        expect(backlog(bucket, limit, now)).toBe(units);
        expect(Number.isInteger(bucket.tatMs) && bucket.tatUnits >= 0 && bucket.tatUnits < limit).toBe(true);
      }),
    );
  });

  it('owes nothing once its time has come', () => {
    expect([fullBucket, bucketOwing(7, 3, 10)].map((bucket) => backlog(bucket, 3, 13))).toEqual([0, 0]);
    expect([backlog(bucketOwing(7, 3, 10), 3, 12), fullBucket]).toEqual([1, { tatMs: 0, tatUnits: 0 }]);
  });
});
