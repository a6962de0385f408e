import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { createLimiter, type Limiter } from '../limits/index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { type FetchLimitOptions, limit as limitFetch } from './fetch/index.ts';
import { runOrEnd } from './fetch-end.ts';
import { limit as limitHono } from './hono/index.ts';

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
    const end = async (ended: unknown) => {
      told.push(ended);
    };
    const { signal } = new AbortController();
    const running = runOrEnd(() => Promise.reject(failure), signal, end);
    await running.catch((error: unknown) => told.push(error));
    expect(told).toEqual([{ status: 500, isWhole: true }, failure]);
    expect(await runOrEnd(() => 5, signal, end)).toBe(5);
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
      const app = new Hono().use(limitHono(limiter, { peer, skipFailedRequests: true }));
      app.onError((_, context) => context.text('failed', 500));
      app.get('/', () => Promise.reject(failure));
      const answer = await Promise.resolve(app.request('http://a.test/')).catch(() => null);
      await answer?.text();
      await vi.waitFor(async () => expect(await remaining()).toBe(full));
    },
  );
});

type Options = Pick<FetchLimitOptions<null>, 'skipFailedRequests' | 'skipSuccessfulRequests'>;
type Serve = (
  limiter: Limiter,
  options: Options,
  answer: () => Response,
) => (request: Request) => Promise<Response>;

const onFetch: Serve = (limiter, options, answer) => {
  const handler = limitFetch(limiter, { peer, ...options })(answer);
  return async (request) => handler(request, null);
};

const onHono: Serve = (limiter, options, answer) => {
  const app = new Hono().use(limitHono(limiter, { peer, ...options }));
  app.all('/', answer);
  return async (request) => app.request(request);
};

describe.each([
  ['fetch', onFetch],
  ['Hono', onHono],
])('an answer of the %s adapter that is a stream', (_, serve) => {
  const answer = () => new Response(new Blob(['one ', 'two']).stream());
  const skipping = (options: Options) => {
    const { limiter, remaining } = bench();
    return { remaining, ask: serve(limiter, options, answer) };
  };
  const toGet = (signal?: AbortSignal) => new Request('http://a.test/', signal && { signal });

  it('fails when nobody wants the rest of it', async () => {
    const { ask, remaining } = skipping({ skipFailedRequests: true });
    const full = (await remaining()) ?? 0;
    const response = await ask(toGet());
    expect(await remaining()).toBe(full - 1);
    await response.body?.cancel();
    await vi.waitFor(async () => expect(await remaining()).toBe(full));
  });

  it('fails when its client goes away, and does not succeed after that', async () => {
    const failing = skipping({ skipFailedRequests: true });
    const full = (await failing.remaining()) ?? 0;
    const client = new AbortController();
    await failing.ask(toGet(client.signal));
    client.abort();
    await vi.waitFor(async () => expect(await failing.remaining()).toBe(full));

    const succeeding = skipping({ skipSuccessfulRequests: true });
    const other = new AbortController();
    const response = await succeeding.ask(toGet(other.signal));
    other.abort();
    expect(await response.text()).toBe('one two');
    expect(await succeeding.remaining()).toBe(full - 1);
  });

  it('succeeds when all of it was read, and not before', async () => {
    const { ask, remaining } = skipping({ skipSuccessfulRequests: true });
    const full = (await remaining()) ?? 0;
    const response = await ask(toGet());
    expect(await remaining()).toBe(full - 1);
    expect(await response.text()).toBe('one two');
    await vi.waitFor(async () => expect(await remaining()).toBe(full));
  });

  it('has ended at once where only its head is asked for', async () => {
    const { ask, remaining } = skipping({ skipSuccessfulRequests: true });
    const full = await remaining();
    await ask(new Request('http://a.test/', { method: 'HEAD' }));
    expect(await remaining()).toBe(full);
  });
});
