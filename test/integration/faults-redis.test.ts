import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import { isRedisInstalled, type RedisServer, startRedis, until } from '../servers/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../servers/tcp-proxy.ts';
import { deadlineMs, GuardUnderFire } from './guard-under-fire.ts';

const oneEpoch = {
  login: ['NORMAL → DEGRADED', 'DEGRADED → NORMAL'],
  api: ['NORMAL → FAIL_OPEN', 'FAIL_OPEN → NORMAL'],
};

describe.runIf(isRedisInstalled())('a guard under fire, over Redis', () => {
  let server: RedisServer;
  let proxy: TcpProxy;
  let fire: GuardUnderFire;

  beforeAll(async () => {
    server = await startRedis({ appendonly: 'yes', 'lua-time-limit': '50' });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.cli('FLUSHALL');
    proxy = await startTcpProxy(server);
    const store = createRedisStore({ url: `redis://${server.host}:${proxy.port}`, deadlineMs });
    await store.ready();
    fire = new GuardUnderFire(store);
    await fire.until('NORMAL');
  });
  afterEach(async () => {
    await fire.close();
    await proxy.stop();
  });

  /** Takes the store away, sees the guard degrade, gives the store back, sees the guard recover. */
  async function goThrough(
    away: () => Promise<void> | void,
    back: () => Promise<void> | void,
  ): Promise<void> {
    await away();
    await fire.until('DEGRADED', 'FAIL_OPEN');
    await back();
    await fire.until('NORMAL');
    await fire.stop();
    expect(fire.story('login')).toEqual(oneEpoch.login);
    expect(fire.story('api')).toEqual(oneEpoch.api);
    expect(fire.criticals).toEqual([]);
    expect(fire.count('login check HARD_BLOCK DEGRADED')).toBeGreaterThan(0);
  }

  test('kill -9: connections break, and nobody listens', () =>
    goThrough(
      () => server.kill(),
      () => server.resume(),
    ));

  test('SIGSTOP: connections stay, nobody answers', () =>
    goThrough(
      () => server.freeze(),
      () => server.thaw(),
    ));

  test('replies that are later than the deadline', () =>
    goThrough(
      () => proxy.change({ delayMs: 2 * deadlineMs }),
      () => {
        proxy.change({});
        proxy.reset();
      },
    ));

  test('replies that never come, while every request is carried out', () =>
    goThrough(
      () => proxy.change({ dropReplies: true }),
      () => {
        proxy.change({});
        proxy.reset();
      },
    ));

  test('resets, and connections that are refused', () =>
    goThrough(
      () => {
        proxy.change({ refuse: true });
        proxy.reset();
      },
      () => proxy.change({}),
    ));

  test('half-closed connections, and no new ones', () =>
    goThrough(
      () => {
        proxy.change({ refuse: true });
        proxy.halfClose();
      },
      () => proxy.change({}),
    ));

  test('memory that is full', () =>
    goThrough(
      async () => {
        await server.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
        await server.cli('CONFIG', 'SET', 'maxmemory', '1');
      },
      async () => {
        await server.cli('CONFIG', 'SET', 'maxmemory', '0');
      },
    ));

  test('a server that has become a replica', () =>
    goThrough(
      async () => {
        await server.cli('REPLICAOF', '127.0.0.1', '1');
      },
      async () => {
        await server.cli('REPLICAOF', 'NO', 'ONE');
      },
    ));

  test('a script that runs for ever', async () => {
    let script: Promise<string> | undefined;
    await goThrough(
      () => {
        script = server.cli('EVAL', 'while true do end', '0');
      },
      async () => {
        await until(async () => (await server.cli('SCRIPT', 'KILL')) === 'OK');
      },
    );
    expect(await script).toContain('killed');
  });

  /** What a third outage may lead to: once it has been shut, the probes decide, and a server may be slow to come back. */
  function shutAfterTwo(policy: keyof typeof oneEpoch, usual: string): readonly string[][] {
    const story = [...oneEpoch[policy], ...oneEpoch[policy], 'NORMAL → FAIL_CLOSED'];
    return [
      [...story, 'FAIL_CLOSED → NORMAL'],
      [...story, `FAIL_CLOSED → ${usual}`, `${usual} → NORMAL`],
    ];
  }

  test('three outages within half an hour: the third shuts the policies, and nobody passes', async () => {
    for (let outage = 0; outage < 2; outage += 1) {
      await server.kill();
      await fire.until('DEGRADED', 'FAIL_OPEN');
      await server.resume();
      await fire.until('NORMAL');
    }
    await server.kill();
    await fire.until('FAIL_CLOSED');
    await server.resume();
    await fire.until('NORMAL');
    await fire.stop();
    expect(shutAfterTwo('login', 'DEGRADED')).toContainEqual(fire.story('login'));
    expect(shutAfterTwo('api', 'FAIL_OPEN')).toContainEqual(fire.story('api'));
    expect([...fire.criticals].sort()).toEqual(['api', 'login']);
    expect(fire.count('api consume HARD_BLOCK FAIL_CLOSED')).toBeGreaterThan(0);
  });
});
