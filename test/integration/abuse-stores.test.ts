import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScenarios, type RequestEvent, type Scenario, type Scenarios } from '../../src/abuse/index.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createLmdbStore } from '../../src/stores/lmdb/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';
import { secret } from './abuse-traffic.ts';

const slow = { windowMs: 3_600_000 };
/** Nothing leaks in the time of a test, so all stores see the same whatever their clock does. */
const scenarios: readonly Scenario[] = [
  {
    name: 'paths',
    filter: { status: ['404'] },
    key: 'client',
    distinct: [{ of: 'path', atLeast: 12, ...slow }],
    bucket: { capacity: 14, leakPerMinute: 0.1 },
  },
  { name: 'crowd', key: 'headers', distinct: [{ of: 'network', atLeast: 10, ...slow, share: 0.1 }] },
];

const eventAt = (index: number): RequestEvent => ({
  method: 'GET',
  path: `/p/${index % 37}`,
  status: index % 3 === 0 ? 200 : 404,
  ip: `192.0.2.${index % 23}`,
  user: index % 2 === 0 ? 'u1' : null,
  headerNames: index % 5 === 0 ? ['Host', 'User-Agent'] : null,
});

async function findingsOn(store: Store): Promise<string[]> {
  const limiter = createLimiter({ store, secret });
  const watching = createScenarios({ store, secret, limiter, scenarios });
  const told: string[] = [];
  for (let index = 0; index < 240; index += 1) {
    for (const { scenario, what, key } of await watching.observe(eventAt(index))) {
      told.push(`${index} ${scenario} ${what} ${key}`);
    }
  }
  return told;
}

describe('scenarios on every store', () => {
  it('find the same in LMDB as in memory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-abuse-'));
    const store = createLmdbStore({ path: join(folder, 'records'), deadlineMs: 20_000 });
    try {
      await store.ready();
      const inMemory = await findingsOn(createMemoryStore());
      expect(inMemory.filter((told) => told.includes('blocked')).length).toBeGreaterThan(1);
      expect(await findingsOn(store)).toEqual(inMemory);
    } finally {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe.runIf(isRedisInstalled())('scenarios on Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  const open = () => createRedisStore({ url: server.url, deadlineMs: 20_000 });

  it('find the same as in memory', async () => {
    const store = open();
    await store.ping();
    expect(await findingsOn(store)).toEqual(await findingsOn(createMemoryStore()));
    await store.close();
  });

  it('show on all nodes, also to one that has just asked', async () => {
    const stores = [open(), open()];
    await Promise.all(stores.map((store) => store.ping()));
    const nodes = stores.map((store) => createScenarios({ store, secret, scenarios, name: 'nodes' }));
    const [first, second] = nodes as [Scenarios, Scenarios];
    const event = { ...eventAt(1), user: 'u2' };
    expect(await second.standing(event)).toMatchObject({ refillScale: 1 });
    for (let index = 0; index < 16; index += 1) await first.observe({ ...event, path: `/q/${index}` });
    expect(await first.standing(event)).toMatchObject({ refillScale: 0.25 });
    const until = Date.now() + 5_000;
    while ((await second.standing(event)).refillScale === 1 && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await second.standing(event)).toMatchObject({ refillScale: 0.25, delayMs: 2_000 });
    await Promise.all(stores.map((store) => store.close()));
  });
});
