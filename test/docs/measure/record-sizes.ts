import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { createGuard, type Store } from '../../../src/index.ts';
import { createLimiter } from '../../../src/limits/index.ts';
import { createLmdbStore } from '../../../src/stores/lmdb/index.ts';
import { createMemoryStore } from '../../../src/stores/memory/index.ts';
import { createPostgresStore } from '../../../src/stores/postgres/index.ts';
import { createRedisStore } from '../../../src/stores/redis/index.ts';
import { postgresPrograms, startPostgres } from '../../servers/postgres-server.ts';
import { isRedisInstalled, startRedis } from '../../servers/redis-server.ts';

/** A store and what it takes up now, in bytes. */
interface Measured {
  readonly store: Store;
  bytes(): Promise<number>;
  end(): Promise<void>;
}

const secret = 'a secret for measurements';
const deadlineMs = 10_000;
const wave = 64;

/** What a subject may do that leaves records; each call is another subject. */
const subjects: Readonly<Record<string, (store: Store) => (index: number) => Promise<unknown>>> = {
  'a failed login: account, network, agent and device never seen': (store) => {
    const guard = createGuard({ secret, store, failure: { deadlineMs } });
    return (index) => guard.fail(loginOf(index));
  },
  'a sign-in from a device of its own': (store) => {
    const guard = createGuard({ secret, store, failure: { deadlineMs } });
    return (index) => guard.succeed(loginOf(index));
  },
  'a gateway caller that is signed in': (store) => {
    const limiter = createLimiter({ secret, store, warn: () => {} });
    return (index) => limiter.take({ method: 'GET', path: '/list', ip: '192.0.2.1', user: `user-${index}` });
  },
  'an anonymous gateway caller': (store) => {
    const limiter = createLimiter({ secret, store, warn: () => {} });
    return (index) => limiter.take({ method: 'GET', path: '/list', ip: addressOf(index), ua });
  },
};

const ua = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';
const addressOf = (index: number) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
const loginOf = (index: number) => ({
  action: 'auth.login',
  account: `account-${index}`,
  ip: addressOf(index),
  ua,
  device: { id: `device-${index}`, confidence: 'MEDIUM' as const },
});

const openers: Readonly<Record<string, () => Promise<Measured> | null>> = {
  memory: async () => {
    const store = createMemoryStore({ maxRecords: 1_000_000 });
    return { store, bytes: async () => heapBytes(), end: () => store.close() };
  },
  LMDB: async () => {
    const path = mkdtempSync(join(tmpdir(), 'portcullis-sizes-'));
    const store = createLmdbStore({ path, deadlineMs });
    await store.ready();
    return {
      store,
      bytes: async () => (await store.usage()).bytes,
      end: async () => {
        await store.close();
        rmSync(path, { recursive: true, force: true });
      },
    };
  },
  PostgreSQL: () => (postgresPrograms() === null ? null : openPostgres()),
  Redis: () => (isRedisInstalled() ? openRedis() : null),
};

async function openPostgres(): Promise<Measured> {
  const server = await startPostgres();
  const { connectionString } = server;
  const store = createPostgresStore({ connectionString, deadlineMs });
  await store.ready();
  const client = new pg.Client({ connectionString });
  await client.connect();
  return {
    store,
    bytes: async () => {
      const { rows } = await client.query("SELECT pg_total_relation_size('portcullis.records') AS bytes");
      return Number(rows[0].bytes);
    },
    end: async () => {
      await client.end();
      await store.close();
      await server.stop();
    },
  };
}

async function openRedis(): Promise<Measured> {
  const server = await startRedis();
  const store = createRedisStore({ url: server.url, deadlineMs });
  await store.ready();
  return {
    store,
    bytes: async () => Number(/used_memory:(\d+)/.exec(await server.cli('INFO', 'memory'))?.[1]),
    end: async () => {
      await store.close();
      await server.stop();
    },
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Bytes per subject, by what it did and by store; null where a store's server is not installed. */
export async function measureRecordSizes(
  count: number,
): Promise<readonly { subject: string; sizes: Readonly<Record<string, number | null>> }[]> {
  const results = [];
  for (const [subject, prepare] of Object.entries(subjects)) {
    const sizes: Record<string, number | null> = {};
    for (const [name, open] of Object.entries(openers)) {
      const opened = await open();
      sizes[name] = opened === null ? null : await bytesEach(opened, prepare(opened.store), count);
    }
    results.push({ subject, sizes });
  }
  return results;
}

/** Half of the subjects come before the first look, so that what a store keeps once for all is not counted. */
async function bytesEach(
  { bytes, end }: Measured,
  act: (index: number) => Promise<unknown>,
  count: number,
): Promise<number> {
  await inWaves(act, 0, count);
  const before = await bytes();
  await inWaves(act, count, 2 * count);
  const after = await bytes();
  await end();
  return Math.round((after - before) / count);
}

async function inWaves(act: (index: number) => Promise<unknown>, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += wave) {
    await Promise.all(Array.from({ length: Math.min(wave, to - index) }, (_, offset) => act(index + offset)));
  }
}
