import { afterAll, beforeAll, describe } from 'vitest';
import { createRedisStore, type RedisStoreOptions } from '../../src/stores/redis/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { storeConformance } from '../conformance/store-conformance.ts';
import { type RedisCluster, startCluster } from '../servers/redis-cluster.ts';
import { type SentinelTrio, startSentinelTrio } from '../servers/redis-sentinel.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';
import { libraries, type Made } from './redis-clients.ts';

/** The machine may be busy with other tests; the deadline has tests of its own. */
const deadlineMs = 2_000;

function conformance(name: string, options: () => Promise<RedisStoreOptions>): void {
  storeConformance(name, async () => {
    const stores: Store[] = [];
    const openAnother = async (): Promise<Store> => {
      const store = createRedisStore({ deadlineMs, ...(await options()) });
      stores.push(store);
      return store;
    };
    return {
      store: await openAnother(),
      openAnother,
      async close() {
        for (const store of stores) await store.close();
      },
    };
  });
}

describe.runIf(isRedisInstalled())('Redis', () => {
  let server: RedisServer;
  let trio: SentinelTrio;
  let cluster: RedisCluster;
  beforeAll(async () => {
    [server, trio, cluster] = await Promise.all([startRedis(), startSentinelTrio(), startCluster()]);
  });
  afterAll(async () => {
    await Promise.all([server.stop(), trio.stop(), cluster.stop()]);
  });

  conformance('Redis store, one server', async () => ({ url: server.url }));
  conformance('Redis store, Sentinel', async () => ({
    sentinel: { name: trio.name, nodes: trio.sentinels },
  }));
  conformance('Redis store, cluster', async () => ({ cluster: cluster.urls }));

  for (const { name, single, cluster: clusterOf, sentinel } of libraries) {
    conformanceOf(`Redis store, one server, ${name}`, () => single(server));
    conformanceOf(`Redis store, cluster, ${name}`, () => clusterOf(cluster.nodes));
    if (sentinel !== null)
      conformanceOf(`Redis store, Sentinel, ${name}`, () => sentinel(trio.name, trio.sentinels));
  }
});

/** With one given client for all handles. */
function conformanceOf(name: string, make: () => Promise<Made>): void {
  let made: Promise<Made> | undefined;
  const options = async (): Promise<RedisStoreOptions> => {
    made ??= make();
    return { client: (await made).client };
  };
  describe(name, () => {
    afterAll(async () => {
      await (await made)?.close();
    });
    conformance(name, options);
  });
}
