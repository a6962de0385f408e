import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import { addOne, type Count, group } from './conformance/under-test.ts';
import { createFaultyStore } from './faulty-store.ts';
import { VirtualClock } from './virtual-clock.ts';

function open() {
  const clock = new VirtualClock();
  const store = createFaultyStore(createMemoryStore({ clock: () => clock.now() }), clock);
  const { key } = group();
  const countOf = async () =>
    (await store.view([key], (records) => records.get(key) as Count | undefined))?.count;
  return { clock, store, key, countOf };
}

/** Whether a promise is still open after a long time. */
async function isPending(clock: VirtualClock, promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  await clock.advance(1_000_000);
  return !isSettled;
}

describe('a faulty store', () => {
  test('is well until it is told otherwise, and well again afterwards', async () => {
    const { store, key, countOf } = open();
    await store.transact([key], addOne(key));
    store.trouble({ kind: 'fault', code: 'STORE_FULL' });
    await expect(store.transact([key], addOne(key))).rejects.toMatchObject({ code: 'STORE_FULL' });
    await expect(store.ping()).rejects.toMatchObject({ code: 'STORE_FULL' });
    store.trouble(null);
    await store.ping();
    expect(await countOf()).toBe(1);
    expect(store.calls).toEqual({ view: 1, transact: 2, ping: 2 });
  });

  test('loses requests: nothing is done and nobody answers', async () => {
    const { clock, store, key, countOf } = open();
    store.trouble({ kind: 'lose-request' });
    expect(await isPending(clock, store.transact([key], addOne(key)))).toBe(true);
    store.trouble(null);
    expect(await countOf()).toBeUndefined();
  });

  test('loses replies: it is done and nobody answers', async () => {
    const { clock, store, key, countOf } = open();
    store.trouble({ kind: 'lose-reply' });
    expect(await isPending(clock, store.transact([key], addOne(key)))).toBe(true);
    store.trouble(null);
    expect(await countOf()).toBe(1);
  });

  test('is late by as much as it is told', async () => {
    const { clock, store, key } = open();
    store.trouble({ kind: 'late', delayMs: 70 });
    expect(await clock.complete(store.transact([key], addOne(key)))).toBe(1);
    expect(clock.now()).toBe(70);
  });

  test('chooses by the kind of call', async () => {
    const { store, key } = open();
    store.trouble((call) => (call === 'ping' ? null : { kind: 'fault', code: 'STORE_FAILED' }));
    await store.ping();
    await expect(store.view([key], () => 0)).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });
});
