import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/server/route.ts';
import { Random } from '../../src/testing/random.ts';
import { until } from '../servers/redis-server.ts';
import { identifiers, oddBytes, oddRequest } from './service-fuzz.ts';
import { ask, bearer, type ServiceUnderTest, startService, tokenList } from './service-under-test.ts';

/** Requests of each of the two fuzzers. In all 100,000 have been sent; the suite sends fewer. */
const fuzzed = Number(process.env.PORTCULLIS_FUZZ ?? 1_200);
const atOnce = 32;
const fuzzMs = Math.max(120_000, fuzzed * 30);

describe('fuzzed requests', () => {
  let under: ServiceUnderTest;
  beforeAll(async () => {
    under = await startService(
      {
        tokens: tokenList,
        limits: { anonymous: { ratePerSecond: 1_000, burst: 4 } },
        telemetry: { feed: { maxSubscribers: 8 } },
      },
      { bounds: { requestMs: 2_000 } },
    );
  });
  afterAll(() => under.close());

  it('are answered as documented, on every route', { timeout: fuzzMs }, async () => {
    const random = new Random('odd requests');
    const documented = statusesOf(await descriptionOf(under));
    const surprises = new Map<string, number>();
    for (let sent = 0; sent < fuzzed; sent += atOnce) {
      const requests = Array.from({ length: atOnce }, () => oddRequest(random, under.service.routes));
      await Promise.all(
        requests.map(async ({ route, method, path, body, headers }) => {
          const { status } = await send(under.url, method, path, body, headers);
          const known = route !== null && method === route.method ? documented(route) : strangerStatuses;
          const name = `${method} ${route?.path ?? 'nowhere'} ${status}`;
          if (!known.has(status)) surprises.set(name, (surprises.get(name) ?? 0) + 1);
        }),
      );
    }
    expect([...surprises]).toEqual([]);
  });

  it('that are no HTTP at all end their connection, and nothing else', { timeout: fuzzMs }, async () => {
    const random = new Random('odd bytes');
    for (let sent = 0; sent < fuzzed; sent += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, () => sendBytes(under.port, oddBytes(random))));
    }
    expect((await ask(under.url, 'GET', '/healthz')).status).toBe(200);
  });

  it('leave no identifier in any line or number', async () => {
    const { text: numbers } = await under.ask('GET', '/metrics', undefined, bearer('observe'));
    const { text: status } = await under.ask('GET', '/v1/status', undefined, bearer('observe'));
    const { text: blocks } = await under.ask('GET', '/v1/blocks', undefined, bearer('observe'));
    const told = [...under.lines, numbers, status, blocks].join('\n');
    for (const identifier of identifiers) expect(told).not.toContain(identifier);
    expect(told).not.toMatch(/"level":"(error|fatal)"/);
    expect(numbers.split('\n').length).toBeLessThan(2_000);
  });

  it('leave memory as it was', async () => {
    const random = new Random('memory');
    const round = async () => {
      for (let sent = 0; sent < 320; sent += atOnce) {
        const requests = Array.from({ length: atOnce }, () => oddRequest(random, under.service.routes));
        await Promise.all(
          requests.map(({ method, path, body, headers }) => send(under.url, method, path, body, headers)),
        );
      }
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    await round();
    const sizes = [];
    for (let n = 0; n < 4; n += 1) sizes.push(await round());
    // What is not collected yet comes and goes; what grows with every request would be far more than this.
    expect(Math.min(...sizes.slice(2)) - Math.min(...sizes.slice(0, 2))).toBeLessThan(32);
  });
});

describe('connections', () => {
  it('that bring nothing, thousands of them, keep nobody out', async () => {
    const under = await startService({ listen: { maxConnections: 400 } });
    const idle = await openSockets(under.port, 1_000);
    const decided = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        under.ask('POST', '/v1/check', { ip: '192.0.2.1', account: `a${n}` }),
      ),
    );
    expect(decided.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(idle.filter((socket) => !socket.destroyed).length).toBeLessThanOrEqual(400);
    for (const socket of idle) socket.destroy();
    await under.close();
  });

  it('that speak a letter at a time are ended, while others are answered', async () => {
    const under = await startService({}, { bounds: { requestMs: 400 } });
    const slow = await openSockets(under.port, 50);
    const talk = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('x');
    }, 50);
    for (const socket of slow) socket.write('POST /v1/check HTTP/1.1\r\nhost: localhost\r\n');
    const { status } = await under.ask('POST', '/v1/check', { ip: '192.0.2.1', account: 'a' });
    expect(status).toBe(200);
    await until(() => slow.every((socket) => socket.destroyed));
    clearInterval(talk);
    await under.close();
  });

  it('that take none of their answers are ended too', async () => {
    const under = await startService({}, { bounds: { stalledMs: 400, requestsAtOnce: 1_000 } });
    const [socket] = await openSockets(under.port, 1);
    socket?.pause();
    socket?.on('error', () => {});
    const ended = new Promise((resolve) => socket?.once('close', resolve));
    socket?.write('GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(500));
    // What is still to be written fails as soon as nobody is there any more.
    const push = setInterval(() => socket?.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'), 100);
    await ended;
    clearInterval(push);
    await under.close();
  });

  it('that bring thousands of requests in one go are ended, before most of them are run', async () => {
    const under = await startService({});
    const [socket] = await openSockets(under.port, 1);
    const ended = collect(socket as Socket);
    const body = '{"ip":"192.0.2.1"}';
    const request = `POST /v1/consume HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    socket?.write(request.repeat(2_000));
    await ended;
    const { text } = await under.ask('GET', '/metrics');
    const decided = text.matchAll(/^portcullis_decisions_total\{.*op="consume".*\} (\d+)$/gm);
    expect([...decided].reduce((sum, [, count]) => sum + Number(count), 0)).toBeLessThanOrEqual(32);
    await under.close();
  });

  it('with a body that never ends are ended too', async () => {
    const under = await startService({}, { bounds: { requestMs: 400 } });
    const [socket] = await openSockets(under.port, 1);
    const answer = collect(socket as Socket);
    socket?.write('POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"ip"');
    expect(await answer).toMatch(/^HTTP\/1.1 408 /);
    await under.close();
  });

  it.each([
    [
      'headers beyond the bound',
      `GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    [
      'a body beyond the bound',
      'POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-length: 70000\r\n\r\n',
      413,
    ],
    [
      'a body in crumbs',
      `POST /v1/check HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(2_000)}2\r\n{}\r\n0\r\n\r\n`,
      413,
    ],
    [
      'a body beyond the bound, in pieces',
      `POST /v1/check HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n11170\r\n${'z'.repeat(70_000)}\r\n0\r\n\r\n`,
      413,
    ],
    [
      'two lengths',
      'POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
    ],
    [
      'a length and pieces',
      'POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['another name for this machine', 'GET /v1/blocks HTTP/1.1\r\nhost: evil.example\r\n\r\n', 403],
    ['something else to expect', 'GET /healthz HTTP/1.1\r\nhost: localhost\r\nexpect: cake\r\n\r\n', 417],
    [
      'a compressed body',
      'POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}',
      415,
    ],
    [
      'a body that is not UTF-8',
      'POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\n\r\n"\u00ff"!',
      400,
    ],
  ])('with %s get an answer', async (_, request, status) => {
    const under = await startService();
    const [socket] = await openSockets(under.port, 1);
    const answer = collect(socket as Socket);
    socket?.write(Buffer.from(request, 'latin1'));
    const text = await Promise.race([
      answer,
      sleep(1_000)
        .then(() => socket?.destroy())
        .then(() => answer),
    ]);
    expect(text.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await under.close();
  });

  it('that reach no route are counted by the status of their answers', async () => {
    const under = await startService();
    for (const request of [
      'hello\r\n\r\n',
      `GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      'GET /healthz HTTP/1.1\r\nhost: localhost\r\nexpect: cake\r\n\r\n',
    ]) {
      const [socket] = await openSockets(under.port, 1);
      const answer = collect(socket as Socket);
      socket?.write(request);
      await answer;
    }
    const { text } = await under.ask('GET', '/metrics');
    const counted = [...text.matchAll(/^portcullis_http_requests_total\{(.*)\} (\d+)$/gm)];
    expect(counted.map(([, labels, count]) => `${labels}: ${count}`)).toEqual([
      'method="other",route="none",status="400": 1',
      'method="other",route="none",status="431": 1',
      'method="other",route="none",status="417": 1',
    ]);
    await under.close();
  });

  it('that are refused while they send hear it, and are not read for ever', async () => {
    const under = await startService();
    const refused = async () => {
      const socket = connect({ port: under.port, host: '127.0.0.1', allowHalfOpen: true });
      const errors: Error[] = [];
      socket.on('error', (error) => errors.push(error)).write(`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(String(answer)).toMatch(/^HTTP\/1.1 431 /);
      await once(socket, 'end');
      return { socket, errors, closed: new Promise((resolve) => socket.once('close', resolve)) };
    };
    const honest = await refused();
    for (let piece = 0; piece < 5; piece += 1) {
      honest.socket.write('y'.repeat(100_000));
      await sleep(10);
    }
    honest.socket.end();
    await honest.closed;
    expect(honest.errors).toEqual([]);
    const endless = await refused();
    const more = () => endless.socket.writable && endless.socket.write('y'.repeat(65_536), more);
    more();
    await endless.closed;
    await under.close();
  });

  it('that send requests in a row get their answers in that order', async () => {
    const under = await startService();
    const [socket] = await openSockets(under.port, 1);
    const answer = collect(socket as Socket);
    const body = '{"ip":"192.0.2.1","account":"a"}';
    const check = `POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    socket?.write(
      `${check}GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\nGET /nothing HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
    );
    const statuses = [...(await answer).matchAll(/HTTP\/1.1 (\d{3})/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '200', '404']);
    await under.close();
  });
});

const strangerStatuses: ReadonlySet<number> = new Set([200, 400, 401, 403, 404, 405, 413, 415, 429]);

/** `fetch` refuses some paths and headers by itself; those are no test of the service. */
async function send(
  url: string,
  method: string,
  path: string,
  body?: string,
  headers?: Record<string, string>,
) {
  return ask(url, method, path, body, headers);
}

async function sendBytes(port: number, bytes: Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  socket.resume();
  socket.write(bytes);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await Promise.race([closed, sleep(20)]);
  socket.destroy();
}

async function openSockets(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count; opened += 100) {
    const batch = Array.from({ length: Math.min(100, count - opened) }, () => connect(port, '127.0.0.1'));
    for (const socket of batch) socket.on('error', () => socket.destroy());
    await Promise.all(
      batch.map(
        (socket) =>
          new Promise<void>((resolve) =>
            socket.once('connect', () => resolve()).once('close', () => resolve()),
          ),
      ),
    );
    sockets.push(...batch);
  }
  return sockets;
}

/** All that comes until the connection ends. */
function collect(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.once('close', () => resolve(text));
  });
}

type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: object }>>>>;
};

async function descriptionOf({ ask: get }: ServiceUnderTest): Promise<Description> {
  return (await get('GET', '/openapi.json')).json;
}

function statusesOf({ paths }: Description): (route: Route) => ReadonlySet<number> {
  return ({ method, path }) => {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    // A parameter that is empty or not well encoded is a path that there is not.
    const others = path.includes(':') ? [404, 405] : [];
    return new Set([...Object.keys(operation?.responses ?? {}).map(Number), ...others]);
  };
}

describe('a connection that ends in the middle', () => {
  const malformed = async (under: ServiceUnderTest) =>
    (await under.ask('GET', '/metrics')).text
      .split('\n')
      .filter((line) => /http_requests.*route="none"/.test(line));

  it('is no request where it was reset without a word', async () => {
    const under = await startService();
    for (let n = 0; n < 3; n += 1) {
      const socket = connect(under.port, '127.0.0.1');
      await once(socket, 'connect');
      await sleep(20);
      socket.resetAndDestroy();
    }
    await sleep(50);
    expect(await malformed(under)).toEqual([]);
    await under.close();
  });

  it('gets no second answer into the middle of one', async () => {
    const under = await startService();
    const socket = connect(under.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.write('GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => text.includes('\r\n\r\n'));
    const ended = once(socket, 'close');
    socket.on('error', () => {}).write('garbage\r\n\r\n');
    await ended;
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    await under.close();
  });
});
