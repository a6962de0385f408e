import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cap as capExpress } from '../../src/adapters/express/index.ts';
import { cap as capFastify } from '../../src/adapters/fastify/index.ts';
import { cap as capHttp } from '../../src/adapters/http/index.ts';
import { cap as capKoa } from '../../src/adapters/koa/index.ts';
import { type Caps, createCaps } from '../../src/concurrency/index.ts';

/** What happens on the other side of a connection is waited for. */
const soon = { timeout: 30_000, interval: 5 };
/** Servers behind a cap, whose handlers work for so long and do not answer. */
const frameworks: Record<string, (caps: Caps, work: () => Promise<void>) => Promise<Server> | Server> = {
  express: (caps, work) => createServer(express().use(capExpress(caps), work)),
  fastify: async (caps, work) => {
    const app = fastify();
    app.addHook('preHandler', capFastify(caps)).get('/', async (_, reply) => {
      await work();
      return reply.hijack();
    });
    await app.ready();
    return app.server;
  },
  koa: (caps, work) => {
    const app = new Koa().use(capKoa(caps)).use(work);
    // That an answer finds nobody is not what this is about.
    app.silent = true;
    return createServer(app.callback() as RequestListener);
  },
  'node:http': (caps, work) => {
    const capped = capHttp(caps);
    return createServer((request, response) => capped(request, response, () => void work()));
  },
};

describe.each(Object.entries(frameworks))('requests sent in one go to %s', (_, serve) => {
  it('give their slots back when the connection goes, those that run and those that wait', async () => {
    const caps = createCaps({
      routes: { read: { limit: 5, queue: 5, queueDeadlineMs: 60_000 } },
    });
    let stopWorking = () => {};
    const worked = new Promise<void>((resolve) => {
      stopWorking = resolve;
    });
    const server = await serve(caps, () => worked);
    onTestFinished(() => server.close().closeAllConnections());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(10));
    const status = (expected: object) =>
      vi.waitFor(() => expect(caps.cap('read').status).toMatchObject(expected), soon);
    await status({ running: 5, waiting: 5 });
    client.destroy();
    stopWorking();
    await status({ running: 0, waiting: 0 });
  });
});
