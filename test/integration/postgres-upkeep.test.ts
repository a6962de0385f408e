import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createPostgresStore, type PostgresStoreOptions } from '../../src/stores/postgres/index.ts';
import { inlined } from '../../src/stores/postgres/inlined.ts';
import { addOne, type Count, collect, group, kept, rejection, times } from '../conformance/under-test.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';

const deadlineMs = 10_000;
const hourMs = 3_600_000;

describe.runIf(postgresPrograms() !== null)('PostgreSQL store and its tables', () => {
  let server: PostgresServer;
  let admin: Client;

  beforeAll(async () => {
    server = await startPostgres();
    admin = new Client(server.connectionString);
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  const open = (options: PostgresStoreOptions) =>
    createPostgresStore({ connectionString: server.connectionString, deadlineMs, ...options });
  const numberOf = async (sql: string): Promise<number> => {
    const { rows } = await admin.query({ text: sql, rowMode: 'array' });
    return Number(rows[0]?.[0]);
  };

  test('are made once, however many processes start together', async () => {
    const stores = times(8, () => open({ schema: 'made_once' }));
    await Promise.all(stores.map((store) => store.ready()));
    expect(await numberOf('SELECT count(*) FROM made_once.migrations')).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('are made again once somebody has dropped them', async () => {
    const schema = 'dropped';
    // A sweep would find out first.
    const store = open({ schema, sweepEveryWrites: 0 });
    const { key } = group();
    expect(await store.transact([key], addOne(key))).toBe(1);
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    expect(await rejection(store.ping())).toMatchObject({ code: 'STORE_FAILED' });
    await store.ping();
    expect(await store.transact([key], addOne(key))).toBe(1);
    await store.close();
  });

  test('are made again where only that of the records was dropped', async () => {
    const schema = 'beheaded';
    const { key } = group();
    const first = open({ schema, sweepEveryWrites: 0 });
    await first.ping();
    await admin.query(`DROP TABLE ${schema}.records`);
    const second = open({ schema });
    expect(await second.transact([key], addOne(key))).toBe(1);
    expect(await first.transact([key], addOne(key))).toBe(2);
    expect(await numberOf(`SELECT count(*) FROM ${schema}.migrations`)).toBe(1);
    await Promise.all([first.close(), second.close()]);
  });

  test('keep their records where only that of the migrations was dropped, and can be made by a script that runs twice', async () => {
    const schema = 'forgetful';
    const { key } = group();
    const first = open({ schema });
    expect(await first.transact([key], addOne(key))).toBe(1);
    await admin.query(`DROP TABLE ${schema}.migrations`);
    const second = open({ schema });
    await second.ready();
    expect(await second.transact([key], addOne(key))).toBe(2);
    expect(await first.transact([key], addOne(key))).toBe(3);
    expect(await numberOf(`SELECT count(*) FROM ${schema}.migrations`)).toBe(1);
    expect(await numberOf(`SELECT count(*) FROM pg_indexes WHERE schemaname = '${schema}'`)).toBe(4);
    await Promise.all([first.close(), second.close()]);
  });

  test('are not those of somebody else that have the same name', async () => {
    await admin.query('CREATE SCHEMA taken; CREATE TABLE taken.records (id serial PRIMARY KEY)');
    const store = open({ schema: 'taken' });
    expect(await rejection(store.ready())).toMatchObject({
      code: 'STORE_FAILED',
      cause: { message: 'column "sweep_hour" does not exist' },
    });
    await store.close();
    expect(await numberOf(`SELECT count(*) FROM pg_tables WHERE schemaname = 'taken'`)).toBe(1);
  });

  test('keep every character, in databases too that have none of their own for it', async () => {
    await admin.query(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const store = open({ connectionString: server.connectionString.replace(/\/\w+$/, '/latin') });
    const { key } = group();
    const at = 1;
    const words = 'geprüft 審査 \u{1f512} \ud800 "\\"';
    await store.transact([key], (records) => records.put(key, { at, count: 1, words } as Count, kept));
    expect(await store.view([key], (records) => records.get(key))).toEqual({ at, count: 1, words });
    await store.close();
  });

  test('hold a bounded number of rows that prove the store alive', async () => {
    const schema = 'pinged';
    const store = open({ schema });
    for (const _ of times(5, () => 0)) await store.ping();
    expect(await numberOf(`SELECT count(*) FROM ${schema}.records WHERE key ~ '^portcullis-ping:'`)).toBe(1);
    await store.close();
  });

  test('serve a role that may not make any, once they are there', async () => {
    const owner = open({ schema: 'ready_made' });
    await owner.ready();
    await owner.close();
    await admin.query(`
      CREATE ROLE clerk LOGIN;
      GRANT USAGE ON SCHEMA ready_made TO clerk;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ready_made TO clerk`);
    const connectionString = server.connectionString.replace('portcullis@', 'clerk@');
    const store = createPostgresStore({ connectionString, schema: 'ready_made', deadlineMs });
    const { key } = group();
    expect(await store.transact([key], addOne(key))).toBe(1);
    await store.close();
    const other = createPostgresStore({ connectionString, schema: 'not_made', deadlineMs });
    await expect(other.ready()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await other.close();
  });

  test('can be made by hand, as the document says', async () => {
    const [, line = ''] =
      /```sh\n(psql .*)\n```/.exec(readFileSync('docs/operating/postgresql.md', 'utf8')) ?? [];
    const command = line
      .replace('psql', `"${join(postgresPrograms() ?? '', 'psql')}" -q -v ON_ERROR_STOP=1 -d "$SERVER"`)
      .replaceAll('portcullis', 'by_hand');
    const env = { ...process.env, SERVER: server.connectionString };
    execFileSync('sh', ['-c', command], { env, cwd: 'src/stores/postgres/migrations' });
    await admin.query(`
      CREATE ROLE reader LOGIN;
      GRANT USAGE ON SCHEMA by_hand TO reader;
      GRANT SELECT, INSERT, UPDATE, DELETE ON by_hand.records TO reader;
      GRANT SELECT ON by_hand.migrations TO reader`);
    const connectionString = server.connectionString.replace('portcullis@', 'reader@');
    for (const options of [{ connectionString }, { connectionString: server.connectionString }]) {
      const store = createPostgresStore({ ...options, schema: 'by_hand', deadlineMs });
      const { key } = group();
      expect(await store.transact([key], addOne(key))).toBe(1);
      await store.close();
    }
  });

  test('lose expired records a bounded number at a time, as others are written', async () => {
    const schema = 'swept';
    const store = open({ schema, sweepEveryWrites: 10, maxSweptRecords: 100 });
    await store.ready();
    await admin.query(
      `INSERT INTO ${schema}.records (key, version, value, expires_at, held_until)
         SELECT 'old-' || i, 1, '{"at":1}', ${schema}.now_ms() - 2 * ${hourMs}, 0 FROM generate_series(1, 1000) i`,
    );
    const { key } = group();
    let before = await numberOf(`SELECT count(*) FROM ${schema}.records`);
    let rounds = 0;
    while (before > 1) {
      for (const _ of times(10, () => 0)) await store.transact([key], addOne(key));
      const left = await numberOf(`SELECT count(*) FROM ${schema}.records`);
      expect(before - left).toBeLessThanOrEqual(200);
      before = left;
      rounds += 1;
      expect(rounds).toBeLessThan(1_000);
    }
    expect(rounds).toBeGreaterThanOrEqual(5);
    expect((await store.view([key], (records) => records.get(key)))?.count).toBe(10 * rounds);
    await store.close();
  });

  test('lose expired records also by processes that write once and end', async () => {
    const schema = 'brief';
    const store = open({ schema });
    await store.ready();
    await admin.query(
      `INSERT INTO ${schema}.records (key, version, value, expires_at, held_until) VALUES ('old', 1, '{"at":1}', 1, 0)`,
    );
    const { key } = group();
    await store.transact([key], addOne(key));
    await store.close();
    expect(await numberOf(`SELECT count(*) FROM ${schema}.records`)).toBe(1);
  });

  test('are served on after a sweep that failed', async () => {
    const schema = 'stuck';
    const faults: string[] = [];
    const store = open({ schema, sweepEveryWrites: 1, onFault: ({ code }) => faults.push(code) });
    await store.ready();
    await admin.query(`
      INSERT INTO ${schema}.records (key, version, value, expires_at, held_until) VALUES ('old', 1, '{"at":1}', 1, 0);
      CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no'; END$$;
      CREATE TRIGGER refuse BEFORE DELETE ON ${schema}.records FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse()`);
    const { key } = group();
    for (let count = 1; faults.length < 3; count += 1) {
      expect(await store.transact([key], addOne(key))).toBe(count);
      expect(count).toBeLessThan(10_000);
    }
    await store.ping();
    expect(new Set(faults)).toEqual(new Set(['STORE_FAILED']));
    await store.close();
  });

  test('never lose by the sweep what has not expired', async () => {
    const schema = 'kept';
    const store = open({ schema, sweepEveryWrites: 1, maxSweptRecords: 1_000 });
    const keys = times(50, () => group().key);
    await Promise.all(keys.map((key) => store.transact([key], addOne(key))));
    await Promise.all(keys.map((key) => store.transact([key], addOne(key))));
    const counts = await store.view(keys, (records) => keys.map((key) => records.get(key)?.count));
    expect(counts).toEqual(keys.map(() => 2));
    await store.close();
  });

  test('list blocks by an index and page through them', async () => {
    const schema = 'listed';
    const store = open({ schema });
    await store.ready();
    await admin.query(
      `INSERT INTO ${schema}.records (key, version, value, expires_at, held_until)
         SELECT CASE WHEN i % 2 = 0 THEN 'even-' ELSE 'odd-' END || i, 1, '{"at":1}', ${schema}.now_ms() + ${hourMs},
                CASE WHEN i % 3 = 0 THEN ${schema}.now_ms() + ${hourMs} WHEN i % 3 = 1 THEN 1 ELSE 0 END
           FROM generate_series(1, 6000) i;
       ANALYZE ${schema}.records`,
    );
    const held = await collect(store.held('odd-'));
    const expected = times(6_000, (index) => index + 1).filter((i) => i % 2 === 1 && i % 3 === 0);
    expect(held.map(({ key }) => key).sort()).toEqual(expected.map((i) => `odd-${i}`).sort());
    const { rows } = await admin.query({
      text: `EXPLAIN SELECT key FROM ${schema}.records WHERE held_until > 0 AND key >= 'odd-' ORDER BY key LIMIT 500`,
      rowMode: 'array',
    });
    expect(rows.flat().join('\n')).toContain('records_held');
    await store.close();
  });

  test('are written without touching an index as long as the hour of expiry stays', async () => {
    const schema = 'hot';
    const store = open({ schema });
    const { key } = group();
    const until = Math.floor(Date.now() / hourMs) * hourMs + 72 * hourMs + 1;
    const put = (count: number) =>
      store.transact([key], (records, now) =>
        records.put(key, { at: now, count }, { ...kept, keepMs: until + count - now }),
      );
    for (const count of times(50, (index) => index)) await put(count);
    await store.close();
    const stats = `FROM pg_stat_user_tables WHERE schemaname = '${schema}' AND relname = 'records'`;
    await expect
      .poll(() => numberOf(`SELECT n_tup_upd ${stats}`), { timeout: 60_000, interval: 200 })
      .toBe(49);
    expect(await numberOf(`SELECT n_tup_hot_upd ${stats}`)).toBe(49);
  });

  test('give their connections back when the store is closed, and leave a given pool open', async () => {
    const application = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portcullis'`;
    const store = open({});
    const keys = times(20, () => group().key);
    await Promise.all(keys.map((key) => store.transact([key], addOne(key))));
    expect(await numberOf(application)).toBeGreaterThan(0);
    const underWay = store.transact([keys[0] as Key<Count>], addOne(keys[0] as Key<Count>));
    await store.close();
    expect(await underWay).toBe(2);
    await expect.poll(() => numberOf(application), { timeout: 10_000 }).toBe(0);

    const pool = new Pool({ connectionString: server.connectionString });
    const guest = createPostgresStore({ pool, deadlineMs });
    await guest.ping();
    await guest.close();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('take any value that is written into a script as the value it is', async () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
    const element = fc.option(text);
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(element, { minLength: 1 }),
        fc.maxSafeInteger(),
        async (one, many, number) => {
          const statement = { text: 'SELECT $1::text, $2::text[], $3::bigint, $4::text' };
          for (const conforming of ['on', 'off']) {
            await admin.query(`SET standard_conforming_strings = ${conforming}`);
            const { rows } = await admin.query({
              text: inlined(statement, [one, many, number, null]),
              rowMode: 'array',
            });
            expect(rows).toEqual([[one, many, String(number), null]]);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
