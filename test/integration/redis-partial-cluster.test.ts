import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import { slotOf } from '../../src/stores/redis/slot.ts';
import { addOne, type Count, rejection } from '../conformance/under-test.ts';
import { type RedisCluster, startCluster } from '../servers/redis-cluster.ts';
import { isRedisInstalled, until } from '../servers/redis-server.ts';

/** Which of the three masters serves a key. */
const thirdOf = (key: string): number => Math.floor(slotOf(key) / Math.ceil(16384 / 3));

describe.runIf(isRedisInstalled())('a cluster of which a part is down', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startCluster({ 'cluster-require-full-coverage': 'no' });
  });
  afterAll(async () => {
    await cluster.stop();
  });

  test('serves the slots of the rest to a store that starts then, and all of them once it is whole', async () => {
    // The third of the slots that also tells the time; with its replica gone nobody takes over.
    const third = thirdOf('portcullis-clock');
    const [master, replica] = [cluster.nodes[third], cluster.nodes[third + 3]];
    await Promise.all([master?.kill(), replica?.kill()]);
    const keyIn = (isDown: boolean): Key<Count> => {
      const text = `portcullis:test:login:1:K4:{${randomUUID()}}`;
      return (thirdOf(text) === third) === isDown ? { text, was: null } : keyIn(isDown);
    };
    const served = Array.from({ length: 4 }, () => keyIn(false));
    const down = keyIn(true);

    const store = createRedisStore({ cluster: cluster.urls, deadlineMs: 1_000 });
    const adds = (key: Key<Count>): Promise<boolean> =>
      store.transact([key], addOne(key)).then(
        () => true,
        () => false,
      );
    for (const key of served) await until(() => adds(key));
    expect(await rejection(store.transact([down], addOne(down)))).toMatchObject({
      code: expect.stringMatching(/^STORE_(FAILED|TIMEOUT)$/),
    });

    await Promise.all([master?.resume(), replica?.resume()]);
    await until(() => adds(down));
    for (const key of served) await until(() => adds(key));
    await store.close();
  });
});
