import { createServer } from 'node:http';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PortcullisStore, type PortcullisStoreOptions } from '../../src/adapters/express-rate-limit/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { ask, listen } from './adapter-under-test.ts';

const secret = 'sixteen bytes or more';
const windowMs = 60_000;

/** The options that a limiter hands to its store. */
type InitOptions = Parameters<PortcullisStore['init']>[0];

function bench() {
  let now = 1_700_000_000_000;
  const backing = createMemoryStore({ clock: () => now });
  const open = (prefix?: string) => {
    const store = new PortcullisStore({ store: backing, secret, prefix });
    store.init({ windowMs } as InitOptions);
    return store;
  };
  return {
    open,
    store: open(),
    backing,
    now: () => now,
    elapse: (ms: number) => {
      now += ms;
    },
  };
}

describe('the store for express-rate-limit', () => {
  it('counts hits from 1, in a window that the first one opens', async () => {
    const { store, now, elapse } = bench();
    const resetTime = new Date(now() + windowMs);
    expect(await store.increment('a')).toEqual({ totalHits: 1, resetTime });
    elapse(windowMs - 1);
    expect(await store.increment('a')).toEqual({ totalHits: 2, resetTime });
    elapse(1);
    expect((await store.increment('a')).totalHits).toBe(1);
  });

  it('keeps clients and prefixes apart', async () => {
    const { store, open } = bench();
    await store.increment('a');
    expect((await store.increment('b')).totalHits).toBe(1);
    expect((await open('login').increment('a')).totalHits).toBe(1);
    expect((await open().increment('a')).totalHits).toBe(2);
  });

  it('shows a count without changing it', async () => {
    const { store, elapse } = bench();
    expect(await store.get('a')).toBeUndefined();
    const counted = await store.increment('a');
    expect(await store.get('a')).toEqual(counted);
    expect(await store.get('a')).toEqual(counted);
    elapse(windowMs);
    expect(await store.get('a')).toBeUndefined();
  });

  it('takes hits back, never below none', async () => {
    const { store } = bench();
    await store.decrement('a');
    await store.increment('a');
    await store.increment('a');
    await store.decrement('a');
    expect((await store.get('a'))?.totalHits).toBe(1);
    for (let i = 0; i < 5; i += 1) await store.decrement('a');
    expect((await store.get('a'))?.totalHits).toBe(0);
    expect((await store.increment('a')).totalHits).toBe(1);
  });

  it('forgets one client on request, and opens a new window for it', async () => {
    const { store, elapse, now } = bench();
    await store.increment('a');
    await store.increment('b');
    elapse(1_000);
    await store.resetKey('a');
    expect(await store.get('a')).toBeUndefined();
    expect(await store.increment('a')).toEqual({ totalHits: 1, resetTime: new Date(now() + windowMs) });
    expect((await store.get('b'))?.totalHits).toBe(1);
  });

  it('counts every one of many hits at once', async () => {
    const { store } = bench();
    const counts = await Promise.all(Array.from({ length: 200 }, () => store.increment('a')));
    expect(new Set(counts.map(({ totalHits }) => totalHits)).size).toBe(200);
  });

  it('says whether other processes see its counts', () => {
    const { backing, store } = bench();
    const { immediate: _, ...shared } = backing;
    expect(store.localKeys).toBe(true);
    expect(new PortcullisStore({ store: shared, secret }).localKeys).toBe(false);
    const lent = { ...shared, immediate: undefined };
    expect(new PortcullisStore({ store: lent, secret }).localKeys).toBe(false);
    expect(store.prefix).toBe('default');
  });

  it('checks what it is made of', () => {
    const { backing } = bench();
    expect(() => new PortcullisStore({ store: backing, secret: 'short' })).toThrow('at least 16 bytes');
    expect(() => new PortcullisStore({ store: backing, secret, prefix: 'a:b' })).toThrow('prefix must be');
    for (const [options, message] of [
      [undefined, 'options of PortcullisStore must be an object, got nothing'],
      [{ secret }, 'store must be a store, got nothing'],
      [{ store: 'redis://127.0.0.1', secret }, 'store must be a store, got a string of 17 characters'],
      [{ store: backing, secret, windowMs: 5 }, 'windowMs is no option of PortcullisStore: there are '],
    ] as const) {
      expect(() => new PortcullisStore(options as unknown as PortcullisStoreOptions)).toThrow(message);
    }
  });
});

describe('express-rate-limit on it', () => {
  async function serve(options: Parameters<typeof rateLimit>[0]) {
    const complaints: unknown[] = [];
    const store = new PortcullisStore({ store: createMemoryStore(), secret });
    const limiter = rateLimit({
      windowMs,
      limit: 3,
      standardHeaders: 'draft-8',
      store,
      logger: { warn: (error) => complaints.push(error), error: (error) => complaints.push(error) },
      ...options,
    });
    const app = express();
    app.use(limiter);
    app.get('/', (_, response) => {
      response.send('ok');
    });
    const running = await listen(createServer(app));
    onTestFinished(() => running.close());
    return { limiter, complaints, get: (path = '/') => ask('http1', `${running.origin}${path}`) };
  }

  it('limits, says what is left, and has nothing to complain of', async () => {
    const { get, complaints } = await serve({});
    const answers = [await get(), await get(), await get(), await get()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[0]?.headers.ratelimit).toMatch(/; r=2; t=60$/);
    expect(complaints).toEqual([]);
  });

  it('takes failed requests back', async () => {
    const { get, limiter } = await serve({ skipFailedRequests: true, keyGenerator: () => 'everybody' });
    for (let i = 0; i < 10; i += 1) expect((await get('/missing')).status).toBe(404);
    expect((await get()).status).toBe(200);
    expect((await limiter.getKey('everybody'))?.totalHits).toBe(1);
  });

  it('forgets a client on request', async () => {
    const { get, limiter } = await serve({ keyGenerator: () => 'everybody' });
    for (let i = 0; i < 4; i += 1) await get();
    await limiter.resetKey('everybody');
    expect((await get()).status).toBe(200);
  });
});
