import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createGuard } from '../../src/index.ts';
import { settingsOf } from '../../src/stores/redis/options.ts';
import { DrivenRedisStore } from '../../src/stores/redis/redis-store.ts';
import { addOne, type Count, countOf, group, kept, times } from '../conformance/under-test.ts';
import { CountingDriver } from '../servers/counting-driver.ts';
import { type RedisCluster, startCluster } from '../servers/redis-cluster.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';

const deadlineMs = 5_000;

/** A server with a connection for every key; what comes over one calls `serve`, in a callback of its own. */
async function callsBy<T>(keys: readonly T[], serve: (key: T) => Promise<void>) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const callers: Socket[] = [];
  for (const key of keys) {
    const accepted = once(server, 'connection');
    callers.push(connect(port, '127.0.0.1'));
    const [socket] = (await accepted) as [Socket];
    socket.on('data', () => void serve(key).then(() => socket.write('done')));
  }
  return {
    callAll: async () => {
      const answers = callers.map((caller) => once(caller, 'data'));
      for (const caller of callers) caller.write('go');
      await Promise.all(answers);
    },
    close: async () => {
      for (const caller of callers) caller.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
const hard = { ...kept, hardMs: 60_000 };

describe.runIf(isRedisInstalled())('round trips to Redis', () => {
  let server: RedisServer;
  let cluster: RedisCluster;
  beforeAll(async () => {
    [server, cluster] = await Promise.all([startRedis(), startCluster()]);
  });
  afterAll(async () => {
    await Promise.all([server.stop(), cluster.stop()]);
  });

  describe.each([
    ['one server', () => ({ url: server.url })],
    ['a cluster', () => ({ cluster: cluster.urls })],
  ])('with %s', (place, options) => {
    let driver: CountingDriver;
    let store: DrivenRedisStore;
    let other: DrivenRedisStore;
    /** What a process remembers ages by its own clock; held still, a slow machine cannot make it forget. */
    let nowMs = 1_000;
    const isCluster = place === 'a cluster';

    beforeEach(async () => {
      driver = new CountingDriver(settingsOf(options()).driver);
      store = new DrivenRedisStore(driver, deadlineMs, () => nowMs);
      other = new DrivenRedisStore(settingsOf(options()).driver, deadlineMs);
      await Promise.all([store.ready(), other.ready()]);
      // The script is known to every node after this.
      const keys = times(50, () => group().key);
      await Promise.all(keys.map((key) => store.transact([key], addOne(key))));
      driver.restart();
    });
    afterEach(async () => {
      await Promise.all([store.close(), other.close()]);
    });

    test('a look over several groups takes one', async () => {
      const keys = times(4, () => group()).flatMap(({ key, sibling }) => [key, sibling]);
      await store.view(keys, () => null);
      expect(driver.rounds).toBe(1);
      expect(driver.commands).toBeLessThanOrEqual(isCluster ? 4 : 1);
    });

    test('looks that begin together take one together, however many records they are about', async () => {
      const keys = times(300, () => group().key);
      await Promise.all(keys.map((key) => store.transact([key], addOne(key))));
      driver.restart();
      const counts = await Promise.all(
        keys.map((key) => store.view([key], (records) => records.get(key)?.count)),
      );
      expect(counts).toEqual(keys.map(() => 1));
      expect(driver.rounds).toBe(1);
      expect(driver.commands).toBe(isCluster ? 300 : 2);
    });

    test('steps over groups that were just looked at take one together', async () => {
      const groups = times(3, () => group());
      await store.view(
        groups.flatMap(({ key, sibling }) => [key, sibling]),
        () => null,
      );
      driver.restart();
      await Promise.all(groups.map(({ key, sibling }) => store.transact([key, sibling], addOne(key))));
      expect(driver.rounds).toBe(1);
      expect(driver.commands).toBe(isCluster ? 3 : 1);
    });

    test('a list of the blocks of all policies takes one walk over the keys', async () => {
      const environment = group().text.replaceAll(/[^a-z0-9]/g, '');
      const guard = createGuard({ secret: 'a secret of at least 32 characters', store, environment });
      const note = { level: 3, by: 'tests', why: 'as told' };
      const subject = { ip: '203.0.113.8', account: 'alice' };
      const ids: string[] = [];
      for (const action of ['auth.login', 'auth.otp', 'api.heavy']) {
        ids.push((await guard.place({ ...subject, action }, { scope: 'K1', ...note })).id);
      }
      driver.restart();
      const listed: string[] = [];
      for await (const { id } of guard.blocks()) listed.push(id);
      expect(listed.sort()).toEqual(ids.sort());
      expect(driver.walks).toBe(1);
    });

    test('looks and steps that come over different connections while others are under way share theirs', async () => {
      const keys = times(40, () => group().key);
      let answered = 0;
      const connections = await callsBy(keys, async (key) => {
        await store.view([key], () => null);
        await store.transact([key], addOne(key));
        answered += 1;
      });
      await connections.callAll();
      expect(answered).toBe(40);
      // One by one they would take 80.
      if (isCluster) expect(driver.commands).toBe(80);
      else expect(driver.commands).toBeLessThanOrEqual(20);
      await connections.close();
    });

    test('a burst of steps is sent in parts: the server works on the first before the last have run', async () => {
      const keys = times(400, () => group().key);
      await store.view(keys, () => null);
      driver.restart();
      const commandsBefore: number[] = [];
      const steps = keys.map((key) =>
        store.transact([key], (records, now) => {
          commandsBefore.push(driver.commands);
          return addOne(key)(records, now);
        }),
      );
      expect(await Promise.all(steps)).toEqual(keys.map(() => 1));
      expect(commandsBefore[0]).toBe(0);
      expect(commandsBefore.at(-1)).toBeGreaterThan(0);
    });

    test('a step over a group that was not looked at takes two', async () => {
      const { key } = group();
      await store.transact([key], addOne(key));
      expect(driver.rounds).toBe(2);
    });

    test('a step on what another process has changed since takes one more, and counts on that', async () => {
      const { key } = group();
      await store.view([key], () => null);
      await other.transact([key], addOne(key));
      driver.restart();
      expect(await store.transact([key], addOne(key))).toBe(2);
      expect(driver.rounds).toBe(2);
    });

    test('a step that writes nothing is told only what is current', async () => {
      const { key } = group();
      const look = {
        keys: [key],
        count: async () => store.transact([key], (records) => records.get(key)?.count),
      };
      await store.transact([key], addOne(key));
      await other.transact([key], addOne(key));
      driver.restart();
      expect(await look.count()).toBe(2);
      expect(driver.rounds).toBe(1);
    });

    test('512 steps at once on one key take a handful', async () => {
      const { key } = group();
      const counts = await Promise.all(times(512, () => store.transact([key], addOne(key))));
      expect(new Set(counts).size).toBe(512);
      expect(driver.rounds).toBeLessThanOrEqual(3);
    });

    test('a rotation costs none', async () => {
      const { key: old } = group();
      await store.transact([old], addOne(old));
      const key: Key<Count> = { text: group().key.text, was: old.text };
      driver.restart();
      await store.view([key], () => null);
      expect(driver.rounds).toBe(1);
      expect(await store.transact([key], addOne(key))).toBe(2);
      expect(driver.rounds).toBe(2);
    });

    test('a decision takes one, and a failure right after it one', async () => {
      const guard = createGuard({
        store,
        secret: 'a secret that is long enough',
        failure: { deadlineMs: null },
      });
      const request = {
        action: 'auth.login',
        account: group().text,
        ip: '203.0.113.7',
        device: { id: group().text, confidence: 'MEDIUM' },
      } as const;
      await guard.check(request);
      expect(driver.rounds).toBe(1);
      driver.restart();
      await guard.fail(request);
      expect(driver.rounds).toBe(1);
      nowMs += 10_000;
      driver.restart();
      await guard.fail(request);
      expect(driver.rounds).toBe(2);
    });

    test('a failure on a warm view finds the block that another process has set meanwhile', async () => {
      const settings = { secret: 'a secret that is long enough', failure: { deadlineMs: null } };
      const [here, there] = [createGuard({ ...settings, store }), createGuard({ ...settings, store: other })];
      const request = { action: 'auth.login', account: group().text, ip: '203.0.113.8', device: null };
      await here.check(request);
      const placement = { scope: 'K4', level: 3, by: 'tests', why: 'as told' } as const;
      await there.place(request, placement);
      driver.restart();
      const decision = await here.fail(request);
      expect(decision.reasons).toContainEqual(
        expect.objectContaining({ rule: 'blocked', scope: 'K4', outcome: 'HARD_BLOCK' }),
      );
    });

    describe('a known HARD block', () => {
      test('is answered from memory: under one command in a thousand looks', async () => {
        const { key, sibling } = group();
        await store.transact([key], (records, now) => records.put(key, countOf(1, now), hard));
        driver.restart();
        for (let look = 0; look < 5_000; look += 1) {
          const count = await store.view([key, sibling], (records) => records.get(key)?.count);
          expect(count).toBe(1);
        }
        expect(driver.commands).toBeLessThan(5);
      });

      test('of a network stops agents over its cap from memory, too', async () => {
        const guard = createGuard({
          store,
          secret: 'a secret that is long enough',
          failure: { deadlineMs: null },
        });
        const ip = '203.0.113.77';
        const shown = (major: number) => ({
          action: 'auth.otp',
          account: group().text,
          ip,
          ua: `Firefox/${major}`,
        });
        for (let major = 1; major <= 50; major += 1) await guard.fail(shown(major));
        const stranger = shown(60);
        await guard.place(stranger, { scope: 'K1', level: 3, by: 'tests', why: 'as told' });
        await guard.check(stranger);
        driver.restart();
        for (let look = 0; look < 200; look += 1) {
          expect((await guard.check(stranger)).outcome).toBe('HARD_BLOCK');
        }
        expect(driver.commands).toBe(0);
      });

      test('that has grown too old is read once, however many ask', async () => {
        const { key, sibling } = group();
        await store.transact([key], (records, now) => records.put(key, countOf(1, now), hard));
        const looks = () =>
          Promise.all(times(200, () => store.view([key, sibling], (records) => records.get(key)?.count)));
        await looks();
        nowMs += 2_001;
        driver.restart();
        expect(new Set(await looks())).toEqual(new Set([1]));
        expect(driver.commands).toBe(1);
      });

      test('that was lifted meanwhile is not taken from what another look is reading', async () => {
        const { key } = group();
        await store.transact([key], (records, now) => records.put(key, countOf(1, now), hard));
        await store.view([key], () => null);
        await other.transact([key], (records, now) => records.put(key, countOf(2, now), kept));
        nowMs += 2_001;
        const counts = await Promise.all(
          times(20, () => store.view([key], (records) => records.get(key)?.count)),
        );
        expect(new Set(counts)).toEqual(new Set([2]));
      });

      test('is not answered from memory to a look at anything else', async () => {
        const { key, sibling } = group();
        const { key: elsewhere } = group();
        await store.transact([key], (records, now) => records.put(key, countOf(1, now), hard));
        await store.view([key, sibling], () => null);
        driver.restart();
        await store.view([sibling], () => null);
        await store.view([key, elsewhere], () => null);
        expect(driver.rounds).toBe(2);
      });

      test('is not answered from memory to a look that it does not stop', async () => {
        const { key, sibling } = group();
        await store.transact([key], (records, now) => records.put(key, countOf(1, now), hard));
        await store.view([key, sibling], () => null);
        await other.transact([sibling], (records, now) => records.put(sibling, countOf(5, now), kept));
        const count = (isStopped: boolean) =>
          store.view([key, sibling], (records) => records.get(sibling)?.count, {
            isStopped: () => isStopped,
          });
        expect(await count(true)).toBeUndefined();
        driver.restart();
        expect(await count(false)).toBe(5);
        expect(driver.rounds).toBe(1);
      });

      test('of a device lets no guess at its account through while another process blocks that', async () => {
        const settings = { secret: 'a secret that is long enough', failure: { deadlineMs: null } };
        const [here, there] = [
          createGuard({ ...settings, store }),
          createGuard({ ...settings, store: other }),
        ];
        const account = { action: 'auth.login', account: group().text };
        const device = { id: group().text, confidence: 'MEDIUM' } as const;
        const note = { level: 3, by: 'tests', why: 'as told' };
        await there.fail({ ...account, ip: '203.0.113.8', device });
        await there.place({ ...account, ip: '203.0.113.8', device }, { scope: 'K5', ...note });
        const guess = { ...account, ip: '203.0.113.9', device: null };
        expect((await here.check(guess)).outcome).toBe('ALLOW');
        await there.place(guess, { scope: 'K4', ...note });
        expect([(await here.check(guess)).outcome, (await here.succeed(guess)).outcome]).toEqual([
          'HARD_BLOCK',
          'HARD_BLOCK',
        ]);
      });

      test('shows a lift of its own at once, and that of another process within two seconds', async () => {
        const { key } = group();
        await store.transact([key], (records, now) => records.put(key, countOf(1, now), hard));
        const count = () => store.view([key], (records) => records.get(key)?.count);
        await count();
        await store.transact([key], (records, now) => records.put(key, countOf(2, now), kept));
        expect(await count()).toBe(2);

        await store.transact([key], (records, now) => records.put(key, countOf(3, now), hard));
        await count();
        await other.transact([key], (records, now) => records.put(key, countOf(4, now), kept));
        expect(await count()).toBe(3);
        nowMs += 2_001;
        expect(await count()).toBe(4);
      });
    });
  });
});
