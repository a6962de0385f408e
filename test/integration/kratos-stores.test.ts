import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLoginBackoff } from '../../src/kratos/counter-backoff.ts';
import { createLmdbStore } from '../../src/stores/lmdb/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { createPostgresStore } from '../../src/stores/postgres/index.ts';
import {
  createRedisCounters,
  createRedisStore,
  type RedisStoreOptions,
} from '../../src/stores/redis/index.ts';
import { settingsOf } from '../../src/stores/redis/options.ts';
import { DrivenRedisCounters } from '../../src/stores/redis/redis-counters.ts';
import { CountingDriver } from '../servers/counting-driver.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';
import { type RedisCluster, startCluster } from '../servers/redis-cluster.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';
import { type CounterPlace, counterConformance } from './kratos-conformance.ts';

/** These tests are about answers, not about time: the machine may be busy. */
const deadlineMs = 10_000;
const secret = 'a secret that is long enough';

counterConformance(
  'memory',
  async () => {
    const store = createMemoryStore();
    return { nodes: [{ store }, { store }], close: () => store.close() };
  },
  60,
);

counterConformance(
  'the embedded store',
  async () => {
    const path = mkdtempSync(join(tmpdir(), 'portcullis-kratos-'));
    const store = createLmdbStore({ path, deadlineMs });
    const close = async () => {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    };
    return { nodes: [{ store }, { store }], close };
  },
  10,
);

/** Two nodes, each with connections of its own; by records, or by counters of the server. */
async function onRedis(options: RedisStoreOptions, byServer: boolean): Promise<CounterPlace> {
  const nodes = [0, 1].map(() => {
    const store = createRedisStore({ ...options, deadlineMs });
    return byServer ? { store, counters: createRedisCounters({ ...options, deadlineMs }) } : { store };
  });
  return {
    nodes,
    async close() {
      for (const { store, counters } of nodes) {
        await counters?.close();
        await store.close();
      }
    },
  };
}

describe.runIf(isRedisInstalled())('Redis', () => {
  let server: RedisServer;
  let cluster: RedisCluster;
  beforeAll(async () => {
    [server, cluster] = await Promise.all([startRedis(), startCluster()]);
  });
  afterAll(async () => {
    await Promise.all([server.stop(), cluster.stop()]);
  });

  counterConformance('Redis, by records', () => onRedis({ url: server.url }, false), 10);
  counterConformance('Redis, by its own counters', () => onRedis({ url: server.url }, true), 20);
  counterConformance('a Redis cluster, by records', () => onRedis({ cluster: cluster.urls }, false), 8);
  counterConformance(
    'a Redis cluster, by its own counters',
    () => onRedis({ cluster: cluster.urls }, true),
    15,
  );

  test.each([
    ['one server', () => ({ url: server.url })],
    ['a cluster', () => ({ cluster: cluster.urls })],
  ])('an attempt takes one round trip to %s, cold or warm, counted or blocked', async (_, options) => {
    const driver = new CountingDriver(settingsOf(options()).driver);
    const counters = new DrivenRedisCounters(driver, deadlineMs);
    await counters.ready();
    const store = createMemoryStore();
    const backoff = createLoginBackoff({ store, counters, secret, failure: { deadlineMs: null } });
    // Every node knows the script after this.
    for (let warm = 0; warm < 40; warm += 1) await backoff.attempt({ identifiers: [`w${warm}`], ip: null });
    for (let attempt = 0; attempt < 12; attempt += 1) {
      driver.restart();
      await backoff.attempt({ identifiers: ['round@example.com'], ip: '192.0.2.1' });
      expect([driver.rounds, driver.commands]).toEqual([1, 2]);
    }
    await counters.close();
  });

  test('plain keys are what an existing deployment has, and both count together', async () => {
    const place = await onRedis({ url: server.url }, true);
    const [node] = place.nodes;
    const backoff = createLoginBackoff({ store: createMemoryStore(), secret, keys: 'plain', ...node });
    const login = { identifiers: ['carol@example.com'], ip: '192.0.2.7' };
    await backoff.attempt(login);
    await backoff.attempt(login);
    const keys = ['login_backoff:id:carol@example.com', 'login_backoff:ip:192.0.2.7'] as const;
    expect(await server.cli('MGET', ...keys)).toBe('2\n2');
    expect(await server.cli('TYPE', keys[0])).toBe('string');
    const ttl = Number(await server.cli('TTL', keys[0]));
    expect(ttl).toBeGreaterThan(60);
    expect(ttl).toBeLessThanOrEqual(120);
    await server.cli('INCR', keys[0]);
    await server.cli('INCR', keys[1]);
    expect(await backoff.attempt(login)).toMatchObject({ identifierAttempts: 4, ipAttempts: 4 });
    await server.cli('DEL', ...keys);
    expect(await backoff.attempt(login)).toMatchObject({ identifierAttempts: 1, ipAttempts: 1 });
    await place.close();
  });

  test('a counter that was left without an end gets one', async () => {
    const place = await onRedis({ url: server.url }, true);
    const backoff = createLoginBackoff({
      store: createMemoryStore(),
      secret,
      keys: 'plain',
      ...place.nodes[0],
    });
    await server.cli('SET', 'login_backoff:id:dave@example.com', '50');
    const verdict = await backoff.attempt({ identifiers: ['dave@example.com'], ip: null });
    expect(verdict).toMatchObject({ allowed: false, retryAfterSeconds: 120 });
    expect(Number(await server.cli('TTL', 'login_backoff:id:dave@example.com'))).toBeGreaterThan(60);
    await place.close();
  });

  test('hashed keys hold no identifier', async () => {
    const place = await onRedis({ url: server.url }, true);
    const backoff = createLoginBackoff({ store: createMemoryStore(), secret, ...place.nodes[0] });
    await backoff.attempt({ identifiers: ['erin.secret@example.com'], ip: '198.51.100.77' });
    const all = await server.cli('KEYS', '*');
    expect(all).not.toMatch(/erin\.secret|198\.51\.100\.77/);
    await place.close();
  });
});

describe.runIf(postgresPrograms() !== null)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  counterConformance(
    'PostgreSQL',
    async () => {
      const stores = [0, 1].map(() =>
        createPostgresStore({ connectionString: server.connectionString, deadlineMs }),
      );
      for (const store of stores) await store.ready();
      return {
        nodes: stores.map((store) => ({ store })),
        async close() {
          for (const store of stores) await store.close();
        },
      };
    },
    10,
  );
});
