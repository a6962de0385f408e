import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open as openLmdb } from 'lmdb';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createLmdbStore } from '../../src/stores/lmdb/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { addOne, type Count, collect, group, kept, rejection, times } from '../conformance/under-test.ts';

describe('embedded store and its files', () => {
  let path: string;
  const open = (deadlineMs = 10_000) => createLmdbStore({ path, deadlineMs });

  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'portcullis-lmdb-'));
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));

  test('keeps records, blocks and their times over a restart', async () => {
    const { key, sibling, text } = group();
    const first = open();
    await first.transact([key, sibling], (records, now) => {
      records.put(key, { at: now, count: 1 }, { ...kept, hardMs: 60_000 });
      records.put(sibling, { at: now, count: 2 }, { ...kept, keepMs: 1 });
    });
    await first.close();
    const second = open();
    await second.transact([sibling], addOne(sibling));
    const counts = await second.view([key, sibling], (records) => [
      records.get(key)?.count,
      records.get(sibling)?.count,
    ]);
    expect(counts).toEqual([1, 1]);
    expect((await collect(second.held(text))).map((held) => held.key)).toEqual([key.text]);
    await second.close();
  });

  test('goes on from the time that its records have reached where the clock was set back before it started', async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: 10_000_000 });
    const { key, text } = group();
    const first = open();
    await first.transact([key], (records, now) =>
      records.put(key, { at: now, count: 1 }, { ...kept, hardMs: 40 }),
    );
    await first.close();
    vi.setSystemTime(1_000_000);
    const second = open();
    const timeOf = (store: Store) => store.view([], (_, now) => now);
    expect(await timeOf(second)).toBeGreaterThanOrEqual(10_000_000);
    expect(await timeOf(second)).toBeLessThan(10_060_000);
    await expect.poll(() => collect(second.held(text))).toEqual([]);
    await second.close();
    const own = createLmdbStore({ path, clock: () => 5 });
    expect(await timeOf(own)).toBe(5);
    await own.close();
    vi.setSystemTime(20_000_000);
    const third = open();
    expect(await timeOf(third)).toBe(20_000_000);
    await third.close();
  });

  test('says so, and does not hang, where its folder cannot be made', async () => {
    const store = createLmdbStore({ path: '/proc/nowhere/records' });
    await expect(store.ready()).rejects.toMatchObject({ code: 'STORE_FAILED', cause: { code: 'ENOENT' } });
    await store.close();
  });

  test('shows at once what another has just written, however sure it was of being alone', async () => {
    const { key } = group();
    for (let count = 1; count < 20; count += 2) {
      const first = open();
      const look = () => first.view([key], (records) => records.get(key)?.count);
      expect(await first.transact([key], addOne(key))).toBe(count);
      const second = open();
      await second.ready();
      let isWritten = false;
      const writing = second.transact([key], addOne(key)).then(() => {
        isWritten = true;
      });
      // Whoever looks all the time has always looked a moment ago.
      while (!isWritten) {
        expect(await look()).toBeGreaterThanOrEqual(count);
        await new Promise(setImmediate);
      }
      expect(await look()).toBe(count + 1);
      await writing;
      await second.close();
      await first.close();
    }
  });

  test('makes its folder, which others may not read', async () => {
    const below = join(path, 'deep', 'down');
    const store = createLmdbStore({ path: below });
    await store.ready();
    expect(statSync(join(below, 'data.mdb')).mode & 0o077).toBe(0);
    await store.close();
  });

  test('fails with STORE_FAILED on a file that is not its own, and opens once that is mended', async () => {
    const { key } = group();
    const store = open();
    for (const content of ['not a database '.repeat(1_000), Buffer.alloc(16_384), 'short']) {
      writeFileSync(join(path, 'data.mdb'), content);
      expect(await rejection(store.transact([key], addOne(key)))).toMatchObject({ code: 'STORE_FAILED' });
    }
    expect(await rejection(store.view([key], (records) => records.get(key)))).toMatchObject({
      code: 'STORE_FAILED',
    });
    rmSync(join(path, 'data.mdb'));
    expect(await store.transact([key], addOne(key))).toBe(1);
    await store.close();
  });

  test('fails with STORE_FAILED on a file that was cut short', async () => {
    const keys = times(200, () => group().key);
    const store = open();
    await Promise.all(keys.map((key) => store.transact([key], addOne(key))));
    await store.close();
    truncateSync(join(path, 'data.mdb'), 12_288);
    const again = open();
    expect(await rejection(again.ready())).toMatchObject({ code: 'STORE_FAILED' });
    await again.close();
  });

  test('fails with STORE_FAILED where it cannot have a folder', async () => {
    writeFileSync(join(path, 'file'), '');
    mkdirSync(join(path, 'folder', 'data.mdb'), { recursive: true });
    for (const place of ['file', 'file/below', 'folder']) {
      const store = createLmdbStore({ path: join(path, place) });
      expect(await rejection(store.ready())).toMatchObject({ code: 'STORE_FAILED' });
      await store.close();
    }
  });

  test('a record that is not one fails its calls with RECORD_CORRUPT and no others', async () => {
    const { key, sibling } = group();
    const store = open();
    await store.transact([key, sibling], (records, now) => {
      records.put(key, { at: now, count: 1 }, kept);
      records.put(sibling, { at: now, count: 1 }, kept);
    });
    await store.close();
    const raw = openLmdb({ path, overlappingSync: false });
    await raw.openDB<string>('records', { encoding: 'string' }).put(key.text, '9999999999999 0 nonsense');
    await raw.close();
    const again = open();
    const [viewed, stepped, other] = await Promise.allSettled([
      again.view([key], (records) => records.get(key)),
      again.transact([key], addOne(key)),
      again.transact([sibling], addOne(sibling)),
    ]);
    expect(viewed).toMatchObject({ reason: { code: 'RECORD_CORRUPT' } });
    expect(stepped).toMatchObject({ reason: { code: 'RECORD_CORRUPT' } });
    expect(other).toEqual({ status: 'fulfilled', value: 2 });
    expect(await again.setAside?.([key, sibling])).toBe(1);
    expect(await again.transact([key], addOne(key))).toBe(1);
    expect(await again.setAside?.([key, sibling])).toBe(0);
    await again.close();
    const looked = openLmdb({ path, overlappingSync: false });
    const aside = looked.openDB<string>('quarantine', { encoding: 'string' });
    expect(aside.get(key.text)).toMatch(/^\d{13} 9999999999999 0 nonsense$/);
    await looked.close();
  });

  test('is current in every copy of the module that a process has loaded', async () => {
    const { key } = group();
    const first = open();
    await first.transact([key], addOne(key));
    vi.resetModules();
    const copy = await import('../../src/stores/lmdb/index.ts');
    const second = copy.createLmdbStore({ path, deadlineMs: 10_000 });
    await second.transact([key], addOne(key));
    const countIn = (store: typeof first) =>
      store.viewNow?.([{ ...key }], (records) => ({ count: records.get(key)?.count }))?.count;
    // Longer than whoever is alone trusts what it knows, then by turns within that time.
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (let count = 3; count < 30; count += 1) {
      countIn(first);
      countIn(second);
      await (count % 2 === 0 ? first : second).transact([key], addOne(key));
      expect([countIn(first), countIn(second)]).toEqual([count, count]);
    }
    await first.close();
    await second.close();
  });

  test('keeps what was set aside for 30 days', async () => {
    const { key, sibling } = group();
    let now = Date.now();
    const openAt = () => createLmdbStore({ path, deadlineMs: 10_000, clock: () => now });
    const quarantined = async (look: (keys: readonly string[]) => void) => {
      const looked = openLmdb({ path, overlappingSync: false });
      look([...looked.openDB<string, string>('quarantine', { encoding: 'string' }).getKeys()]);
      await looked.close();
    };
    const first = openAt();
    await first.transact([key], addOne(key));
    await first.close();
    const raw = openLmdb({ path, overlappingSync: false });
    await raw.openDB<string>('records', { encoding: 'string' }).put(key.text, 'nonsense');
    await raw.close();
    const second = openAt();
    expect(await second.setAside?.([key])).toBe(1);
    now += 29 * 86_400_000;
    await second.transact([sibling], addOne(sibling));
    await second.close();
    await quarantined((keys) => expect(keys).toEqual([key.text]));
    now += 86_400_000;
    const third = openAt();
    await third.transact([sibling], addOne(sibling));
    await third.close();
    await quarantined((keys) => expect(keys).toEqual([]));
  });

  test('lists the other blocks beside one that cannot be read', async () => {
    const { key, sibling, text } = group();
    const { key: cut } = group();
    const held = { ...kept, hardMs: 60_000 };
    const store = open();
    for (const each of [key, sibling, cut]) {
      await store.transact([each], (records, now) => records.put(each, { at: now, count: 1 }, held));
    }
    await store.close();
    const raw = openLmdb({ path, overlappingSync: false });
    const stored = raw.openDB<string>('records', { encoding: 'string' });
    await stored.put(key.text, 'nonsense');
    await stored.put(cut.text, '9999999999999 9999999999999 {"at":1');
    await raw.close();
    const again = open();
    expect((await collect(again.held(text))).map((record) => record.key)).toEqual([sibling.text]);
    expect(await collect(again.held(cut.text))).toEqual([]);
    await again.close();
  });

  test('refuses keys that its file cannot hold', async () => {
    const store = open();
    for (const text of ['', 'x'.repeat(601), 'nul\0']) {
      const key: Key<Count> = { text, was: null };
      expect(await rejection(store.transact([key], addOne(key)))).toMatchObject({ code: 'INVARIANT_BROKEN' });
    }
    const longest: Key<Count> = { text: '€'.repeat(600), was: null };
    expect(await store.transact([longest], addOne(longest))).toBe(1);
    await store.close();
  });

  test('writes what waits in few transactions, each of which is one flush', async () => {
    const store = open();
    const keys = times(200, () => group().key);
    await store.ping();
    const raw = openLmdb({ path, overlappingSync: false });
    const transactions = (): number => {
      raw.resetReadTxn();
      return (raw.getStats() as { lastTxnId: number }).lastTxnId;
    };
    const before = transactions();
    await Promise.all(keys.flatMap((key) => times(3, () => store.transact([key], addOne(key)))));
    expect(transactions() - before).toBeLessThanOrEqual(5);
    raw.resetReadTxn();
    await Promise.all([store.close(), raw.close()]);
  });

  test('answers what was under way when it is closed', async () => {
    const { key } = group();
    const store = open();
    await store.ready();
    const underWay = Array.from({ length: 50 }, () => store.transact([key], addOne(key)));
    await store.close();
    expect((await Promise.all(underWay)).at(-1)).toBe(50);
  });
});
