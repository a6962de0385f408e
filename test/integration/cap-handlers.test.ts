import { createServer, type RequestListener } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as expressAdapter from '../../src/adapters/express/index.ts';
import * as fastifyAdapter from '../../src/adapters/fastify/index.ts';
import * as fetchAdapter from '../../src/adapters/fetch/index.ts';
import * as honoAdapter from '../../src/adapters/hono/index.ts';
import * as httpAdapter from '../../src/adapters/http/index.ts';
import * as koaAdapter from '../../src/adapters/koa/index.ts';
import { type Admitted, type Caps, createCaps, PRESSURE_HEADER } from '../../src/concurrency/index.ts';
import { ask, listen, originOf, type ServedApp } from '../conformance/adapter-under-test.ts';

/** What the handler does with its slot before it answers. */
type Work = (slot: Admitted | null | undefined) => Promise<void>;
type Serve = (caps: Caps, work: Work) => Promise<ServedApp>;

const busy = 'busy';
const route = () => ({ route: 'export' });

const onHttp: Serve = (caps, work) => {
  const capped = httpAdapter.cap(caps, {
    route,
    handler: (_, response) => response.end(busy),
  });
  const listener: RequestListener = (request, response) =>
    capped(request, response, () => {
      void work(httpAdapter.slotOf(request)).then(() => response.end('served'));
    });
  return listen(createServer(listener));
};

const onExpress: Serve = (caps, work) => {
  const app = express();
  app.use(expressAdapter.cap(caps, { route, handler: (_, response) => response.send(busy) }));
  app.use(async (request, response) => {
    await work(expressAdapter.slotOf(request));
    response.send('served');
  });
  return listen(createServer(app));
};

const onFastify: Serve = async (caps, work) => {
  const app = fastify({ forceCloseConnections: true });
  const handler = async (_: unknown, reply: fastify.FastifyReply) => void reply.send(busy);
  app.addHook('onRequest', fastifyAdapter.cap(caps, { route, handler }));
  app.get('/', async (request) => {
    await work(fastifyAdapter.slotOf(request));
    return 'served';
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { origin: originOf(app.server), close: () => app.close() };
};

const onKoa: Serve = (caps, work) => {
  const app = new Koa();
  const handler = (context: Koa.Context) => {
    context.body = busy;
  };
  app.use(koaAdapter.cap(caps, { route, handler }));
  app.use(async (context) => {
    await work(koaAdapter.slotOf(context));
    context.body = 'served';
  });
  return listen(createServer(app.callback()));
};

const onHono: Serve = (caps, work) => {
  const app = new Hono();
  app.use(honoAdapter.cap(caps, { route, handler: (context) => context.text(busy) }));
  app.get('/', async (context) => {
    await work(honoAdapter.slotOf(context));
    return context.text('served');
  });
  return listen(createAdaptorServer({ fetch: app.fetch, createServer }));
};

const onFetch: Serve = (caps, work) => {
  const capped = fetchAdapter.cap(caps, { route, handler: () => new Response(busy) });
  const handler = capped(async (_, __, slot) => {
    await work(slot);
    return new Response('served');
  });
  return listen(createAdaptorServer({ fetch: handler, createServer }));
};

const frameworks: readonly (readonly [name: string, serve: Serve])[] = [
  ['node:http', onHttp],
  ['Express', onExpress],
  ['Fastify', onFastify],
  ['Koa', onKoa],
  ['Hono', onHono],
  ['a fetch-style handler', onFetch],
];

async function open(serve: Serve, work: Work) {
  const caps = createCaps({ routes: { export: { limit: 1, queue: 0 } } });
  const app = await serve(caps, work);
  onTestFinished(() => app.close());
  return { cap: caps.cap('export'), url: `${app.origin}/` };
}

describe.each(frameworks)('a cap of one slot on %s', (name, serve) => {
  it('lets an application refuse in its own words', async () => {
    const { cap, url } = await open(serve, async () => {});
    const held = cap.tryAdmit();
    const { status, headers, body } = await ask('http1', url);
    expect([status, body]).toEqual([200, busy]);
    expect(headers[PRESSURE_HEADER]).toMatch(/^0\.\d\d$/);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-type'] ?? '').not.toContain('problem');
    expect(held.admitted && held.release()).toBe(true);
    expect((await ask('http1', url)).body).toBe('served');
  });

  it('tells the handler when the client has left, and counts its call as long as it can see it', async () => {
    const calls: { readonly slot: Admitted; readonly signal: AbortSignal }[] = [];
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { cap, url } = await open(serve, async (slot) => {
      calls.push(slot ? { slot, signal: slot.signal } : expect.unreachable());
      await finished;
    });
    let leave = () => {};
    const left = ask('http1', url, {
      onOpen: (abort) => {
        leave = abort;
      },
    }).catch(() => 'left');
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    expect(calls[0]?.signal.aborted).toBe(false);
    leave();
    expect(await left).toBe('left');
    await vi.waitFor(() => expect(calls[0]?.signal.aborted).toBe(true));
    const seesHandlers = ['Koa', 'Hono', 'a fetch-style handler'].includes(name);
    await vi.waitFor(() => expect(cap.status.running).toBe(seesHandlers ? 1 : 0));
    finish();
    await vi.waitFor(() => expect(cap.status.running).toBe(0));
    expect(calls[0]?.slot.release()).toBe(false);
  });
});
