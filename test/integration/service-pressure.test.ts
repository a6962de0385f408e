import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishPressure } from '../../src/concurrency/index.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { isRedisInstalled, type RedisServer, startRedis, until } from '../servers/redis-server.ts';
import { type ServiceUnderTest, startService } from './service-under-test.ts';

describe.runIf(isRedisInstalled())('a service in front of another one that shares its store', () => {
  let redis: RedisServer;
  let shared: Store;
  let stop: () => void;
  let service: ServiceUnderTest;
  let pressure = 0.95;

  beforeAll(async () => {
    redis = await startRedis();
    shared = createRedisStore({ url: redis.url, deadlineMs: 10_000 });
    stop = publishPressure({
      store: shared,
      environment: 'default',
      service: 'orders',
      node: 'orders-1',
      pressure: () => pressure,
      everyMs: 50,
      onFault: () => undefined,
    });
    service = await startService({
      store: redis.url,
      failure: { deadlineMs: 5_000 },
      trustedProxies: ['127.0.0.0/8'],
      limits: {
        anonymous: { ratePerSecond: 1, burst: 2 },
        services: [{ name: 'orders', path: '/orders/*' }],
      },
    });
  });
  afterAll(async () => {
    stop();
    await service.close();
    await shared.close();
    await redis.stop();
  });

  const pressureIs = async (expected: number) => {
    const { json } = await service.ask('GET', '/v1/status');
    expect(json.limits.services).toMatchObject([{ name: 'orders', path: '/orders/*' }]);
    return Math.abs(json.limits.services[0].pressure - expected) < 0.01;
  };
  const authorize = (path: string) =>
    service.ask('GET', '/v1/authorize', undefined, {
      'x-forwarded-for': '203.0.113.9',
      'x-original-uri': path,
      'x-original-method': 'GET',
    });
  /** When a caller whose bucket is empty may come back, in seconds. */
  const comesBackIn = async (path: string) => {
    for (;;) {
      const { status, headers } = await authorize(path);
      if (status === 429) return Number(headers.get('retry-after'));
    }
  };

  test('lets the buckets of its callers fill at a tenth, and of nobody else', async () => {
    await until(() => pressureIs(0.95));
    expect(await comesBackIn('/list')).toBe(1);
    // A bucket that is nearly full is full soon; one that was emptied takes ten seconds.
    await until(async () => (await comesBackIn('/orders/7')) > 2);
    const { text } = await service.ask('GET', '/metrics');
    expect(text).toContain('portcullis_service_pressure{service="orders"} 0.95');
  });

  test('recovers with it', async () => {
    pressure = 0;
    await until(() => pressureIs(0));
    expect(await comesBackIn('/orders/7')).toBe(1);
  });
});
