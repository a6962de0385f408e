import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Key, StoredRecord } from '../src/core/records.ts';
import { createLmdbStore } from '../src/stores/lmdb/index.ts';
import { createPostgresStore } from '../src/stores/postgres/index.ts';
import type { Store } from '../src/stores/store.ts';
import { type PostgresServer, startPostgres } from '../test/servers/postgres-server.ts';
import type { Report } from './runner.ts';

/** As a failed login has it: four records of one group, of the size they have after a few failures. */
interface Failures extends StoredRecord {
  readonly count: number;
  readonly times: readonly number[];
  readonly seen: readonly (readonly [string, number])[];
}

const groups = 2_000;
const records = 4;
const rounds = 5;
const roundMs = 700;
const kept = { keepMs: 72 * 3_600_000, softMs: 0, hardMs: 0 };
/** Nothing is traded for speed: an answer means that it is on the disk. */
const durable = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '128MB',
  autovacuum: 'on',
};
/** The deadline is not what is measured. */
const deadlineMs = 10_000;
const hash = 'h7Jk2mQ9xW4vB8nT3cR6yL1pZ5sD0fGaEuIoKqXwYtN';

type Call = (group: number) => Promise<unknown>;

function keysOf(group: number): Key<Failures>[] {
  const tag = `${hash.slice(5)}${group}`;
  return Array.from({ length: records }, (_, index) => ({
    text: `portcullis:bench:login:1:K${index}:{${tag}}`,
    was: null,
  }));
}

function stepOn(store: Store): Call {
  return (group) => {
    const keys = keysOf(group);
    return store.transact(keys, (found, now) => {
      for (const key of keys) {
        const before = found.get(key);
        const times = [...(before?.times ?? []), now].slice(-9);
        const seen = [[`${hash}${group}`, now] as const, ...(before?.seen ?? [])].slice(0, 3);
        found.put(key, { at: now, count: (before?.count ?? 0) + 1, times, seen }, kept);
      }
    });
  };
}

function lookAt(store: Store): Call {
  return (group) => {
    const keys = keysOf(group);
    return store.view(keys, (found) => keys.map((key) => found.get(key)?.count));
  };
}

function limitersOf(make: (keyPrefix: string) => RateLimiterAbstract): { step: Call; look: Call } {
  const limiters = Array.from({ length: records }, (_, index) => make(`bench${index}`));
  const name = (group: number): string => `${hash}${group}`;
  return {
    step: (group) => Promise.all(limiters.map((limiter) => limiter.consume(name(group)))),
    look: (group) => Promise.all(limiters.map((limiter) => limiter.get(name(group)))),
  };
}

/** What one round has shown. */
interface Sample {
  readonly perSecond: number;
  /** What PostgreSQL used of the processors for one operation, in microseconds. */
  readonly serverMicros: number;
}

/** As many operations as go, so many at once. */
async function measure(server: PostgresServer, call: Call, width: number): Promise<Sample> {
  const cpuMs = server.cpuMs();
  let done = 0;
  let group = 0;
  const startedMs = performance.now();
  const lane = async (): Promise<void> => {
    while (performance.now() - startedMs < roundMs) {
      group = (group + 7) % groups;
      await call(group);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  const perSecond = (done * 1_000) / (performance.now() - startedMs);
  return { perSecond, serverMicros: ((server.cpuMs() - cpuMs) * 1_000) / done };
}

/** The middle of several rounds each. The rounds take turns, so that all see the same machine. */
async function medians<K extends string>(
  server: PostgresServer,
  calls: Record<K, Call>,
  width: number,
): Promise<Record<K, Sample>> {
  const samples = Object.fromEntries(Object.keys(calls).map((name) => [name, [] as Sample[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, call] of Object.entries<Call>(calls)) {
      const sample = await measure(server, call, width);
      // The first round warms up.
      if (round > 0) samples[name]?.push(sample);
    }
  }
  const middles = Object.entries(samples).map(([name, all]) => [
    name,
    {
      perSecond: middle(all.map(({ perSecond }) => perSecond)),
      serverMicros: middle(all.map(({ serverMicros }) => serverMicros)),
    },
  ]);
  return Object.fromEntries(middles) as Record<K, Sample>;
}

function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

const peer = 'rate-limiter-flexible 11, Postgres ×4';
const memoryPeer = 'rate-limiter-flexible 11, memory ×4';

/** Steps and looks over four records, embedded and in PostgreSQL, beside four limiters of rate-limiter-flexible. */
export async function run(report: Report): Promise<void> {
  const server = await startPostgres(durable);
  const path = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  const embedded = createLmdbStore({ path, deadlineMs });
  const postgres = createPostgresStore({ connectionString: server.connectionString, deadlineMs });
  const pool = new Pool({ connectionString: server.connectionString, max: 8 });
  await Promise.all([embedded.ready(), postgres.ready()]);
  const limits = { points: 1_000_000, duration: 3_600 } as const;
  const inPostgres = await postgresLimiters(pool, limits);
  const inMemory = limitersOf((keyPrefix) => new RateLimiterMemory({ ...limits, keyPrefix }));

  const loads: Record<string, Record<'embedded' | 'postgres' | 'peer' | 'memory', Call>> = {
    transact: {
      embedded: stepOn(embedded),
      postgres: stepOn(postgres),
      peer: inPostgres.step,
      memory: inMemory.step,
    },
    view: {
      embedded: lookAt(embedded),
      postgres: lookAt(postgres),
      peer: inPostgres.look,
      memory: inMemory.look,
    },
  };
  for (const width of [1, 64]) {
    for (const [what, calls] of Object.entries(loads)) {
      const load = `${what}, ${width === 1 ? 'alone' : `${width} at once`}`;
      const numbers = await medians(server, calls, width);
      const compare = (store: 'embedded' | 'postgres', name: string, other: Sample): void =>
        report({
          metric: `${load}, ${store} (ops/s)`,
          ours: numbers[store].perSecond,
          peer: name,
          peerValue: other.perSecond,
        });
      compare('embedded', peer, numbers.peer);
      compare('embedded', memoryPeer, numbers.memory);
      compare('postgres', peer, numbers.peer);
      report({
        metric: `${load}, postgres (server µs)`,
        ours: numbers.postgres.serverMicros,
        peer,
        peerValue: numbers.peer.serverMicros,
        better: 'lower',
      });
    }
  }
  await Promise.all([embedded.close(), postgres.close(), pool.end()]);
  await server.stop();
  rmSync(path, { recursive: true, force: true });
}

/** Their tables are made in the background, which has to be waited for. */
async function postgresLimiters(
  pool: Pool,
  limits: { readonly points: number; readonly duration: number },
): Promise<{ step: Call; look: Call }> {
  const options = { ...limits, storeClient: pool, tableName: 'limits' };
  // One makes the table first: four at once run into each other.
  await new Promise<void>((resolve, reject) => {
    new RateLimiterPostgres(options, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  return limitersOf((keyPrefix) => new RateLimiterPostgres({ ...options, keyPrefix, tableCreated: true }));
}
