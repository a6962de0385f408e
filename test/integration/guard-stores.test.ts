import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { createLmdbStore } from '../../src/stores/lmdb/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { createPostgresStore } from '../../src/stores/postgres/index.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import { guardConformance } from '../conformance/guard-conformance.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';
import { type RedisCluster, startCluster } from '../servers/redis-cluster.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';

/** These tests are about answers, not about time: the machine may be busy. */
const deadlineMs = 10_000;

guardConformance(
  'memory',
  async () => {
    const store = createMemoryStore();
    return { store, close: () => store.close() };
  },
  { traces: 10, events: 500 },
);

guardConformance(
  'the embedded store',
  async () => {
    const path = mkdtempSync(join(tmpdir(), 'portcullis-guard-'));
    const store = createLmdbStore({ path, deadlineMs });
    const close = async () => {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    };
    return { store, close };
  },
  { traces: 50, events: 600 },
);

describe.runIf(isRedisInstalled())('Redis', () => {
  let server: RedisServer;
  let cluster: RedisCluster;
  beforeAll(async () => {
    [server, cluster] = await Promise.all([startRedis(), startCluster()]);
  });
  afterAll(async () => {
    await Promise.all([server.stop(), cluster.stop()]);
  });

  guardConformance(
    'Redis',
    async () => {
      const store = createRedisStore({ url: server.url, deadlineMs });
      return { store, close: () => store.close() };
    },
    { traces: 60, events: 600 },
  );
  guardConformance(
    'a Redis cluster',
    async () => {
      const store = createRedisStore({ cluster: cluster.urls, deadlineMs });
      return { store, close: () => store.close() };
    },
    { traces: 30, events: 600 },
  );
});

describe.runIf(postgresPrograms() !== null)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  guardConformance(
    'PostgreSQL',
    async () => {
      const store = createPostgresStore({ connectionString: server.connectionString, deadlineMs });
      await store.ready();
      return { store, close: () => store.close() };
    },
    { traces: 30, events: 600 },
  );
});
