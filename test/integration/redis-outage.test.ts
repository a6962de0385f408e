import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createRedisStore, type GivenClient, type RedisStore } from '../../src/stores/redis/index.ts';
import { commitScript } from '../../src/stores/redis/scripts.ts';
import type { Store } from '../../src/stores/store.ts';
import { addOne, type Count, group, rejection, times } from '../conformance/under-test.ts';
import { isRedisInstalled, type RedisServer, startRedis, until } from '../servers/redis-server.ts';
import { startTcpProxy, type TcpProxy, type Weather } from '../servers/tcp-proxy.ts';
import { libraries } from './redis-clients.ts';
import { Traffic } from './redis-traffic.ts';

const deadlineMs = 150;
/** An operation that ends this late is late because the machine is slow; one that hangs does not end at all. */
const hangMs = 20_000;
/** A killed server has its data back: all of them, which `everysec` does not promise while the disk is busy. */
const durable = { appendonly: 'yes', appendfsync: 'always' };

const isServed = async (store: Store): Promise<boolean> =>
  store.ping().then(
    () => true,
    () => false,
  );

describe.runIf(isRedisInstalled()).each(libraries)('an outage of Redis, $name', (library) => {
  const { single, noticesMixedReplies } = library;
  let server: RedisServer;
  let proxy: TcpProxy;
  let store: RedisStore;
  /** Sees what is there, past the proxy. */
  let witness: RedisStore;
  let client: GivenClient;
  let close: () => Promise<void>;

  beforeAll(async () => {
    server = await startRedis(durable);
  });
  afterAll(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    proxy = await startTcpProxy(server);
    const made = await single({ host: server.host, port: proxy.port });
    ({ client, close } = made);
    store = createRedisStore({ client, deadlineMs });
    witness = createRedisStore({ url: server.url, deadlineMs: 10_000 });
    await until(() => isServed(store));
    await until(() => isServed(witness));
  });
  afterEach(async () => {
    await store.close();
    await witness.close();
    await close();
    await proxy.stop();
  });

  test('a server that is killed fails every operation in time and is used again when it is back', async () => {
    const traffic = new Traffic(
      store,
      times(4, () => group().key),
    );
    await traffic.goOn(5);
    await server.kill();
    const faultsBefore = traffic.faultCount();
    await until(() => traffic.faultCount() > faultsBefore + 20);
    expect(await rejection(store.ping())).toMatchObject({
      code: expect.stringMatching(/^STORE_(FAILED|TIMEOUT)$/),
    });
    await sleep(1_000);
    await server.resume();
    await traffic.goOn(5);
    await traffic.end();
    expect(traffic.longestMs).toBeLessThan(hangMs);
    await until(() => isServed(witness));
    await traffic.expectCounted(witness);
  });

  test('a server that is stopped times out every operation and is used again when it goes on', async () => {
    const traffic = new Traffic(
      store,
      times(4, () => group().key),
    );
    await traffic.goOn(5);
    server.freeze();
    const faultsBefore = traffic.faultCount();
    await until(() => traffic.faultCount() > faultsBefore + 8);
    await sleep(1_500);
    server.thaw();
    await traffic.goOn(5);
    await traffic.end();
    expect(traffic.longestMs).toBeLessThan(hangMs);
    await traffic.expectCounted(witness);
  });

  const countOf = (where: Store, key: Key<Count>) =>
    where.view([key], (records) => records.get(key)?.count ?? 0);

  /** A commit that reaches the server while nothing of what it answers comes back. */
  async function commitUnanswered(patient: Store, key: Key<Count>, weather: Weather) {
    // So that the server has the script, and the first run of it is the commit.
    const other = group().key;
    await witness.transact([other], addOne(other));
    await until(() => isServed(patient));
    proxy.change({ ...weather, from: commitScript.sha });
    const failing = rejection(patient.transact([key], addOne(key)));
    await until(async () => (await countOf(witness, key)) > 0);
    return { failing };
  }

  test('a commit whose reply is lost fails, and is not sent again', async () => {
    const { key } = group();
    const patient = createRedisStore({ client, deadlineMs: 2_000 });
    const { failing } = await commitUnanswered(patient, key, { dropReplies: true });
    expect(await failing).toMatchObject({ code: expect.stringMatching(/^STORE_(TIMEOUT|FAILED)$/) });
    proxy.change({});
    proxy.reset();
    await until(() => isServed(patient));
    expect([await countOf(witness, key), await countOf(patient, key)]).toEqual([1, 1]);
    await patient.close();
  });

  if (noticesMixedReplies) {
    test('a connection that mixes up replies is replaced', async () => {
      const { key } = group();
      const { failing } = await commitUnanswered(store, key, { dropReplies: true });
      proxy.change({});
      expect(await failing).toMatchObject({ code: 'STORE_TIMEOUT' });
      // What others ask for meanwhile keeps answers coming.
      const traffic = setInterval(() => store.ping().catch((fault: unknown) => fault), deadlineMs / 4);
      onTestFinished(() => clearInterval(traffic));
      await until(async () => (await countOf(store, key).catch(() => null)) === 1);
      expect(await store.transact([key], addOne(key))).toBe(2);
    });
  }

  test('a connection that is reset under a commit fails it, and the commit is not sent again', async () => {
    const { key } = group();
    const patient = createRedisStore({ client, deadlineMs: hangMs });
    const { failing } = await commitUnanswered(patient, key, { delayMs: 60_000 });
    proxy.change({});
    proxy.reset();
    expect(await failing).toMatchObject({ code: expect.stringMatching(/^STORE_(FAILED|TIMEOUT)$/) });
    await until(() => isServed(patient));
    expect([await countOf(witness, key), await countOf(patient, key)]).toEqual([1, 1]);
    await patient.close();
  });

  test('a connection that the server closes half is replaced', async () => {
    const { key } = group();
    const patient = createRedisStore({ client, deadlineMs: 2_000 });
    expect(await patient.transact([key], addOne(key))).toBe(1);
    proxy.halfClose();
    await until(() => isServed(patient));
    expect(await patient.transact([key], addOne(key))).toBe(2);
    await patient.close();
  });

  test('replies that come too late are timeouts', async () => {
    const { key } = group();
    proxy.change({ delayMs: 3 * deadlineMs });
    expect(await rejection(store.view([key], () => null))).toMatchObject({ code: 'STORE_TIMEOUT' });
    expect(await rejection(store.transact([key], addOne(key)))).toMatchObject({ code: 'STORE_TIMEOUT' });
    proxy.change({});
    await until(() => isServed(store));
  });
});
