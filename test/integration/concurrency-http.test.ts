import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { callerOf, createCaps, overloadAnswer, releaseOnEnd, routeOf } from '../../src/concurrency/index.ts';

/** A server whose handlers answer when they are told to, behind caps of one slot and one place in the queue. */
async function startServer() {
  const caps = createCaps({ routes: { read: { limit: 1, queue: 1 } } });
  const running: ServerResponse[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { route, priority } = routeOf(request.method ?? 'GET', request.url ?? '/');
    const admission = await caps.admit(route, { priority, signal: callerOf(response) });
    if (!admission.admitted) {
      const { status, headers, problem } = overloadAnswer(admission, { requestId: 'r', instance: '/items' });
      response.writeHead(status, headers).end(JSON.stringify(problem));
      return;
    }
    releaseOnEnd(response, admission);
    running.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = (path = '/items') => {
    const call = send({ port, host: '127.0.0.1', path, agent: false });
    const answer = once(call, 'response').then(async ([response]: IncomingMessage[]) => {
      let body = '';
      for await (const chunk of response ?? []) body += chunk;
      return { status: response?.statusCode, headers: response?.headers, body };
    });
    // A call that its test cuts off has no answer.
    answer.catch(() => null);
    call.end();
    return { answer, leave: () => call.destroy() };
  };
  /** Looks again and again until it is so; sockets tell nobody when their other end has noticed. */
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { caps, cap: caps.cap('read'), running, ask, until, stop };
}

let stop = async () => {};
afterEach(() => stop());

describe('caps before node:http', () => {
  it('give the slot to the next when a response has been sent', async () => {
    const server = await startServer();
    stop = server.stop;
    const { cap, running, ask, until } = server;
    const [first, second] = [ask(), ask()];
    await until(() => running.length === 1 && cap.status.waiting === 1);
    running[0]?.end('one');
    expect(await first.answer).toMatchObject({ status: 200, body: 'one' });
    await until(() => running.length === 2);
    running[1]?.end('two');
    expect(await second.answer).toMatchObject({ status: 200, body: 'two' });
    await until(() => cap.status.running === 0);
  });

  it('answer 503 with a problem document when the queue is full', async () => {
    const server = await startServer();
    stop = server.stop;
    const { cap, ask, until } = server;
    ask();
    ask();
    await until(() => cap.status.waiting === 1);
    const { status, headers, body } = await ask().answer;
    expect(status).toBe(503);
    expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'retry-after': '1' });
    expect(JSON.parse(body)).toMatchObject({ code: 'OVERLOADED', status: 503, retryAfter: '1' });
  });

  it('let a health check through all the same', async () => {
    const server = await startServer();
    stop = server.stop;
    const { cap, running, ask, until } = server;
    ask();
    ask();
    await until(() => cap.status.waiting === 1);
    const check = ask('/healthz');
    await until(() => running.length === 2);
    running[1]?.end('ok');
    expect(await check.answer).toMatchObject({ status: 200, body: 'ok' });
  });

  it('forget a caller that hangs up while it waits', async () => {
    const server = await startServer();
    stop = server.stop;
    const { cap, running, ask, until } = server;
    ask();
    const gone = ask();
    await until(() => cap.status.waiting === 1);
    gone.leave();
    await until(() => cap.status.waiting === 0);
    expect(cap.status.running).toBe(1);
    expect(running).toHaveLength(1);
  });

  it('take the slot back from a caller that hangs up while it is served', async () => {
    const server = await startServer();
    stop = server.stop;
    const { cap, running, ask, until } = server;
    const gone = ask();
    await until(() => running.length === 1);
    gone.leave();
    await until(() => cap.status.running === 0);
    const next = ask();
    await until(() => running.length === 2);
    running[1]?.end('next');
    expect(await next.answer).toMatchObject({ status: 200 });
  });
});
