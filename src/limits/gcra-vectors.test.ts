import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Bucket, backlog, charge, fullBucket, type Quota, remaining } from '../core/bucket.ts';

const vectors = new URL('../../../shared/data/gcra.json', import.meta.url);

interface ThrottledCase {
  readonly now_ms: number;
  readonly volume: number;
  readonly remaining: number;
  readonly reset_ms: number;
  readonly retry_ms: number;
  readonly limited: boolean;
}

interface Vectors {
  readonly rate_per_s: number;
  readonly max_burst: number;
  readonly cases: readonly ThrottledCase[];
  readonly redis_cell: {
    readonly max_burst: number;
    readonly count: number;
    readonly period_s: number;
    readonly quantity: number;
    readonly steps: readonly {
      readonly t: number;
      readonly reply?: readonly number[];
      readonly allowed?: boolean;
    }[];
  };
}

/** A bucket that answers as throttled does: what is left, when it is full again, when to come back. */
class Throttled {
  readonly #quota: Quota;
  #bucket: Bucket = fullBucket;

  constructor(quota: Quota) {
    this.#quota = quota;
  }

  call(cost: number, now: number) {
    const charged = charge(this.#bucket, this.#quota, cost, now);
    if (charged.conforms) this.#bucket = charged.bucket;
    const never = cost > this.#quota.capacity;
    return {
      limited: !charged.conforms,
      remaining: remaining(this.#bucket, this.#quota, now),
      reset_ms: Math.ceil(backlog(this.#bucket, this.#quota.limit, now) / this.#quota.limit),
      retry_ms: charged.conforms || never ? -1 : charged.until - now,
    };
  }
}

describe.runIf(existsSync(vectors))('the bucket answers the published vectors', () => {
  const read = (): Vectors => JSON.parse(readFileSync(vectors, 'utf8')) as Vectors;

  it('of throttled', () => {
    const { rate_per_s, max_burst, cases } = read();
    const throttled = new Throttled({ limit: rate_per_s, periodMs: 1_000, capacity: max_burst + 1 });
    for (const { now_ms, volume, limited, remaining, reset_ms, retry_ms } of cases) {
      expect(throttled.call(volume, now_ms)).toEqual({ limited, remaining, reset_ms, retry_ms });
    }
    expect(cases.length).toBeGreaterThan(10);
  });

  it('of redis-cell', () => {
    const { max_burst, count, period_s, quantity, steps } = read().redis_cell;
    const throttled = new Throttled({ limit: count, periodMs: period_s * 1_000, capacity: max_burst + 1 });
    const seconds = (ms: number) => (ms < 0 ? ms : Math.ceil(ms / 1_000));
    for (const { t, reply, allowed } of steps) {
      const { limited, remaining, retry_ms, reset_ms } = throttled.call(quantity, t * 1_000);
      const cell = [limited ? 1 : 0, max_burst + 1, remaining, seconds(retry_ms), seconds(reset_ms)];
      if (reply !== undefined) expect(cell).toEqual(reply);
      if (allowed !== undefined) expect(limited).toBe(!allowed);
    }
    expect(steps).toHaveLength(3);
  });
});
