import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDescriptorLimiter } from '../../src/limits/descriptors/descriptor-limiter.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';

const secret = 'descriptors-secret-0123456789';
const domains = [
  { domain: 'edge', descriptors: [{ key: 'user', rate_limit: { unit: 'year', requests_per_unit: 50 } }] },
];

describe.runIf(isRedisInstalled())('limits by descriptors on two nodes over Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it('count together, exactly, whoever asks whom at the same time', async () => {
    const stores = [1, 2].map(() => createRedisStore({ url: redis.url, deadlineMs: 20_000 }));
    await Promise.all(stores.map((store) => store.ping()));
    try {
      const nodes = stores.map((store) => createDescriptorLimiter({ store, secret, domains }));
      const asked = Array.from({ length: 120 }, (_, index) =>
        nodes[index % 2]?.decide('edge', [{ pairs: [{ key: 'user', value: 'ann' }], hits: 1 }]),
      );
      const verdicts = await Promise.all(asked);
      expect(new Set(verdicts.map((verdict) => verdict?.mode))).toEqual(new Set(['NORMAL']));
      expect(verdicts.filter((verdict) => verdict?.over === false)).toHaveLength(50);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
    const keys = await redis.cli('KEYS', 'portcullis:*');
    expect(keys).toMatch(/^portcullis:default:limits\.descriptors:1:C:\{[\w-]{22}\}$/);
  });
});
