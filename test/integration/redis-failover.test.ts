import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createRedisStore, type RedisStoreOptions } from '../../src/stores/redis/index.ts';
import { slotOf } from '../../src/stores/redis/slot.ts';
import type { Count } from '../conformance/under-test.ts';
import { type RedisCluster, startCluster } from '../servers/redis-cluster.ts';
import { startSentinelTrio } from '../servers/redis-sentinel.ts';
import { isRedisInstalled, type RedisServer, until } from '../servers/redis-server.ts';
import { type Library, libraries } from './redis-clients.ts';
import { Traffic } from './redis-traffic.ts';

const deadlineMs = 150;
/** An operation that ends this late is late because the machine is slow; one that hangs does not end at all. */
const hangMs = 20_000;

type Ending = () => unknown;
const endings: Ending[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function keysIn(slots: ReadonlySet<number> | null, count: number): Key<Count>[] {
  const keys: Key<Count>[] = [];
  while (keys.length < count) {
    const text = `portcullis:test:login:1:K4:{${randomUUID()}}`;
    if (slots === null || slots.has(slotOf(text))) keys.push({ text, was: null });
  }
  return keys;
}

/** Traffic over a store of its own, after all that was opened before it. */
async function trafficOn(options: RedisStoreOptions, keys: readonly Key<Count>[]): Promise<Traffic> {
  const store = createRedisStore({ ...options, deadlineMs });
  endings.push(() => store.close());
  await until(() =>
    store.ping().then(
      () => true,
      () => false,
    ),
  );
  const traffic = new Traffic(store, keys);
  endings.push(() => traffic.end());
  await traffic.goOn(5);
  return traffic;
}

/** Everything acknowledged was counted, seen by a store that knows nothing of what has happened. */
async function expectCounted(traffic: Traffic, options: RedisStoreOptions): Promise<void> {
  await traffic.end();
  expect(traffic.longestMs).toBeLessThan(hangMs);
  const witness = createRedisStore({ ...options, deadlineMs: 10_000 });
  endings.push(() => witness.close());
  await traffic.expectCounted(witness);
}

/** Waits until a replica has everything that its master has acknowledged. */
async function untilCaughtUp(master: RedisServer): Promise<void> {
  await until(async () => {
    const [offset, ...replicas] = (await master.cli('ROLE')).split('\n').slice(1);
    return replicas.length > 0 && replicas.at(-1) === offset;
  });
}

describe.runIf(isRedisInstalled())('failover behind Sentinels', () => {
  const ways: { name: string; library: Library | null }[] = [
    { name: 'by the store itself', library: null },
    ...libraries
      .filter(({ sentinel }) => sentinel !== null)
      .map((library) => ({ name: library.name, library })),
  ];

  test.each(ways)(
    'to the replica of a killed master loses nothing that was replicated, $name',
    async ({ library }) => {
      const trio = await startSentinelTrio();
      endings.push(() => trio.stop());
      const options: RedisStoreOptions = { sentinel: { name: trio.name, nodes: trio.sentinels } };
      const made = await library?.sentinel?.(trio.name, trio.sentinels);
      const traffic = await trafficOn(
        made === undefined ? options : { client: made.client },
        keysIn(null, 4),
      );
      const master = await trio.master();
      await traffic.pause();
      await untilCaughtUp(master);
      await master.kill();
      traffic.resume();
      await traffic.goOn(5);
      expect(traffic.faultCount()).toBeGreaterThan(0);
      // The Sentinel that is asked here may learn of it later than the one that the store has asked.
      await until(async () => (await trio.master()) !== master);
      await expectCounted(traffic, options);
    },
  );

  test('ordered while both servers live moves the store to the new master', async () => {
    const trio = await startSentinelTrio();
    endings.push(() => trio.stop());
    const options = { sentinel: { name: trio.name, nodes: trio.sentinels } };
    const traffic = await trafficOn(options, keysIn(null, 2));
    const master = await trio.master();
    await traffic.pause();
    await untilCaughtUp(master);
    await trio.sentinels[0]?.cli('SENTINEL', 'FAILOVER', trio.name);
    await until(async () => (await trio.master()) !== master);
    // Until it is told otherwise, the old master would go on acknowledging what will be lost.
    await until(async () => !/cmd=(mget|eval|evalsha) /.test(await master.cli('CLIENT', 'LIST')));
    traffic.resume();
    await traffic.goOn(5);
    await expectCounted(traffic, options);
  });
});

describe.runIf(isRedisInstalled()).each(libraries)(
  'a cluster that changes under traffic, $name',
  ({ cluster: clientOf, leavesSilentMasters }) => {
    async function start(): Promise<{
      cluster: RedisCluster;
      options: RedisStoreOptions;
      given: RedisStoreOptions;
    }> {
      const cluster = await startCluster();
      endings.push(() => cluster.stop());
      const made = await clientOf(cluster.nodes);
      endings.push(() => made.close());
      return { cluster, options: { cluster: cluster.urls }, given: { client: made.client } };
    }

    test('loses nothing when slots move to another master', async () => {
      const { cluster, options, given } = await start();
      const keys = keysIn(null, 4);
      const traffic = await trafficOn(given, keys);
      for (const { text } of keys) {
        const slot = slotOf(text);
        const from = await cluster.ownerOf(slot);
        const to = (await cluster.masters()).find((master) => master !== from);
        if (to !== undefined) await cluster.moveSlot(slot, to);
        await traffic.goOn(3);
      }
      await expectCounted(traffic, options);
    });

    test('loses nothing when a replica is told to take over', async () => {
      const { cluster, options, given } = await start();
      const traffic = await trafficOn(given, keysIn(null, 6));
      const masters = await cluster.masters();
      for (const replica of cluster.nodes.filter((node) => !masters.includes(node))) {
        await replica.cli('CLUSTER', 'FAILOVER');
        await until(async () => (await cluster.masters()).includes(replica));
        await traffic.goOn(3);
      }
      await expectCounted(traffic, options);
    });

    test('loses nothing that was replicated when a master is killed', async () => {
      const { cluster, options, given } = await start();
      const traffic = await trafficOn(given, keysIn(null, 6));
      const [master] = await cluster.masters();
      if (master === undefined) throw new TypeError('A cluster has masters.');
      await traffic.pause();
      await untilCaughtUp(master);
      await master.kill();
      traffic.resume();
      await traffic.goOn(5);
      await expectCounted(traffic, options);
    });

    if (leavesSilentMasters) {
      test('goes on without a master that is stopped and says nothing', async () => {
        const { cluster, options, given } = await start();
        const traffic = await trafficOn(given, keysIn(null, 6));
        const [master] = await cluster.masters();
        if (master === undefined) throw new TypeError('A cluster has masters.');
        await traffic.pause();
        await untilCaughtUp(master);
        master.freeze();
        traffic.resume();
        await traffic.goOn(5);
        await traffic.end();
        master.thaw();
        await expectCounted(traffic, options);
      });
    }
  },
);
