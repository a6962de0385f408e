import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisCluster, startCluster } from '../servers/redis-cluster.ts';
import { type SentinelTrio, startSentinelTrio } from '../servers/redis-sentinel.ts';
import { isRedisInstalled } from '../servers/redis-server.ts';
import { startService } from './service-under-test.ts';

describe.runIf(isRedisInstalled())('a service whose store is named by one URL', () => {
  let cluster: RedisCluster;
  let trio: SentinelTrio;
  beforeAll(async () => {
    [cluster, trio] = await Promise.all([startCluster(), startSentinelTrio()]);
  });
  afterAll(async () => {
    await Promise.all([cluster.stop(), trio.stop()]);
  });

  const hosts = (nodes: readonly { readonly host: string; readonly port: number }[]) =>
    nodes.map(({ host, port }) => `${host}:${port}`).join(',');

  test.each([
    ['a cluster', () => `redis+cluster://${hosts(cluster.nodes)}`],
    ['a master with Sentinels', () => `redis+sentinel://${hosts(trio.sentinels)}/${trio.name}`],
  ])('decides on %s', async (_, url) => {
    const service = await startService({ store: url(), failure: { deadlineMs: 5_000 } });
    const event = { account: 'a1', ip: '203.0.113.7', ua: 'x' };
    for (let turn = 0; turn < 3; turn += 1) await service.ask('POST', '/v1/fail', event);
    const { json } = await service.ask('POST', '/v1/check', event);
    expect(json).toMatchObject({ outcome: 'HARD_BLOCK', mode: 'NORMAL' });
    await service.close();
  });
});
