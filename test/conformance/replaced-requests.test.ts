import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { describe, expect, it } from 'vitest';
import * as fetchAdapter from '../../src/adapters/fetch/index.ts';
import * as honoAdapter from '../../src/adapters/hono/index.ts';
import { createGuard } from '../../src/index.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { listen } from './adapter-under-test.ts';

/** Middleware that hands on another request object than it was given: what is a sign-in stays one to the limits in front of it. */
const secret = 'sixteen bytes or more';
const peer = () => '203.0.113.7';

type Credentials = { readonly account: string; readonly password: string };

const limiterOf = () => createLimiter({ store: createMemoryStore(), secret });
const signIn = (password: string, body: 'whole' | 'stream' = 'whole') => {
  const text = JSON.stringify({ account: 'ada', password });
  return new Request('http://app.test/auth/login', {
    method: 'POST',
    body: body === 'whole' ? text : new Blob([text]).stream(),
    ...(body === 'whole' ? {} : { duplex: 'half' }),
  } as RequestInit);
};

function honoSignIn(): Hono {
  const guard = createGuard({ secret });
  const app = new Hono();
  const protect = honoAdapter.protect(guard, {
    peer,
    account: async ({ req }) => (await req.json()).account,
    verify: async ({ req }) => (await req.json()).password === 'right' && 'ada',
  });
  app.post('/login', protect, (context) => context.json(honoAdapter.signInOf(context)?.value));
  return app;
}

function limitedHono(): Hono {
  const app = new Hono();
  app.use(honoAdapter.limit(limiterOf(), { peer, legacyHeaders: true }));
  return app;
}

/** What an answer tells of a quota, and whether it names the call as its body does. */
async function told(response: Response) {
  const names = ['ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  const body = await response.text();
  const named = /"requestId":"([^"]+)"/.exec(body)?.[1];
  return {
    status: response.status,
    quota: names.filter((name) => response.headers.has(name)),
    isNamedOnce: named === undefined || named === response.headers.get('x-request-id'),
  };
}

const quiet = (status: number) => ({ status, quota: [], isNamedOnce: true });

describe('a sign-in whose request was replaced on the way tells no quota', () => {
  it('in Hono, where an application is mounted', async () => {
    const app = limitedHono();
    app.mount('/auth', honoSignIn().fetch);
    expect(await told(await app.fetch(signIn('right')))).toEqual(quiet(200));
    expect(await told(await app.fetch(signIn('wrong')))).toEqual(quiet(401));
  });

  it('in Hono, where an application is mounted on a server of Node', async () => {
    const app = limitedHono();
    app.mount('/auth', honoSignIn().fetch);
    const { origin, close } = await listen(createAdaptorServer({ fetch: app.fetch }));
    for (const [password, status] of [
      ['right', 200],
      ['wrong', 401],
    ] as const) {
      const { method, body } = { method: 'POST', body: JSON.stringify({ account: 'ada', password }) };
      expect(await told(await fetch(`${origin}/auth/login`, { method, body }))).toEqual(quiet(status));
    }
    await close();
  });

  it('in Hono, behind a limit of bodies that come in parts', async () => {
    const app = limitedHono();
    app.use(bodyLimit({ maxSize: 1_024 }));
    app.route('/auth', honoSignIn());
    expect(await told(await app.fetch(signIn('right', 'stream')))).toEqual(quiet(200));
    expect(await told(await app.fetch(signIn('wrong', 'stream')))).toEqual(quiet(401));
  });

  it('in handlers of fetch', async () => {
    const protect = fetchAdapter.protect(createGuard({ secret }), {
      peer,
      account: async (request) => ((await request.clone().json()) as Credentials).account,
      verify: async (request) => ((await request.json()) as Credentials).password === 'right' && 'ada',
    });
    const inner = protect((_, __, { value }) => Response.json(value));
    const limit = fetchAdapter.limit(limiterOf(), { peer, legacyHeaders: true });
    const outer = limit((request, info) => inner(new Request(request), info));
    expect(await told(await outer(signIn('right'), undefined))).toEqual(quiet(200));
    expect(await told(await outer(signIn('wrong'), undefined))).toEqual(quiet(401));
  });
});
