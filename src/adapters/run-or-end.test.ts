import { describe, expect, it } from 'vitest';
import { createLimiter } from '../limits/index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { limit as limitFetch } from './fetch/index.ts';
import { limit as limitHono } from './hono/index.ts';
import { runOrEnd } from './run-or-end.ts';

const failures = [new RangeError('boom'), 'a text', undefined];
const secret = 'sixteen bytes or more';
const peer = () => '203.0.113.7';

/** What is left of a limit that gives failed calls back, after a call that threw. */
function bench() {
  const limiter = createLimiter({ store: createMemoryStore({ clock: () => 0 }), secret });
  const remaining = async () => {
    const { quota } = await limiter.take({ method: 'GET', path: '/', ip: peer(), cost: 0 });
    return quota?.remaining;
  };
  return { limiter, remaining };
}

describe('a handler that throws', () => {
  it.each(failures)('ends its call before %j goes on', async (failure) => {
    const told: unknown[] = [];
    const end = async (status: number) => {
      told.push(status);
    };
    const running = runOrEnd(() => Promise.reject(failure), end);
    await running.catch((error: unknown) => told.push(error));
    expect(told).toEqual([500, failure]);
    expect(await runOrEnd(() => 5, end)).toBe(5);
    expect(told).toHaveLength(2);
  });

  it.each(failures)(
    'has its call given back by the fetch adapter, whatever it throws: %j',
    async (failure) => {
      const { limiter, remaining } = bench();
      const full = await remaining();
      const handler = limitFetch(limiter, { peer, skipFailedRequests: true })(() => Promise.reject(failure));
      await expect(handler(new Request('http://a.test/'), null)).rejects.toBe(failure);
      expect(await remaining()).toBe(full);
    },
  );

  it.each(failures)(
    'has its call given back by the Hono adapter, whatever it throws: %j',
    async (failure) => {
      const { limiter, remaining } = bench();
      const full = await remaining();
      const { Hono } = await import('hono');
      const app = new Hono().use(limitHono(limiter, { peer, skipFailedRequests: true }));
      app.onError((_, context) => context.text('failed', 500));
      app.get('/', () => Promise.reject(failure));
      await Promise.resolve(app.request('http://a.test/')).catch(() => null);
      expect(await remaining()).toBe(full);
    },
  );
});
