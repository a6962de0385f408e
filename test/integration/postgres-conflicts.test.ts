import { Client, Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import {
  createPostgresStore,
  type PostgresPool,
  type PostgresStore,
} from '../../src/stores/postgres/index.ts';
import { addOne, type Count, collect, group, kept, rejection, times } from '../conformance/under-test.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';
import { until } from '../servers/redis-server.ts';

const deadlineMs = 10_000;

/** Counts what leaves for the server and notes how it was refused. */
function counting(pool: Pool): PostgresPool & { queries: number; refusals: unknown[] } {
  const counted = {
    queries: 0,
    refusals: [] as unknown[],
    async connect() {
      const client = await pool.connect();
      const query = client.query.bind(client);
      return {
        query: (statement: Parameters<typeof query>[0] & { text: string; rowMode: 'array' }) => {
          counted.queries += 1;
          return query(statement).catch((error: unknown) => {
            if (error instanceof Error && 'code' in error) counted.refusals.push(error.code);
            throw error;
          });
        },
        on: (event: 'error', listener: (error: Error) => void) => client.on(event, listener),
        off: (event: 'error', listener: (error: Error) => void) => client.off(event, listener),
        release: (error?: Error) => client.release(error),
      };
    },
  };
  return counted;
}

describe.runIf(postgresPrograms() !== null)('PostgreSQL store among others', () => {
  let server: PostgresServer;
  let store: PostgresStore;
  let outsider: Client;

  beforeAll(async () => {
    server = await startPostgres({ deadlock_timeout: '2s' });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    store = createPostgresStore({ connectionString: server.connectionString, deadlineMs });
    await store.ready();
    outsider = new Client(server.connectionString);
    await outsider.connect();
  });
  afterEach(async () => {
    await outsider.end();
    await store.close();
  });

  /** The key after a rotation of the secret. */
  const renamed = (former: Key<Count>): Key<Count> => ({ text: group().key.text, was: former.text });
  const tagOf = (key: Key): string => key.text.replace(/^.*\{(.*)\}.*$/, '$1');
  /** Whether one of the store's connections waits for a lock, now: a transaction goes on seeing what it saw of others first. */
  const isWaiting = async (): Promise<boolean> => {
    await outsider.query('SELECT pg_stat_clear_snapshot()');
    const { rowCount } = await outsider.query(
      `SELECT 1 FROM pg_stat_activity WHERE application_name = 'portcullis' AND wait_event_type = 'Lock'`,
    );
    return rowCount !== 0;
  };
  test('a deadlock with somebody who goes by no lock is tried again and loses nothing', async () => {
    const { key, sibling } = group();
    const pool = new Pool({ connectionString: server.connectionString, application_name: 'portcullis' });
    const counted = counting(pool);
    const careful = createPostgresStore({ pool: counted, deadlineMs });
    const addToBoth = (): Promise<number[]> =>
      careful.transact([key, sibling], (records, now) =>
        [key, sibling].map((one) => addOne(one)(records, now)),
      );
    expect(await addToBoth()).toEqual([1, 1]);
    await outsider.query(`SET deadlock_timeout = '60s'; BEGIN`);
    const touch = `UPDATE portcullis.records SET expires_at = expires_at WHERE key = $1`;
    await outsider.query(touch, [sibling.text]);
    const moving = addToBoth();
    await until(isWaiting);
    // Now each waits for the other, and only the store's connection looks for deadlocks soon.
    await outsider.query(touch, [key.text]);
    await outsider.query('COMMIT');
    expect(await moving).toEqual([2, 2]);
    expect(new Set(counted.refusals)).toEqual(new Set(['40P01']));
    await careful.close();
    await pool.end();
  });

  test('a group that somebody keeps locked ends its calls at the deadline and leaves nothing behind', async () => {
    const { key } = group();
    const hasty = createPostgresStore({ connectionString: server.connectionString, deadlineMs: 1_000 });
    await hasty.ready();
    await outsider.query('BEGIN');
    await outsider.query('SELECT pg_advisory_xact_lock(portcullis.group_lock($1))', [tagOf(key)]);
    const { key: other } = group();
    const [stuck, free] = await Promise.allSettled([
      hasty.transact([key], addOne(key)),
      hasty.transact([other], addOne(other)),
    ]);
    expect(stuck).toMatchObject({ status: 'rejected', reason: { code: 'STORE_TIMEOUT' } });
    expect(free).toEqual({ status: 'fulfilled', value: 1 });
    await until(async () => !(await isWaiting()));
    await outsider.query('COMMIT');
    expect(await store.view([key], (records) => records.get(key))).toBeUndefined();
    expect(await store.transact([key], addOne(key))).toBe(1);
    await hasty.close();
  });

  test('a process that stalls between lock and commit loses the lock, and its step writes nothing', async () => {
    const { key } = group();
    const stalling = createPostgresStore({ connectionString: server.connectionString, deadlineMs: 1_000 });
    await stalling.ready();
    // A lock that is taken makes the store wait for it in a transaction, in which its step then stalls.
    await outsider.query('BEGIN');
    await outsider.query('SELECT pg_advisory_xact_lock(portcullis.group_lock($1))', [tagOf(key)]);
    let runs = 0;
    const stalled = stalling.transact([key], (records, now) => {
      runs += 1;
      if (runs > 1) stall(2_500);
      return addOne(key)(records, now);
    });
    const outcome = rejection(stalled);
    await until(isWaiting);
    await outsider.query('COMMIT');
    expect(await outcome).toMatchObject({ code: 'STORE_TIMEOUT' });
    expect(runs).toBe(2);
    expect(await store.transact([key], addOne(key))).toBe(1);
    await stalling.close();
  });

  test('needs one round trip for a view, two for a step, one for a step after a view', async () => {
    const pool = new Pool({ connectionString: server.connectionString });
    const counted = counting(pool);
    const observed = createPostgresStore({ pool: counted, deadlineMs, sweepEveryWrites: 0 });
    await observed.ready();
    const queriesOf = async (call: () => Promise<unknown>): Promise<number> => {
      const before = counted.queries;
      await call();
      return counted.queries - before;
    };
    const groups = times(5, () => group());
    const keys = groups.flatMap(({ key, sibling }) => [key, sibling]);
    const stepAll = () => Promise.all(groups.map(({ key }) => observed.transact([key], addOne(key))));
    expect(await queriesOf(() => observed.view(keys, () => 0))).toBe(1);
    expect(await queriesOf(stepAll)).toBe(1);
    const { key } = group();
    expect(await queriesOf(() => observed.transact([key], addOne(key)))).toBe(2);
    expect(await queriesOf(() => Promise.all(times(100, () => observed.transact([key], addOne(key)))))).toBe(
      1,
    );
    expect(await queriesOf(() => Promise.all(times(100, () => observed.view([key], () => 0))))).toBe(1);
    const { key: cold } = group();
    expect(await queriesOf(() => observed.transact([cold], (records) => records.get(cold)))).toBe(1);
    await observed.close();
    await pool.end();
  });

  test('a step on records that another process has changed meanwhile runs on what is there now', async () => {
    const { key, sibling } = group();
    await store.view([key, sibling], () => 0);
    const other = createPostgresStore({ connectionString: server.connectionString, deadlineMs });
    await other.transact([sibling], (records, now) => records.put(sibling, { at: now, count: 7 }, kept));
    const seen = await store.transact([key, sibling], (records, now) => {
      records.put(key, { at: now, count: 1 }, kept);
      return records.get(sibling)?.count;
    });
    expect(seen).toBe(7);
    await other.transact([sibling], addOne(sibling));
    expect((await store.transact([sibling], (records) => records.get(sibling)))?.count).toBe(8);
    await other.close();
  });

  test('a record under its new name is written whatever others do under the old one', async () => {
    const { key: former } = group();
    const key = renamed(former);
    const pool = new Pool({ connectionString: server.connectionString });
    const counted = counting(pool);
    const restarted = createPostgresStore({ pool: counted, deadlineMs, sweepEveryWrites: 0 });
    await store.transact([former], addOne(former));
    expect(await restarted.transact([key], addOne(key))).toBe(2);
    await store.transact([former], addOne(former));
    const before = counted.queries;
    expect(await restarted.transact([key], addOne(key))).toBe(3);
    // A commit, and a reading before it if this took long; a commit that is refused would be followed by two more.
    expect(counted.queries - before).toBeLessThanOrEqual(2);
    await restarted.close();
    await pool.end();
  });

  test('a record that is carried over to its new name is the newest under the old one', async () => {
    const { key: former } = group();
    const key = renamed(former);
    const restarted = createPostgresStore({ connectionString: server.connectionString, deadlineMs });
    await store.transact([former], addOne(former));
    await restarted.view([key], () => 0);
    await store.transact([former], addOne(former));
    expect(await restarted.transact([key], addOne(key))).toBe(3);
    await restarted.close();
  });

  test('a record that is not one fails its calls with RECORD_CORRUPT and no others', async () => {
    const { key, sibling, text } = group();
    await store.transact([key, sibling], (records, now) =>
      [key, sibling].map((one) => addOne(one)(records, now)),
    );
    for (const value of ['{"at":1', '[1]', '{"count":1}', 'null', '{"at":1.5}']) {
      await outsider.query('UPDATE portcullis.records SET value = $2, version = version + 1 WHERE key = $1', [
        key.text,
        value,
      ]);
      const fresh = createPostgresStore({ connectionString: server.connectionString, deadlineMs });
      const [viewed, stepped, untouched] = await Promise.allSettled([
        fresh.view([key], (records) => records.get(key)),
        fresh.transact([key], addOne(key)),
        fresh.view([key, sibling], (records) => records.get(sibling)?.count),
      ]);
      expect(viewed).toMatchObject({ reason: { code: 'RECORD_CORRUPT' } });
      expect(stepped).toMatchObject({ reason: { code: 'RECORD_CORRUPT' } });
      expect(untouched).toEqual({ status: 'fulfilled', value: 1 });
      await fresh.close();
    }
    const fresh = createPostgresStore({ connectionString: server.connectionString, deadlineMs });
    const blocked = { ...kept, hardMs: 60_000 };
    await fresh.transact([sibling], (records, now) => records.put(sibling, { at: now, count: 1 }, blocked));
    await outsider.query('UPDATE portcullis.records SET held_until = expires_at WHERE key = $1', [key.text]);
    expect((await collect(fresh.held(text))).map((record) => record.key)).toEqual([sibling.text]);
    expect(await fresh.setAside?.([key, sibling])).toBe(1);
    const aside = await outsider.query('SELECT value FROM portcullis.records WHERE key = $1', [
      `portcullis-quarantine:${key.text}`,
    ]);
    expect(aside.rows).toEqual([{ value: '{"at":1.5}' }]);
    expect(await fresh.transact([key], addOne(key))).toBe(1);
    expect(await fresh.setAside?.([key, sibling])).toBe(0);
    await fresh.close();
  });

  test.each([
    ['default_transaction_isolation=serializable', 'STORE_FAILED'],
    ['default_transaction_isolation=repeatable\\ read', 'STORE_FAILED'],
    ['default_transaction_read_only=on', 'STORE_FAILED'],
  ])('a given pool with %s is refused', async (options, code) => {
    const pool = new Pool({ connectionString: server.connectionString, options: `-c ${options}` });
    const odd = createPostgresStore({ pool, deadlineMs });
    const { key } = group();
    await odd.view([key], () => 0);
    expect(await rejection(odd.transact([key], addOne(key)))).toMatchObject({ code });
    expect(await rejection(odd.ping())).toMatchObject({ code });
    expect(await store.view([key], (records) => records.get(key))).toBeUndefined();
    await odd.close();
    await pool.end();
  });

  test('a server that takes no writes fails the ping', async () => {
    const pool = new Pool({
      connectionString: server.connectionString,
      options: '-c default_transaction_read_only=on',
    });
    const readOnly = createPostgresStore({ pool, deadlineMs });
    expect(await rejection(readOnly.ping())).toMatchObject({ code: 'STORE_FAILED' });
    await readOnly.close();
    await pool.end();
  });
});

/** Keeps this process from doing anything. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
