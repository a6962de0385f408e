import { createServer } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as expressAdapter from '../../src/adapters/express/index.ts';
import * as fastifyAdapter from '../../src/adapters/fastify/index.ts';
import * as fetchAdapter from '../../src/adapters/fetch/index.ts';
import * as honoAdapter from '../../src/adapters/hono/index.ts';
import * as httpAdapter from '../../src/adapters/http/index.ts';
import * as koaAdapter from '../../src/adapters/koa/index.ts';
import { createLimiter, type Limiter } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { ask, HandlerFailure, listen, originOf, type ServedApp } from '../conformance/adapter-under-test.ts';

const secret = 'sixteen bytes or more';
const options = { legacyHeaders: true } as const;
/** Serves two limits, one behind the other; what is behind both throws at `/broken`. */
type Serve = (outer: Limiter, inner: Limiter) => Promise<ServedApp>;

function answerOf(path: string | undefined): string {
  if (path === '/broken') throw new HandlerFailure();
  return 'served';
}

const frameworks: Readonly<Record<string, Serve>> = {
  'node:http': (outer, inner) => {
    const limits = [httpAdapter.limit(outer, options), httpAdapter.limit(inner, options)] as const;
    return listen(
      createServer((request, response) => {
        limits[0](request, response, () =>
          limits[1](request, response, () => {
            response.statusCode = request.url === '/broken' ? 500 : 200;
            response.end('served');
          }),
        );
      }),
    );
  },
  Express: (outer, inner) => {
    const app = express();
    app.set('env', 'test');
    app.use(expressAdapter.limit(outer, options), expressAdapter.limit(inner, options));
    app.use((request, response) => {
      response.send(answerOf(request.url));
    });
    return listen(createServer(app));
  },
  Fastify: async (outer, inner) => {
    const app = fastify({ forceCloseConnections: true });
    app.addHook('onRequest', fastifyAdapter.limit(outer, options));
    app.all('/*', { onRequest: fastifyAdapter.limit(inner, options) }, async ({ url }) => answerOf(url));
    await app.listen({ host: '127.0.0.1', port: 0 });
    return { origin: originOf(app.server), close: () => app.close() };
  },
  Koa: (outer, inner) => {
    const app = new Koa();
    app.silent = true;
    app.use(koaAdapter.limit(outer, options)).use(koaAdapter.limit(inner, options));
    app.use((context) => {
      context.body = answerOf(context.url);
    });
    return listen(createServer(app.callback()));
  },
  Hono: (outer, inner) => {
    const app = new Hono();
    app.onError((_, context) => context.text('failed', 500));
    app.use(honoAdapter.limit(outer, options), honoAdapter.limit(inner, options));
    app.all('/*', ({ req }) => new Response(answerOf(req.path)));
    return listen(createAdaptorServer({ fetch: app.fetch, createServer }));
  },
  fetch: (outer, inner) => {
    const own = { ...options, peer: () => '127.0.0.1' };
    const behind = fetchAdapter.limit(
      inner,
      own,
    )((request) => new Response('served', { status: request.url.endsWith('/broken') ? 500 : 200 }));
    const handler = fetchAdapter.limit(outer, own)(behind);
    return listen(createAdaptorServer({ fetch: (request) => handler(request, undefined), createServer }));
  },
};

describe.each(Object.entries(frameworks))('of two limits on one way, on %s,', (_, serve) => {
  async function headersAt(path: string, signIns: readonly string[]) {
    const store = createMemoryStore({ clock: () => 1_700_000_000_000 });
    const limiters = ['outer', 'inner'].map((name) => {
      const signIn = signIns.includes(name);
      return createLimiter({ store, secret, name, routes: [{ path: '/*', signIn }] });
    });
    const app = await serve(limiters[0] as Limiter, limiters[1] as Limiter);
    onTestFinished(() => app.close());
    const { headers } = await ask('http1', `${app.origin}${path}`);
    const names = ['ratelimit-policy', 'ratelimit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    return names.map((name) => headers[name]);
  }

  it.each(['/', '/broken'])('the inner one tells its quota at %s', async (path) => {
    const [policy, quota] = await headersAt(path, []);
    expect([policy, quota]).toEqual(['"inner";q=7;w=3', '"inner";r=6;t=1']);
  });

  it.each([
    ['/', 'outer'],
    ['/', 'inner'],
    ['/broken', 'outer'],
    ['/broken', 'inner'],
  ])('none tells at %s how much is left where it is a sign-in to the %s one', async (path, signIn) => {
    const [policy, ...quota] = await headersAt(path, [signIn]);
    expect([policy, ...quota]).toEqual(['"inner";q=7;w=3', undefined, undefined, undefined]);
  });
});
