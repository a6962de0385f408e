import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createPostgresStore } from '../../src/stores/postgres/index.ts';
import type { Count } from '../conformance/under-test.ts';
import { type CompiledWorker, compileWorker } from '../servers/compiled-worker.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';
import type { Place } from './store-worker.ts';
import { runWorker } from './store-workers.ts';

const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

describe.runIf(postgresPrograms() !== null)('PostgreSQL store in several processes', () => {
  let worker: CompiledWorker;
  let server: PostgresServer;
  let place: Place;

  beforeAll(async () => {
    worker = compileWorker(new URL('./store-worker.ts', import.meta.url));
    server = await startPostgres(durable);
    place = { kind: 'postgres', connectionString: server.connectionString };
  });
  afterAll(async () => {
    worker.remove();
    await server.stop();
  });

  async function countsOf(texts: readonly string[]): Promise<(number | undefined)[]> {
    const store = createPostgresStore({ connectionString: server.connectionString, deadlineMs: 10_000 });
    const keys = texts.map((text): Key<Count> => ({ text, was: null }));
    const counts = await store.view(keys, (records) => keys.map((key) => records.get(key)?.count));
    await store.close();
    return counts;
  }

  test.each([
    ['100 at once', 1_000, 100],
    ['one after the other', 100, 1],
  ])('8 processes add to one key, %s, and lose nothing', async (name, steps, atOnce) => {
    const keys = [`portcullis:test:login:1:K4:{${name}}`];
    const running = Array.from({ length: 8 }, () => runWorker(worker, { place, keys, steps, atOnce }));
    expect(await Promise.all(running.map(({ ended }) => ended))).toEqual(running.map(() => 0));
    expect(running.flatMap(({ faults }) => faults)).toEqual([]);
    expect(await countsOf(keys)).toEqual([8 * steps]);
  });

  test('what was acknowledged is there after the server has crashed in the middle of traffic', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `portcullis:test:login:1:K4:{crash-${index}}`);
    const running = runWorker(worker, { place, keys, steps: null, atOnce: 30 });
    await running.until(() => running.acknowledged() > 500);
    await server.halt('immediate');
    expect(await running.ended).toBe(0);
    expect(running.faults).not.toEqual([]);
    await server.resume();
    const counts = await countsOf(keys);
    for (const [index, text] of keys.entries()) {
      expect(counts[index] ?? 0).toBeGreaterThanOrEqual(running.counts.get(text) ?? 0);
    }
  });
});
