import { Pool } from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { createPostgresStore } from '../../src/stores/postgres/index.ts';
import { storeConformance } from '../conformance/store-conformance.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';

/** Far more than an idle machine needs: these tests are about answers, not about time. */
const deadlineMs = 10_000;

describe.runIf(postgresPrograms() !== null)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  storeConformance('PostgreSQL store with a pool of its own', async () => {
    const open = async () => {
      const store = createPostgresStore({ connectionString: server.connectionString, deadlineMs });
      await store.ready();
      return store;
    };
    const store = await open();
    return { store, openAnother: open, close: () => store.close() };
  });

  storeConformance('PostgreSQL store with a given pool', async () => {
    const pool = new Pool({ connectionString: server.connectionString });
    const open = async () => createPostgresStore({ pool, schema: 'other_schema', deadlineMs });
    const store = await open();
    await store.ready();
    const close = async () => {
      await store.close();
      if (!pool.ended) await pool.end();
    };
    return { store, openAnother: open, close };
  });
});
