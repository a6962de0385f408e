import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import { type Count, times } from '../conformance/under-test.ts';
import { type CompiledWorker, compileWorker } from '../servers/compiled-worker.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';
import type { RedisOrders, RedisTally } from './redis-worker.ts';

/** The machine is busy with as many processes; the deadline has tests of its own. */
const deadlineMs = 30_000;

describe.runIf(isRedisInstalled())('Redis store in several processes', () => {
  let worker: CompiledWorker;
  let server: RedisServer;
  beforeAll(async () => {
    worker = compileWorker(new URL('./redis-worker.ts', import.meta.url));
    server = await startRedis();
  });
  afterAll(async () => {
    worker.remove();
    await server.stop();
  });

  async function run(orders: Pick<RedisOrders, 'keys' | 'steps' | 'isInTurn'>): Promise<RedisTally> {
    const child = worker.start([JSON.stringify({ ...orders, url: server.url, deadlineMs })]);
    const [tally] = await once(child, 'message');
    return tally as RedisTally;
  }

  async function countsOf(texts: readonly string[]): Promise<number[]> {
    const store = createRedisStore({ url: server.url, deadlineMs });
    const keys = texts.map((text): Key<Count> => ({ text, was: null }));
    const counts = await store.view(keys, (records) => keys.map((key) => records.get(key)?.count ?? 0));
    await store.close();
    return counts;
  }

  test('8 processes add 1,000 times to one key, all at once, and lose nothing', async () => {
    const keys = ['portcullis:test:login:1:K4:{at-once}'];
    const tallies = await Promise.all(times(8, () => run({ keys, steps: 1_000, isInTurn: false })));
    expect(tallies.map(({ faults }) => faults)).toEqual(times(8, () => ({})));
    expect(await countsOf(keys)).toEqual([8_000]);
  });

  test('8 processes in a storm of conflicts get through, and count what they acknowledge', async () => {
    const keys = times(2, (index) => `portcullis:test:login:1:K4:{storm-${index}}`);
    const steps = 400;
    const tallies = await Promise.all(times(8, () => run({ keys, steps, isInTurn: true })));
    const acknowledged = tallies.reduce((sum, tally) => sum + tally.acknowledged, 0);
    const counts = await countsOf(keys);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(acknowledged);
    expect(tallies.map(({ faults }) => faults)).toEqual(times(8, () => ({})));
    expect(acknowledged).toBe(8 * 2 * steps);
  });
});
