import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createLmdbStore } from '../../src/stores/lmdb/index.ts';
import { addOne, type Count } from '../conformance/under-test.ts';
import { type CompiledWorker, compileWorker } from '../servers/compiled-worker.ts';
import type { Place } from './store-worker.ts';
import { runWorker } from './store-workers.ts';

describe('embedded store in several processes', () => {
  let worker: CompiledWorker;
  let path: string;
  let place: Place;

  beforeAll(() => {
    worker = compileWorker(new URL('./store-worker.ts', import.meta.url));
  });
  afterAll(() => worker.remove());
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'portcullis-lmdb-'));
    place = { kind: 'lmdb', path };
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));

  async function countsOf(texts: readonly string[]): Promise<(number | undefined)[]> {
    const store = createLmdbStore({ path, deadlineMs: 10_000 });
    const keys = texts.map((text): Key<Count> => ({ text, was: null }));
    const counts = await store.view(keys, (records) => keys.map((key) => records.get(key)?.count));
    await store.close();
    return counts;
  }

  test('8 processes add one 1,000 times each to one key and lose nothing', async () => {
    const keys = ['portcullis:test:login:1:K4:{hot}'];
    const running = Array.from({ length: 8 }, () =>
      runWorker(worker, { place, keys, steps: 1_000, atOnce: 100 }),
    );
    expect(await Promise.all(running.map(({ ended }) => ended))).toEqual(running.map(() => 0));
    expect(running.flatMap(({ faults }) => faults)).toEqual([]);
    expect(await countsOf(keys)).toEqual([8_000]);
  });

  test.each([1, 2, 3])(
    'what was acknowledged is there after a kill -9 in the middle of traffic (%i)',
    async () => {
      const keys = Array.from({ length: 20 }, (_, index) => `portcullis:test:login:1:K4:{${index}}`);
      const victim = runWorker(worker, { place, keys, steps: null, atOnce: 30 });
      await victim.until(() => victim.acknowledged() > 500);
      victim.process.kill('SIGKILL');
      expect(await victim.ended).toBe('SIGKILL');
      const counts = await countsOf(keys);
      for (const [index, text] of keys.entries()) {
        expect(counts[index] ?? 0).toBeGreaterThanOrEqual(victim.counts.get(text) ?? 0);
      }
    },
  );

  test('a process that is killed while it writes does not stop the others', async () => {
    const keys = ['portcullis:test:login:1:K4:{hot}'];
    const survivor = runWorker(worker, { place, keys, steps: 5_000, atOnce: 20 });
    for (let kills = 0; kills < 5; kills += 1) {
      const victim = runWorker(worker, { place, keys, steps: null, atOnce: 20 });
      await victim.until(() => victim.acknowledged() > 50);
      victim.process.kill('SIGKILL');
      await victim.ended;
    }
    expect(await survivor.ended).toBe(0);
    const [count] = await countsOf(keys);
    expect(count).toBeGreaterThanOrEqual(survivor.counts.get(keys[0] ?? '') ?? Number.NaN);
    expect(count).toBeGreaterThanOrEqual(5_000 + 5 * 50);
  });

  test('a process that stalls in a step makes the others wait until their deadline, and not their views', async () => {
    const store = createLmdbStore({ path, deadlineMs: 50 });
    await store.ready();
    const [text] = ['portcullis:test:login:1:K4:{hot}'];
    const key: Key<Count> = { text, was: null };
    const stalling = runWorker(worker, { place, keys: [text], steps: 1, atOnce: 1, stallMs: 2_000 });
    await stalling.until(() => stalling.isStalling());
    const waiting = store.transact([key], addOne(key));
    await expect(waiting).rejects.toMatchObject({ code: 'STORE_TIMEOUT' });
    expect(await store.view([key], (records) => records.get(key))).toBeUndefined();
    expect(stalling.acknowledged()).toBe(0);
    expect(await stalling.ended).toBe(0);
    const patient = createLmdbStore({ path, deadlineMs: 10_000 });
    await patient.ping();
    expect((await patient.view([key], (records) => records.get(key)))?.count).toBeOneOf([1, 2]);
    await Promise.all([store.close(), patient.close()]);
  });

  test('a disk that is full fails the step that met it and keeps what was acknowledged', async () => {
    const keys = Array.from({ length: 2_000 }, (_, index) => `portcullis:test:login:1:K4:{${index}}`);
    const orders = { place, keys, steps: null, atOnce: 10, padding: 3_000 };
    const filling = runWorker(worker, orders, { fileKib: 2_048 });
    expect(await filling.ended).toBe(0);
    expect(filling.faults.length).toBeGreaterThan(0);
    // The write that crosses the limit is cut short, which is an error of its own kind; the next ones find no room.
    for (const fault of filling.faults) expect(fault).toBeOneOf(['STORE_FULL', 'STORE_FAILED']);
    expect(filling.acknowledged()).toBeGreaterThan(10);
    const counts = await countsOf(keys);
    for (const [index, text] of keys.entries()) {
      expect(counts[index] ?? 0).toBeGreaterThanOrEqual(filling.counts.get(text) ?? 0);
    }
  });

  test.each([0, 8, 12])(
    'a disk with room for %i KiB fails the opening, and nobody dies of it',
    async (fileKib) => {
      const orders = { place, keys: ['portcullis:test:login:1:K4:{first}'], steps: 1, atOnce: 1 };
      const early = runWorker(worker, orders, { fileKib });
      expect(await early.ended).toBe(0);
      expect(early.faults).toEqual(['STORE_FULL']);
      const later = runWorker(worker, orders);
      expect(await later.ended).toBe(0);
      expect(later.acknowledged()).toBe(1);
    },
  );
});
