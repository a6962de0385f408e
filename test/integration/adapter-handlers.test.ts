import { createServer } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as expressAdapter from '../../src/adapters/express/index.ts';
import * as fastifyAdapter from '../../src/adapters/fastify/index.ts';
import * as fetchAdapter from '../../src/adapters/fetch/index.ts';
import * as honoAdapter from '../../src/adapters/hono/index.ts';
import * as koaAdapter from '../../src/adapters/koa/index.ts';
import { createCaps } from '../../src/concurrency/index.ts';
import { createGuard } from '../../src/index.ts';
import { createLimiter, type Limiter } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { ask, listen } from '../conformance/adapter-under-test.ts';

const secret = 'sixteen bytes or more';
const peer = () => '127.0.0.1';
/** Refuses the second call, in frozen time. */
function strictLimiter(): Limiter {
  const store = createMemoryStore({ clock: () => 1_700_000_000_000 });
  return createLimiter({ store, secret, anonymous: { ratePerSecond: 0.5, burst: 2 } });
}

/** A guard and the sign-in that everybody fails. */
const hopeless = () => ({
  guard: createGuard({ secret }),
  options: { account: () => 'alice', verify: () => null },
});

async function serve(handler: Parameters<typeof createServer>[1]) {
  const app = await listen(createServer(handler));
  onTestFinished(() => app.close());
  return (path = '/') => ask('http1', `${app.origin}${path}`);
}

describe('an application answers in its own words', () => {
  it('on Express', async () => {
    const { guard, options } = hopeless();
    const app = express();
    app.use(
      '/limited',
      expressAdapter.limit(strictLimiter(), {
        requestPropertyName: 'quota',
        handler: (_, response, __, { status }) => {
          response.status(status).send('slow down');
        },
      }),
      (request, response) => {
        response.json({ left: Reflect.get(request, 'quota').remaining });
      },
    );
    app.use(
      '/login',
      expressAdapter.protect(guard, {
        ...options,
        handler: (_, response, __, { reason }) => {
          response.redirect(`/sign-in?why=${reason}`);
        },
      }),
    );
    const get = await serve(app);
    expect(JSON.parse((await get('/limited')).body)).toEqual({ left: 0 });
    const refused = await get('/limited');
    expect([refused.status, refused.body, refused.headers['retry-after']]).toEqual([429, 'slow down', '2']);
    expect((await get('/login')).headers.location).toBe('/sign-in?why=credentials');
    expect((await get('/login')).headers.location).toBe('/sign-in?why=blocked');
  });

  it('on Fastify', async () => {
    const { guard, options } = hopeless();
    const app = fastify();
    const onRequest = fastifyAdapter.limit(strictLimiter(), {
      handler: async (_, reply, { status }) => {
        await reply.code(status).send('slow down');
      },
    });
    const preHandler = fastifyAdapter.protect(guard, {
      ...options,
      handler: async (_, reply, { reason }) => {
        await reply.redirect(`/sign-in?why=${reason}`);
      },
    });
    app.get('/limited', { onRequest }, async () => 'ok');
    app.get('/login', { preHandler }, async () => 'welcome');
    expect((await app.inject('/limited')).body).toBe('ok');
    const refused = await app.inject('/limited');
    expect([refused.statusCode, refused.body, refused.headers['retry-after']]).toEqual([
      429,
      'slow down',
      '2',
    ]);
    expect((await app.inject('/login')).headers.location).toBe('/sign-in?why=credentials');
    await app.close();
  });

  it('on Koa', async () => {
    const { guard, options } = hopeless();
    const limited = koaAdapter.limit(strictLimiter(), {
      handler: (context, { status }) => {
        context.status = status;
        context.body = 'slow down';
      },
    });
    const signIn = koaAdapter.protect(guard, {
      ...options,
      handler: (context, { reason }) => context.redirect(`/sign-in?why=${reason}`),
    });
    const app = new Koa();
    app.use((context, next) => (context.path === '/login' ? signIn : limited)(context, next));
    app.use((context) => {
      context.body = 'ok';
    });
    const get = await serve(app.callback());
    expect((await get()).body).toBe('ok');
    const refused = await get();
    expect([refused.status, refused.body, refused.headers['retry-after']]).toEqual([429, 'slow down', '2']);
    expect((await get('/login')).headers.location).toBe('/sign-in?why=credentials');
  });

  it('on Hono, on a runtime that keeps the peer elsewhere', async () => {
    const { guard, options } = hopeless();
    const app = new Hono();
    app.use(
      '/limited',
      honoAdapter.limit(strictLimiter(), {
        peer,
        handler: (context, { status }) => context.text('slow down', status as 429),
      }),
    );
    app.get('/limited', (context) => context.text('ok'));
    app.get(
      '/login',
      honoAdapter.protect(guard, {
        ...options,
        peer,
        handler: (context, { reason }) => context.redirect(`/sign-in?why=${reason}`),
      }),
    );
    expect(await (await app.request('/limited')).text()).toBe('ok');
    const refused = await app.request('/limited');
    expect([refused.status, await refused.text(), refused.headers.get('retry-after')]).toEqual([
      429,
      'slow down',
      '2',
    ]);
    expect((await app.request('/login')).headers.get('location')).toBe('/sign-in?why=credentials');
  });

  it('in a fetch-style handler', async () => {
    const { guard, options } = hopeless();
    const limited = fetchAdapter.limit(strictLimiter(), {
      peer,
      handler: (_, { status }) => new Response('slow down', { status }),
    })(() => new Response('ok'));
    const signIn = fetchAdapter.protect(guard, {
      ...options,
      peer,
      handler: (_, { reason }) => new Response(reason, { status: 403 }),
    })(() => new Response('welcome'));
    const request = () => new Request('http://localhost/x');
    expect(await (await limited(request(), undefined)).text()).toBe('ok');
    const refused = await limited(request(), undefined);
    expect([refused.status, await refused.text(), refused.headers.get('retry-after')]).toEqual([
      429,
      'slow down',
      '2',
    ]);
    const denied = await signIn(request(), undefined);
    expect([denied.status, await denied.text()]).toEqual([403, 'credentials']);
  });
});

it('an absolute target costs what its path costs', async () => {
  const store = createMemoryStore({ clock: () => 1_700_000_000_000 });
  const limiter = createLimiter({ store, secret, anonymous: { ratePerSecond: 10, burst: 2 } });
  const app = express();
  app.use(expressAdapter.limit(limiter));
  app.put('/create', (_, response) => {
    response.send('created');
  });
  const running = await listen(createServer(app));
  onTestFinished(() => running.close());
  const { port } = new URL(running.origin);
  const text = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.end('PUT http://somewhere/create HTTP/1.1\r\nHost: somewhere\r\nConnection: close\r\n\r\n'),
    );
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.on('close', () => resolve(received));
  });
  expect(text).toContain('created');
  // Names of headers have no case.
  expect(text).toMatch(/^ratelimit: "default";r=15;t=1\r$/im);
});

describe('of two limits on one way', () => {
  /** Two names, the inner one of which refuses the second call. */
  const limiters = () => {
    const store = createMemoryStore({ clock: () => 1_700_000_000_000 });
    const outer = createLimiter({ store, secret, name: 'outer' });
    const inner = createLimiter({
      store,
      secret,
      name: 'inner',
      anonymous: { ratePerSecond: 0.5, burst: 2 },
    });
    return { outer, inner };
  };
  const told = (headers: Headers) => headers.get('ratelimit')?.split(';')[0];

  it('the inner one tells its quota on Hono, refused or not', async () => {
    const { outer, inner } = limiters();
    const app = new Hono().use(honoAdapter.limit(outer, { peer }));
    app.use(honoAdapter.limit(inner, { peer }));
    app.get('/', () => new Response('served'));
    const answers = [await app.request('/'), await app.request('/')];
    expect(answers.map(({ status, headers }) => [status, told(headers)])).toEqual([
      [200, '"inner"'],
      [429, '"inner"'],
    ]);
    expect(answers[1]?.headers.get('retry-after')).toBe('2');
  });

  it('the inner one tells its quota on a fetch-style handler, refused or not', async () => {
    const { outer, inner } = limiters();
    const served = fetchAdapter.limit(inner, { peer })(() => new Response('served'));
    const capped = fetchAdapter.cap(createCaps())(served);
    const handler = fetchAdapter.limit(outer, { peer, skipFailedRequests: true })(capped);
    const ask = () => handler(new Request('http://localhost/'), null);
    const answers = [await ask(), await ask()];
    expect(answers.map(({ status, headers }) => [status, told(headers)])).toEqual([
      [200, '"inner"'],
      [429, '"inner"'],
    ]);
    expect(answers[1]?.headers.get('retry-after')).toBe('2');
  });

  it('the only one tells its quota, whatever an upstream has said of its own', async () => {
    const answer = () => new Response('served', { headers: { ratelimit: '"upstream";r=1;t=1' } });
    const handler = fetchAdapter.limit(limiters().outer, { peer })(answer);
    expect(told((await handler(new Request('http://localhost/'), null)).headers)).toBe('"outer"');
    const app = new Hono().use(honoAdapter.limit(limiters().outer, { peer }));
    app.get('/', answer);
    expect(told((await app.request('/')).headers)).toBe('"outer"');
  });
});

describe('a fetch-style handler', () => {
  it('may fail as the network does', async () => {
    const failed = Response.error();
    const handler = fetchAdapter.limit(strictLimiter(), { peer })(() => failed);
    expect(await handler(new Request('http://localhost/'), null)).toBe(failed);
  });
});
