import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CounterBackoffOptions, createLoginBackoff } from '../../src/kratos/counter-backoff.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { createRedisCounters, createRedisStore } from '../../src/stores/redis/index.ts';
import { isRedisInstalled, type RedisServer, startRedis, until } from '../servers/redis-server.ts';
import { startTcpProxy } from '../servers/tcp-proxy.ts';
import { type KratosScene, secret, startScene, wrong } from './kratos-scene.ts';

/** The machine may be busy with other tests: only a server that is really away may count as away. */
const deadlineMs = 1_500;
/** The numbers of the contract, some seconds long instead of some minutes. */
const breaker = { tripWindowMs: 60_000, minOpenMs: 300, probeEveryMs: 100, healthyMs: 200 };

describe.runIf(isRedisInstalled())('with Redis away, logins through the proxy', () => {
  let server: RedisServer;
  const closers: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await startRedis();
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    server.thaw();
    await server.kill();
    await server.resume();
  });
  afterAll(() => server.stop());

  async function open(
    options: Partial<CounterBackoffOptions> & { readonly byServer?: boolean; readonly port?: number },
  ): Promise<KratosScene> {
    const { byServer = true, port = server.port, ...counting } = options;
    const url = `redis://127.0.0.1:${port}`;
    const counters = byServer ? createRedisCounters({ url, deadlineMs }) : undefined;
    const store = byServer ? createMemoryStore() : createRedisStore({ url, deadlineMs });
    const failure = { deadlineMs: deadlineMs * 2, breaker };
    const backoff = createLoginBackoff({ store, counters, secret, failure, ...counting });
    const scene = await startScene({ backoff });
    closers.push(async () => {
      await scene.stop();
      await counters?.close();
      await store.close();
    });
    return scene;
  }

  const ask = async (scene: KratosScene, ip: string, name = 'alice@example.com') => {
    const answer = await scene.login(wrong(name), { 'true-client-ip': ip });
    const body = (await answer.json()) as { readonly error?: { readonly reason: string } };
    return answer.status === 429 ? body.error?.reason : answer.status;
  };

  test.each([
    ['by counters of Redis', true],
    ['by records', false],
  ])('are refused, then let through within the local caps, then counted again (%s)', async (_, byServer) => {
    const scene = await open({ byServer });
    expect(await ask(scene, '192.0.2.1')).toBe(400);
    await server.kill();
    expect([await ask(scene, '192.0.2.1'), await ask(scene, '192.0.2.1')]).toEqual(['store', 'store']);
    const degraded: unknown[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) degraded.push(await ask(scene, `192.0.2.${attempt}`));
    expect(degraded).toEqual([400, 400, 400, 'identifier', 'identifier']);
    expect((await fetch(`${scene.url}/sessions/whoami`)).status).toBe(401);
    const health = (await (await fetch(`${scene.url}/health/ready`)).json()) as { mode: string };
    expect(health.mode).toBe('DEGRADED');
    await server.resume();
    await until(() => scene.told.some((line) => line.includes('"closed"')));
    const counted: unknown[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) counted.push(await ask(scene, '192.0.2.9'));
    expect(counted).toEqual([...Array(10).fill(400), 'identifier']);
    expect(scene.faults).toEqual([]);
  });

  test('that does not answer: each waits for its deadline, and no longer', async () => {
    const scene = await open({});
    expect(await ask(scene, '192.0.2.1')).toBe(400);
    server.freeze();
    expect(await ask(scene, '192.0.2.1')).toBe('store');
    server.thaw();
    expect(scene.told.some((line) => line.includes('STORE_TIMEOUT'))).toBe(true);
  });

  test('pass uncounted where that was asked for', async () => {
    const scene = await open({ onStoreFailure: 'open' });
    await server.kill();
    const all: unknown[] = [];
    for (let attempt = 0; attempt < 25; attempt += 1) all.push(await ask(scene, '192.0.2.1'));
    expect(new Set(all)).toEqual(new Set([400]));
  });

  test('whose replies are lost are refused, and none is counted twice', async () => {
    const line = await startTcpProxy(server);
    const scene = await open({ port: line.port, keys: 'plain' });
    expect(await ask(scene, '192.0.2.1', 'lost@example.com')).toBe(400);
    line.change({ dropReplies: true });
    expect(await ask(scene, '192.0.2.1', 'lost@example.com')).toBe('store');
    line.change({});
    const count = Number(await server.cli('GET', 'login_backoff:id:lost@example.com'));
    expect(count).toBe(2);
    await line.stop();
  });
});
