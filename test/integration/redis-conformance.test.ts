import { afterAll, beforeAll, describe } from 'vitest';
import type { RedisStoreOptions } from '../../src/stores/redis/index.ts';
import { type RedisCluster, startCluster } from '../servers/redis-cluster.ts';
import { type SentinelTrio, startSentinelTrio } from '../servers/redis-sentinel.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';
import { libraries, type Made } from './redis-clients.ts';
import { redisStoreConformance } from './redis-store-suite.ts';

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

  redisStoreConformance('Redis store, one server', async () => ({ url: server.url }));
  redisStoreConformance('Redis store, Sentinel', async () => ({
    sentinel: { name: trio.name, nodes: trio.sentinels },
  }));
  redisStoreConformance('Redis store, cluster', async () => ({ cluster: cluster.urls }));

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
    redisStoreConformance(name, options);
  });
}
