import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPostgresStore } from '../../src/stores/postgres/index.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';
import { deadlineMs, GuardUnderFire } from './guard-under-fire.ts';

describe.runIf(postgresPrograms() !== null)('a guard under fire, over PostgreSQL', () => {
  let server: PostgresServer;
  let fire: GuardUnderFire;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const store = createPostgresStore({ connectionString: server.connectionString, deadlineMs });
    await store.ready();
    fire = new GuardUnderFire(store);
    await fire.until('NORMAL');
  });
  afterEach(() => fire.close());

  test.each([
    ['a crash', () => server.halt('immediate'), () => server.resume()],
    ['SIGSTOP: connections stay, nobody answers', () => server.freeze(), () => server.thaw()],
  ] as const)('%s', async (_, away, back) => {
    await away();
    await fire.until('DEGRADED', 'FAIL_OPEN');
    await back();
    await fire.until('NORMAL');
    await fire.stop();
    expect(fire.story('login')).toEqual(['NORMAL → DEGRADED', 'DEGRADED → NORMAL']);
    expect(fire.story('api')).toEqual(['NORMAL → FAIL_OPEN', 'FAIL_OPEN → NORMAL']);
    expect(fire.criticals).toEqual([]);
    expect(fire.count('login check HARD_BLOCK DEGRADED')).toBeGreaterThan(0);
  });
});
