import { createServer } from 'node:http';
import Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cap, limit, protect } from '../../src/adapters/koa/index.ts';
import { createCaps, PRESSURE_HEADER } from '../../src/concurrency/index.ts';
import { createDevices } from '../../src/device/index.ts';
import { createGuard } from '../../src/index.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { ask, listen } from '../conformance/adapter-under-test.ts';

const secret = 'sixteen bytes or more';
/** An application behind all gates, whose handler throws. */
async function serve(thrown: unknown) {
  const app = new Koa();
  const told: unknown[] = [];
  app.on('error', (error) => told.push(error));
  const devices = createDevices({ secret });
  app.use(limit(createLimiter({ store: createMemoryStore(), secret })));
  app.use(cap(createCaps()));
  app.use(protect(createGuard({ secret }), { account: () => 'alice', verify: () => 'alice', devices }));
  app.use((context) => {
    context.cookies.set('session', 'of a call that failed');
    throw thrown;
  });
  const { origin, close } = await listen(createServer(app.callback()));
  onTestFinished(close);
  return {
    told,
    get: (id: string) => ask('http1', origin, { headers: { 'x-request-id': id } }),
  };
}

describe('an error in Koa', () => {
  it('that is thrown for many callers tells each of them its own', async () => {
    const gone = Object.assign(new Error('gone'), { status: 410, expose: true, headers: { 'x-own': 'yes' } });
    const { get, told } = await serve(gone);
    for (const id of ['request-1', 'request-2']) {
      const { status, headers, body } = await get(id);
      expect([status, body, headers['x-own'], headers['x-request-id']]).toEqual([410, 'gone', 'yes', id]);
      // What is left of a quota is not told at a sign-in.
      expect([typeof headers['ratelimit-policy'], headers.ratelimit]).toEqual(['string', undefined]);
      expect(headers[PRESSURE_HEADER]).toBeTypeOf('string');
    }
    expect(gone.headers).toEqual({ 'x-own': 'yes' });
    expect(told).toEqual([gone, gone]);
  });

  it('may have headers of its own instead of ours', async () => {
    const { get } = await serve(Object.assign(new Error('busy'), { headers: { 'X-Request-Id': 'mine' } }));
    expect((await get('request-1')).headers['x-request-id']).toBe('mine');
  });

  it.each([new Error('broken'), 'broken'])(
    'leaves the device token of a sign-in, and no other cookie: %s',
    async (thrown) => {
      const { get } = await serve(thrown);
      const { status, headers } = await get('request-1');
      expect(status).toBe(500);
      expect(headers['set-cookie']).toEqual([expect.stringMatching(/^__Host-portcullis-device=/)]);
    },
  );
});
