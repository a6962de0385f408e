import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alice } from '../../test/engine/alice.ts';
import { type Bucket, charge, fullBucket } from './bucket.ts';
import { consume } from './consume.ts';
import { HOUR_MS, MINUTE_MS } from './duration.ts';
import { Keyspace } from './keys.ts';
import { defaultApi, type RatePolicy } from './policy.ts';
import type { Draft, Key, Records, StoredRecord } from './records.ts';
import { openRequest } from './request.ts';

/** Calls on records that the steps change in place, or that they copy, as a store has it. */
function agentUnder(limit: number, isOwn: boolean) {
  const unreached = 1_000_000;
  const limits = { minor: limit, moderate: unreached, severe: unreached };
  const policy: RatePolicy = { ...defaultApi, limits };
  const request = openRequest(policy, new Keyspace('live', 'api'), alice());
  const stored = new Map<string, StoredRecord>();
  const records: Records = {
    get: <R extends StoredRecord>({ text }: Key<R>) => stored.get(text) as R | undefined,
    ...(isOwn && {
      own: <R extends StoredRecord>({ text }: Key<R>) => stored.get(text) as Draft<R> | undefined,
    }),
    put: ({ text }, value) => void stored.set(text, value as StoredRecord),
  };
  return (cost: number, t: number) => {
    const course = consume(request, cost).look(records, t);
    return course.decide(course.steps.flatMap((step) => step.run(records).reasons));
  };
}

describe('consume (§11)', () => {
  const calls = fc.array(
    fc.record({ cost: fc.integer({ min: 1, max: 9 }), passMs: fc.integer({ min: 0, max: 20_000 }) }),
    { minLength: 1, maxLength: 40 },
  );

  it('is exact for limits that do not divide a minute, also when a bucket is charged again and again', () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 10, max: 997 }), fc.boolean(), (list, limit, isOwn) => {
        const call = agentUnder(limit, isOwn);
        const quota = { limit, periodMs: MINUTE_MS, capacity: limit };
        let bucket: Bucket = fullBucket;
        let t = 10 * HOUR_MS;
        for (const { cost, passMs } of list) {
          t += passMs;
          const charged = charge(bucket, quota, cost, t);
          const { outcome, until } = call(cost, t);
          if (charged.conforms) bucket = charged.bucket;
          expect([outcome, until]).toEqual(charged.conforms ? ['ALLOW', 0] : ['SOFT_BLOCK', charged.until]);
        }
      }),
    );
  });
});
