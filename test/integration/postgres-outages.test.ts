import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createPostgresStore, type PostgresStore } from '../../src/stores/postgres/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { addOne, type Count, group, rejection, times } from '../conformance/under-test.ts';
import { freePort } from '../servers/free-port.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';

/** Long enough for a busy machine to answer, short enough to wait for. */
const deadlineMs = 1_000;

/** Every kind of call, at once and more of them than there are connections. */
function allCalls(store: Store, key: Key<Count>): Promise<unknown>[] {
  return [
    store.ping(),
    ...times(20, () => store.view([key], (records) => records.get(key))),
    ...times(20, () => store.transact([key], addOne(key))),
    ...times(20, () => group().key).map((other) => store.transact([other], addOne(other))),
  ];
}

/** Tries until the store serves again. */
async function untilServing(store: Store): Promise<void> {
  for (;;) {
    const isServing = await store.ping().then(
      () => true,
      () => false,
    );
    if (isServing) return;
    await sleep(50);
  }
}

describe.runIf(postgresPrograms() !== null)('PostgreSQL store when its server fails', () => {
  let server: PostgresServer;
  let store: PostgresStore;
  let faults: string[];

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    faults = [];
    store = createPostgresStore({
      connectionString: server.connectionString,
      deadlineMs,
      // Connections are used by those who call, and by nobody else.
      sweepEveryWrites: 0,
      onFault: ({ code }) => faults.push(code),
    });
    await store.ready();
    await untilServing(store);
  });
  afterEach(() => store.close());

  test('a server that does not answer ends every call at its deadline, and serves again when it does', async () => {
    const { key } = group();
    await store.transact([key], addOne(key));
    server.freeze();
    try {
      for (const round of times(3, (index) => index)) {
        const codes = await Promise.all(allCalls(store, key).map(rejection));
        expect([round, ...new Set(codes.map(codeOf))]).toEqual([round, 'STORE_TIMEOUT']);
      }
    } finally {
      server.thaw();
    }
    await untilServing(store);
    const before = (await store.view([key], (records) => records.get(key)))?.count ?? 0;
    expect(await store.transact([key], addOne(key))).toBe(before + 1);
  });

  test('the same with a given pool that would wait for ever', async () => {
    const pool = new Pool({ connectionString: server.connectionString, max: 3 });
    pool.on('error', (error) => faults.push(error.name));
    const patient = createPostgresStore({ pool, deadlineMs });
    const { key } = group();
    await untilServing(patient);
    server.freeze();
    try {
      const codes = await Promise.all(allCalls(patient, key).map(rejection));
      expect(new Set(codes.map(codeOf))).toEqual(new Set(['STORE_TIMEOUT']));
    } finally {
      server.thaw();
    }
    await untilServing(patient);
    await patient.close();
    await pool.end();
  });

  test('a server that answers while the table is locked fails the ping', async () => {
    const admin = new Client(server.connectionString);
    await admin.connect();
    onTestFinished(() => admin.end());
    await admin.query('BEGIN; LOCK TABLE portcullis.records IN ACCESS EXCLUSIVE MODE');
    expect(codeOf(await rejection(store.ping()))).toBe('STORE_TIMEOUT');
    await admin.query('ROLLBACK');
    await untilServing(store);
  });

  test('a connection that takes no writes is not kept: the next one may lead to a server that does', async () => {
    const admin = new Client(server.connectionString);
    await admin.connect();
    onTestFinished(() => admin.end());
    await admin.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
    const misled = createPostgresStore({ connectionString: server.connectionString, deadlineMs });
    onTestFinished(() => misled.close());
    await misled.ready();
    expect(codeOf(await rejection(misled.ping()))).toBe('STORE_FAILED');
    // Connections that were made before stay as they are.
    await admin.query('ALTER DATABASE postgres RESET default_transaction_read_only');
    await untilServing(misled);
    const { key } = group();
    expect(await misled.transact([key], addOne(key))).toBe(1);
  });

  test('a connection is kept however long nobody calls', async () => {
    const admin = new Client(server.connectionString);
    await admin.connect();
    onTestFinished(() => admin.end());
    const connections = async () => {
      const sql = `SELECT pid FROM pg_stat_activity WHERE application_name = 'portcullis' ORDER BY pid`;
      return (await admin.query({ text: sql, rowMode: 'array' })).rows.flat();
    };
    const before = await connections();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await store.ping();
    vi.advanceTimersByTime(3_600_000);
    await store.ping();
    expect(await connections()).toEqual(before);
  });

  test.each(['fast', 'immediate'] as const)(
    'a server that stops (%s) fails every call and serves again after its start',
    async (how) => {
      const { key } = group();
      await store.transact([key], addOne(key));
      const racing = times(50, () => store.transact([key], addOne(key)));
      const raced = Promise.allSettled(racing);
      await server.halt(how);
      for (const outcome of await raced) {
        if (outcome.status === 'rejected')
          expect(codeOf(outcome.reason)).toBeOneOf(['STORE_FAILED', 'STORE_TIMEOUT']);
      }
      for (const error of await Promise.all(allCalls(store, key).map(rejection))) {
        expect(codeOf(error)).toBeOneOf(['STORE_FAILED', 'STORE_TIMEOUT']);
      }
      await server.resume();
      await untilServing(store);
      expect(await store.transact([key], addOne(key))).toBeGreaterThanOrEqual(1);
    },
  );

  test('a port where nobody listens fails calls, one that is silent ends them at their deadline', async () => {
    const { key } = group();
    const refused = createPostgresStore({
      connectionString: `postgres://portcullis@127.0.0.1:${await freePort()}/postgres`,
      deadlineMs,
    });
    expect(codeOf(await rejection(refused.transact([key], addOne(key))))).toBe('STORE_FAILED');
    await refused.close();

    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const waiting = createPostgresStore({
      connectionString: `postgres://portcullis@127.0.0.1:${port}/postgres`,
      deadlineMs,
    });
    for (const error of await Promise.all(allCalls(waiting, key).map(rejection))) {
      expect(codeOf(error)).toBe('STORE_TIMEOUT');
    }
    await waiting.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test('connections that the server ends are replaced, and the host hears of it', async () => {
    const { key } = group();
    const admin = new Client(server.connectionString);
    await admin.connect();
    onTestFinished(() => admin.end());
    for (const round of times(5, (index) => index + 1)) {
      // There is a connection.
      await untilServing(store);
      faults.length = 0;
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'portcullis'`,
      );
      // Nobody uses the connections, so nobody but the listener can meet their end.
      await expect.poll(() => faults[0], { timeout: 30_000 }).toBe('STORE_FAILED');
      await untilServing(store);
      expect(await store.transact([key], addOne(key))).toBe(round);
    }
  });
});

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}
