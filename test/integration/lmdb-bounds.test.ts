import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Key, Retention } from '../../src/core/records.ts';
import { createLmdbStore, type LmdbStore } from '../../src/stores/lmdb/index.ts';
import { collect, times } from '../conformance/under-test.ts';

const maxBytes = 8 * 1024 * 1024;
const hourMs = 3_600_000;
const kept: Retention = { keepMs: 72 * hourMs, softMs: 0, hardMs: 0 };
const blocked: Retention = { ...kept, hardMs: 6 * hourMs };
const padding = 'x'.repeat(600);

/** Hashed, as all keys are: each touches a page of its own. */
const keyOf = (name: string): Key => {
  const hash = createHash('sha256').update(name).digest('base64url');
  return { text: `portcullis:test:login:1:K1:{${hash}}`, was: null };
};

/** A program that keeps all pages of a moment for itself. */
const readingForEver = (path: string): string => `
  import { open } from 'lmdb';
  const root = open({ path: ${JSON.stringify(path)}, maxDbs: 5, noSubdir: false });
  const transaction = root.useReadTransaction();
  root.get('x', { transaction });
  console.log('reading');
  setInterval(() => transaction, 1_000);`;

describe('embedded store within its bounds', () => {
  let path: string;
  let time: number;
  let store: LmdbStore;

  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'portcullis-lmdb-'));
    time = 1_700_000_000_000;
    store = createLmdbStore({ path, maxBytes, deadlineMs: 60_000, clock: () => time });
  });
  afterEach(async () => {
    await store.close();
    rmSync(path, { recursive: true, force: true });
  });

  const write = (names: readonly string[], retention: Retention): Promise<unknown> =>
    Promise.all(
      names.map((name) => {
        const key = keyOf(name);
        return store.transact([key], (records, now) => {
          const record = { at: now, padding };
          records.put(key, record, retention);
        });
      }),
    );
  const isThere = async (names: readonly string[]): Promise<boolean[]> => {
    const keys = names.map(keyOf);
    return store.view(keys, (records) => keys.map((key) => records.get(key) !== undefined));
  };
  const fileBytes = (): number => statSync(join(path, 'data.mdb')).size;

  test('keeps its file within maxBytes, drops the oldest and keeps the blocks', async () => {
    const blocks = times(500, (index) => `block-${index}`);
    await write(blocks, blocked);
    for (let round = 0; round < 16; round += 1) {
      time += 60_000;
      await write(
        times(1_000, (index) => `flood-${round}-${index}`),
        kept,
      );
      expect(fileBytes()).toBeLessThanOrEqual(maxBytes);
    }
    const usage = await store.usage();
    expect(usage.evicted).toBeGreaterThan(8_000);
    expect(usage.evictedBlocks).toBe(0);
    expect(usage.records).toBeGreaterThan(3_000);
    expect(await isThere(blocks)).toEqual(blocks.map(() => true));
    expect(await isThere(['flood-15-0', 'flood-15-999', 'flood-0-0', 'flood-5-500'])).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await collect(store.held('portcullis:test:'))).toHaveLength(blocks.length);
  });

  test('keeps its file within maxBytes after a process was killed while it read', async () => {
    await write(['first'], kept);
    const reader = spawn(process.execPath, ['--input-type=module', '-e', readingForEver(path)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = once(reader, 'exit');
    await once(reader.stdout, 'data');
    reader.kill('SIGKILL');
    await gone;
    // Whoever has gone is looked for every ten seconds.
    const late = performance.now() + 20_000;
    vi.spyOn(performance, 'now').mockImplementation(() => late);
    onTestFinished(() => void vi.restoreAllMocks());
    const names = times(500, (index) => `again-${index}`);
    for (let round = 0; round < 40; round += 1) await write(names, kept);
    expect(fileBytes()).toBeLessThanOrEqual(maxBytes);
  });

  test('gives up the block that ends soonest when there are only blocks left', async () => {
    for (let round = 0; round < 12; round += 1) {
      await write(
        times(1_000, (index) => `block-${round}-${index}`),
        { ...kept, hardMs: hourMs + round * 60_000 },
      );
    }
    expect((await store.usage()).evictedBlocks).toBeGreaterThan(3_000);
    expect(await isThere(['block-0-0', 'block-0-999', 'block-11-0', 'block-11-999'])).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(fileBytes()).toBeLessThanOrEqual(maxBytes);
  });

  test('drops what has expired little by little, as others are written', async () => {
    const old = times(2_000, (index) => `old-${index}`);
    await write(old.slice(0, 1_000), { ...kept, keepMs: hourMs });
    await write(old.slice(1_000), { keepMs: hourMs, softMs: hourMs / 2, hardMs: 0 });
    time += 2 * hourMs;
    let before = (await store.usage()).records;
    expect(before).toBe(2_000);
    for (let round = 0; round < 30; round += 1) {
      await write(
        times(100, (index) => `new-${index}`),
        kept,
      );
      const { records, evicted } = await store.usage();
      expect(evicted).toBe(0);
      expect(before - records).toBeLessThanOrEqual(200);
      before = records;
    }
    expect(before).toBe(100);
  });

  test('refuses a step that alone exceeds the bound and goes on', async () => {
    const key = keyOf('large');
    const large = { at: 1, text: 'x'.repeat(maxBytes / 2) };
    await expect(store.transact([key], (records) => records.put(key, large, kept))).rejects.toMatchObject({
      code: 'STORE_FULL',
    });
    await write(['small'], kept);
    expect(await isThere(['large', 'small'])).toEqual([false, true]);
  });

  test('lets others in while it looks for blocks, also where it finds none', async () => {
    await write(
      times(2_000, (index) => `block-${index}`),
      blocked,
    );
    let letIn = 0;
    let other = setImmediate(function comeAgain() {
      letIn += 1;
      other = setImmediate(comeAgain);
    });
    try {
      expect(await collect(store.held('portcullis:test:otp:'))).toEqual([]);
    } finally {
      clearImmediate(other);
    }
    expect(letIn).toBeGreaterThanOrEqual(5);
  });

  test('finds its bound again after a restart', async () => {
    await write(
      times(6_000, (index) => `before-${index}`),
      kept,
    );
    await store.close();
    store = createLmdbStore({ path, maxBytes, deadlineMs: 60_000, clock: () => time });
    time += 60_000;
    await write(
      times(6_000, (index) => `after-${index}`),
      kept,
    );
    expect((await store.usage()).evicted).toBeGreaterThan(1_000);
    expect(fileBytes()).toBeLessThanOrEqual(maxBytes);
  });
});
