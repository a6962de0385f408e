import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultPolicies } from '../../src/core/policy.ts';
import { Pins } from '../../src/guard/pins/pins.ts';
import { createIdentifier } from '../../src/identity/identifier.ts';
import { createLmdbStore } from '../../src/stores/lmdb/index.ts';
import { createPostgresStore } from '../../src/stores/postgres/index.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';

/** These tests are about answers, not about time: the machine may be busy. */
const deadlineMs = 10_000;
const note = { by: 'alice', why: 'attack', forMs: 60_000 };

/** Two nodes over one store, each with a connection of its own. */
function pinConformance(open: () => Store): void {
  const stores: Store[] = [];
  const node = () => {
    const store = open();
    stores.push(store);
    return new Pins({
      store,
      environment: 'pins',
      identifier: createIdentifier({ secret: 'a secret of sixteen bytes or more' }),
      names: () => ({ policies: defaultPolicies, scenarios: [] }),
      most: 3,
    });
  };
  afterAll(() => Promise.all(stores.map((store) => store.close())));

  it('are seen by another node, and gone there when they are removed', async () => {
    const [here, there] = [node(), node()];
    const pin = await here.put({ kind: 'limit', for: 'anonymous', ratePerSecond: 1 }, note);
    expect(await there.list()).toEqual([pin]);
    await there.start();
    expect(there.current.limitFor({ ip: '192.0.2.1' })?.ratePerSecond).toBe(1);
    expect(await there.remove(pin.id, note)).toBe(true);
    expect(await here.list()).toEqual([]);
    expect(await here.remove(pin.id, note)).toBe(false);
    there.close();
  });

  it('are never more than they may be, although many nodes set them at once', async () => {
    const nodes = [node(), node(), node()];
    const asked = Array.from({ length: 9 }, (_, n) =>
      nodes[n % 3]?.put({ kind: 'limit', for: 'user', user: `u${n}`, ratePerSecond: 1 }, note),
    );
    const put = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled');
    expect(put).toHaveLength(3);
    expect(await nodes[0]?.list()).toHaveLength(3);
  });
}

describe('pins in the embedded store', () => {
  const path = mkdtempSync(join(tmpdir(), 'portcullis-pins-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  pinConformance(() => createLmdbStore({ path, deadlineMs }));
});

describe.runIf(isRedisInstalled())('pins in Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  pinConformance(() => createRedisStore({ url: server.url, deadlineMs }));
});

describe.runIf(postgresPrograms() !== null)('pins in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  pinConformance(() => createPostgresStore({ connectionString: server.connectionString, deadlineMs }));
});
