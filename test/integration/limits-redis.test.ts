import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, createLimiter, type Limiter } from '../../src/limits/index.ts';
import { createRedisStore, type RedisStore } from '../../src/stores/redis/index.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';

const secret = 'sixteen bytes or more';
const ratePerSecond = 5;
const burst = 4;
const capacity = ratePerSecond * burst;

describe.runIf(isRedisInstalled())('limiters on two nodes over Redis', () => {
  let server: RedisServer;
  let stores: readonly RedisStore[];
  let limiters: readonly Limiter[];
  let users = 0;
  const nodeFor = (call: number): Limiter => limiters[call % limiters.length] ?? expect.unreachable();
  const newUser = (): Call => {
    users += 1;
    return { method: 'GET', path: '/list', ip: '203.0.113.7', user: `u${users}` };
  };

  beforeAll(async () => {
    server = await startRedis();
    stores = [1, 2].map(() => createRedisStore({ url: server.url, deadlineMs: 20_000 }));
    await Promise.all(stores.map((store) => store.ping()));
    limiters = stores.map((store) => createLimiter({ store, secret, ratePerSecond, burst }));
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server.stop();
  });

  it('allow together what one would allow alone, however many calls come at once', async () => {
    const call = newUser();
    const startedAt = performance.now();
    const verdicts = await Promise.all(Array.from({ length: 200 }, (_, index) => nodeFor(index).take(call)));
    const refilled = Math.ceil(((performance.now() - startedAt) / 1_000) * ratePerSecond);
    const allowed = verdicts.filter((verdict) => verdict.allowed).length;
    expect(verdicts.every(({ mode }) => mode === 'NORMAL')).toBe(true);
    expect(allowed).toBeGreaterThanOrEqual(capacity);
    expect(allowed).toBeLessThanOrEqual(capacity + refilled);
  });

  it('block a flood on both', async () => {
    const call = newUser();
    const verdicts = await Promise.all(Array.from({ length: 400 }, (_, index) => nodeFor(index).take(call)));
    expect(verdicts.filter(({ rule }) => rule === 'auto-block')).toHaveLength(1);
    for (const limiter of limiters) expect((await limiter.take(call)).rule).toBe('blocked');
  });

  it('settle what another node has charged to the same client', async () => {
    const call = newUser();
    const [first, second] = [nodeFor(0), nodeFor(1)];
    const verdict = await first.take({ ...call, cost: capacity });
    await first.settle(verdict, 0);
    expect((await second.take({ ...call, cost: capacity })).allowed).toBe(true);
  });

  it('bound the agents of a network together', async () => {
    const from = (major: number): Call => ({
      method: 'GET',
      path: '/list',
      ip: '198.51.100.1',
      ua: `Chrome/${major}.0`,
      cost: 5,
    });
    const verdicts = await Promise.all(
      Array.from({ length: 120 }, (_, index) => nodeFor(index).take(from(index + 1))),
    );
    expect(verdicts.filter(({ allowed }) => allowed).length).toBeLessThanOrEqual(52);
  });
});
