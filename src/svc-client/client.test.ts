import { createServer as createTcpServer } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Loopback, startLoopback, unusedUrl } from '../../test/integration/svc-client/loopback.ts';
import { listenTo, testKeys } from '../../test/simulation/svc-client/simulated-client.ts';
import {
  createSvcClient,
  type SvcClient,
  type SvcClientOptions,
  type SvcRequest,
  type TargetOptions,
} from './index.ts';

async function serve(...args: Parameters<typeof startLoopback>): Promise<Loopback> {
  const loopback = await startLoopback(...args);
  onTestFinished(loopback.close);
  return loopback;
}

function clientOf(
  target: TargetOptions,
  options: Partial<Omit<SvcClientOptions, 'targets'>> = {},
): SvcClient {
  const client = createSvcClient({
    self: 'orders@1',
    keys: testKeys,
    ...options,
    targets: { 'stock@1': target },
  });
  onTestFinished(() => client.close());
  return client;
}

async function answerOf(client: SvcClient, ...args: Parameters<SvcClient['call']>) {
  const result = await client.call(...args);
  if (!result.ok) throw new TypeError(`denied: ${result.denied.reason}`);
  return result.response;
}

describe('a call over HTTP', () => {
  it('brings the answer, with headers and body', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(201, { 'content-type': 'application/json', 'x-shelf': '7' }).end('{"left":3}');
    });
    const { status, headers, body } = await answerOf(clientOf({ url }), 'stock@1');
    expect({ status, shelf: headers['x-shelf'], body: await body.json() }).toEqual({
      status: 201,
      shelf: '7',
      body: { left: 3 },
    });
  });

  it('sends method, path below the base URL, query, headers and body', async () => {
    let received = '';
    const { url, requests } = await serve(async (request, response) => {
      for await (const chunk of request) received += chunk;
      response.end();
    });
    const headers = { 'X-Tenant': 't1' };
    const request = { method: 'put', path: '/items/1?dry=1', headers, body: 'amount=2' };
    await (await answerOf(clientOf({ url: `${url}/api/` }), 'stock@1', request)).body.dump();
    expect(requests[0]).toMatchObject({ method: 'PUT', url: '/api/items/1?dry=1' });
    expect(requests[0]?.headers['x-tenant']).toBe('t1');
    expect(received).toBe('amount=2');
  });

  it('sends a stream', async () => {
    let received = '';
    const { url } = await serve(async (request, response) => {
      for await (const chunk of request) received += chunk;
      response.end();
    });
    const request = { method: 'POST', path: '/items', body: Readable.from(['a', 'b']) };
    await (await answerOf(clientOf({ url }), 'stock@1', request)).body.dump();
    expect(received).toBe('ab');
  });

  it('brings a large body whole or piece by piece, and a slow reader holds it back', async () => {
    const piece = Buffer.alloc(100_000, 'x');
    const { url } = await serve(async (_, response) => {
      for (let i = 0; i < 30; i += 1) {
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    });
    const client = clientOf({ url });
    expect(await (await answerOf(client, 'stock@1')).body.text()).toHaveLength(3_000_000);
    let length = 0;
    for await (const chunk of (await answerOf(client, 'stock@1')).body) {
      await new Promise((resolve) => setImmediate(resolve));
      length += chunk.length;
    }
    expect(length).toBe(3_000_000);
    await (await answerOf(client, 'stock@1')).body.dump();
    for await (const chunk of (await answerOf(client, 'stock@1')).body) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(await (await answerOf(client, 'stock@1')).body.text()).toHaveLength(3_000_000);
  });

  it('has answers to HEAD and interim answers behind it', async () => {
    const { url } = await serve((_, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeHead(200, { 'content-length': '5' }).end();
    });
    const { status, body } = await answerOf(clientOf({ url }), 'stock@1', { method: 'HEAD' });
    expect([status, await body.text()]).toEqual([200, '']);
  });

  it('goes round between several URLs, and a retry goes to the next one', async () => {
    const well = await serve((_, response) => response.end('well'));
    const client = clientOf({ url: [await unusedUrl(), well.url] });
    for (let i = 0; i < 4; i += 1) {
      expect(await (await answerOf(client, 'stock@1')).body.text()).toBe('well');
    }
    expect(client.health().targets[0]).toMatchObject({ calls: 4, breaker: 'closed' });
  });

  it('retries a gateway error', async () => {
    const statuses = [503, 502];
    const { url } = await serve((_, response) => {
      response.writeHead(statuses.shift() ?? 200).end('done');
    });
    const client = clientOf({ url, backoff: { firstMs: 1 } });
    expect(await client.call('stock@1')).toMatchObject({ ok: true, attempts: 3 });
  });

  it('passes the request id and the trace on', async () => {
    const { url, requests } = await serve((_, response) => response.end());
    const client = clientOf({ url });
    await client.journey({ requestId: 'r-1' }, async () => (await answerOf(client, 'stock@1')).body.dump());
    const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    await (await answerOf(client, 'stock@1', { headers })).body.dump();
    expect(requests[0]?.headers['x-request-id']).toBe('r-1');
    expect(requests[1]?.headers['x-request-id']).toMatch(/^[\w-]{13,}$/);
    expect(requests[1]?.headers.traceparent).toBe(headers.traceparent);
  });

  it('always carries its own passport, whatever the caller puts there', async () => {
    const { url, requests } = await serve((_, response) => response.end());
    const headers = { 'X-Portcullis-Passport': 'mine' };
    await (await answerOf(clientOf({ url }), 'stock@1', { headers })).body.dump();
    expect(requests[0]?.headers['x-portcullis-passport']).toMatch(/^1;k1;[\w-]{22};0;2000;[\w-]/);
  });

  it('carries none to a target outside of the estate', async () => {
    const { url, requests } = await serve((_, response) => response.end());
    const headers = { 'X-Portcullis-Passport': 'mine' };
    await (await answerOf(clientOf({ url, passport: false }), 'stock@1', { headers })).body.dump();
    expect(requests[0]?.headers).not.toHaveProperty('x-portcullis-passport');
  });
});

describe('a call that fails', () => {
  it('is unreachable when nothing listens', async () => {
    const client = clientOf({ url: await unusedUrl() }, { retries: 0 });
    const told = listenTo(client);
    await expect(client.call('stock@1')).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
      cause: { code: 'ECONNREFUSED' },
    });
    expect(told.call).toMatchObject([{ outcome: 'unreachable', attempts: 1 }]);
  });

  it('is unreachable when the connection breaks before the answer', async () => {
    const { url } = await serve((request) => request.socket.destroy());
    const client = clientOf({ url }, { retries: 0 });
    await expect(client.call('stock@1')).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
  });

  it('times out when no answer comes', async () => {
    const { url } = await serve(() => undefined);
    const client = clientOf({ url, timeoutMs: 30 }, { retries: 0 });
    await expect(client.call('stock@1')).rejects.toMatchObject({ code: 'TARGET_TIMEOUT' });
  });

  it('times out while the connection is being made', async () => {
    // One connection, held by the first call: the second waits for it and undici does not hear its cancellation.
    const { url } = await serve(() => undefined);
    const client = clientOf({ url, connections: 1, timeoutMs: 30 }, { retries: 0 });
    const codes = [client.call('stock@1'), client.call('stock@1')].map((call) =>
      call.catch(({ code }) => code),
    );
    expect(await Promise.all(codes)).toEqual(['TARGET_TIMEOUT', 'TARGET_TIMEOUT']);
  });

  it('fails in its body when that does not end within the deadline', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200).write('half');
    });
    const { status, body } = await answerOf(clientOf({ url }), 'stock@1', { deadlineMs: 1_000 });
    expect(status).toBe(200);
    await expect(body.text()).rejects.toMatchObject({ code: 'TARGET_TIMEOUT' });
  });

  it('ends at once when the caller goes away: before, during, and while the body comes', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/body') response.writeHead(200).write('half');
    });
    const client = clientOf({ url });
    const gone = AbortSignal.abort(new TypeError('left'));
    await expect(client.call('stock@1', { signal: gone })).rejects.toThrow('left');
    const during = new AbortController();
    const running = client.call('stock@1', { signal: during.signal });
    setImmediate(() => during.abort(new TypeError('left')));
    await expect(running).rejects.toThrow('left');
    const later = new AbortController();
    const { body } = await answerOf(client, 'stock@1', { path: '/body', signal: later.signal });
    const text = body.text();
    later.abort('left without an error');
    await expect(text).rejects.toBe('left without an error');
  });

  it('is the fault of its own stream, not of the target, when that fails', async () => {
    const { url } = await serve((request) => {
      request.resume();
    });
    const client = clientOf({ url });
    const body = Readable.from(
      (async function* () {
        yield 'x';
        throw new TypeError('my stream');
      })(),
    );
    await expect(client.call('stock@1', { method: 'POST', body })).rejects.toThrow('my stream');
    expect(client.health().targets[0]?.failures).toBe(0);
  });

  it('times out with a visitor who sends slowly, which opens no breaker', async () => {
    const { url } = await serve((request) => request.resume());
    const client = clientOf({ url, timeoutMs: 200, breaker: { threshold: 1 } });
    const body = new PassThrough();
    body.write('x');
    await expect(client.call('stock@1', { method: 'POST', body })).rejects.toMatchObject({
      code: 'TARGET_TIMEOUT',
      message: 'what is sent to stock@1 did not come in time',
    });
    expect(client.health().targets[0]?.breaker).toBe('closed');
  });

  it('times out while the readers of others hold all connections, which opens no breaker', async () => {
    const { url } = await serve((_, response) => response.writeHead(200).write('a'));
    const client = clientOf({ url, connections: 1, timeoutMs: 200, breaker: { threshold: 1 } });
    const { body } = await answerOf(client, 'stock@1', { timeoutMs: 60_000, deadlineMs: 60_000 });
    await expect(client.call('stock@1', { method: 'POST' })).rejects.toMatchObject({
      code: 'TARGET_TIMEOUT',
      message: 'no connection to stock@1 was free in time',
    });
    expect(client.health().targets[0]?.breaker).toBe('closed');
    await body[Symbol.asyncIterator]().return?.();
  });

  it('is unreachable when what listens speaks something else', async () => {
    const server = createTcpServer((socket) => socket.resume().end('220 mail.example\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const client = clientOf({ url: `http://127.0.0.1:${port}` }, { retries: 0 });
    await expect(client.call('stock@1')).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
  });

  it('opens the breaker after five failures, and then is denied', async () => {
    const client = clientOf({ url: await unusedUrl() }, { retries: 0 });
    for (let i = 0; i < 5; i += 1) {
      await expect(client.call('stock@1')).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
    }
    expect(await client.call('stock@1')).toMatchObject({ ok: false, denied: { reason: 'target-breaker' } });
  });
});

describe('misuse', () => {
  const url = 'http://127.0.0.1:9';

  it.each(['stock', 'stock@@1', 'a@b@1', '', '@', 'stock@1@'])(
    'of the slugKey fails fast: %j',
    async (slugKey) => {
      await expect(clientOf({ url }).call(slugKey)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    },
  );

  it('of a target that is not there fails fast', async () => {
    await expect(clientOf({ url }).call('stock@2')).rejects.toMatchObject({ code: 'TARGET_UNKNOWN' });
  });

  it.each([
    ...['items', '', '/../admin', '/a/../b', '/%2e%2E/admin', '/a/.%2e', '/a/.', '/a\\..\\b', '/a#b', '/é'],
    // Servers that decode a slash or cut parameters off a segment before they look for dots.
    ...['/..%2fadmin', '/a%2F..%2fadmin', '/a%2f..', '/a%5c..%5Cadmin', '/..;/admin', '/a/%2e%2e;x=1/b'],
  ])('of the path fails fast: %j', async (path) => {
    await expect(clientOf({ url }).call('stock@1', { path })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });

  it.each([
    { timeoutMs: 0 },
    { timeoutMs: 600_001 },
    { deadlineMs: Number.NaN },
    { deadlineMs: Number.POSITIVE_INFINITY },
    { deadlineMs: 600_001 },
    { method: 5 },
    { priority: 'urgent' },
    { idempotencyKey: 5 },
    { headers: null },
    { signal: {} },
  ])('of a field fails fast and names it: %j', async (wrong) => {
    await expect(clientOf({ url }).call('stock@1', wrong as object as SvcRequest)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(`${Object.keys(wrong).join()}: expected`),
    });
  });

  it.each([
    [{ deadlineMS: 50 }, 'deadlineMS'],
    [{ idempotant: true, path: '/items' }, 'idempotant'],
    [{ path: '/items', retries: undefined }, 'retries'],
    [JSON.parse('{ "__proto__": {} }'), '__proto__'],
    [{ toString: () => '/items' }, 'toString'],
  ])('of a field that there is not fails fast and names it: %j', async (wrong, field) => {
    await expect(clientOf({ url }).call('stock@1', wrong)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: `${field}: unknown field of request, there are method, path, headers, body, idempotencyKey, priority, timeoutMs, deadlineMs, signal`,
    });
  });

  it('of what is beside a request fails fast too, by name', async () => {
    const client = clientOf({ url });
    const [start, options] = [{ deadlineMS: 50 }, { forMS: 50 }] as object[];
    expect(() => client.journey(start as object, () => 1)).toThrow(
      expect.objectContaining({
        code: 'INPUT_INVALID',
        message: 'deadlineMS: unknown field of start, there are requestId, deadlineMs',
      }),
    );
    expect(() => client.reportSaturation('database', options)).toThrow(
      expect.objectContaining({
        code: 'INPUT_INVALID',
        message: 'forMS: unknown field of options, there are forMs',
      }),
    );
    expect(client.health().globalBreaker.state).toBe('closed');
  });

  it('of the request or the time of a journey fails fast', async () => {
    const client = clientOf({ url });
    const nothing = client.call('stock@1', JSON.parse('null'));
    await expect(nothing).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(() => client.journey({ deadlineMs: 600_001 }, () => 1)).toThrow('deadlineMs');
    for (const start of ['r-1', null] as unknown[]) {
      expect(() => client.journey(start as object, () => 1)).toThrow(
        expect.objectContaining({
          code: 'INPUT_INVALID',
          message: expect.stringContaining('start: expected an object'),
        }),
      );
    }
  });

  it.each<[unknown, string]>([
    [5_000, 'options: expected an object, got an integer of 4 digits'],
    [null, 'options: expected an object, got null'],
    [{ forMs: null }, 'forMs must be a whole number of ms from 1 to 3600000, got null'],
  ])('of how long a saturation holds fails fast: %j', (wrong, message) => {
    const client = clientOf({ url });
    expect(() => client.reportSaturation('database', wrong as object)).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message }),
    );
    expect(client.health().globalBreaker.state).toBe('closed');
  });

  it('of headers fails fast and does not count against the target', async () => {
    const client = clientOf({ url });
    await client.journey({}, async () => {
      const headers = { 'x-bad': 'a\r\nb' };
      await expect(client.call('stock@1', { headers })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    });
    expect(client.health().targets[0]).toMatchObject({ breaker: 'closed', failures: 0 });
  });

  it('is not a signal that is null, as fetch may have it', async () => {
    const { url } = await serve((_, response) => response.end());
    const request = { signal: null } as object as SvcRequest;
    await (await answerOf(clientOf({ url }), 'stock@1', request)).body.dump();
  });

  it('is not a path with dots that are not segments', async () => {
    const loopback = await serve((_, response) => response.end());
    const path = '/a/..b/c./.hidden/x%2f..y;z?next=/..%2fx';
    await (await answerOf(clientOf({ url: loopback.url }), 'stock@1', { path })).body.dump();
    expect(loopback.requests[0]?.url).toBe(path);
  });
});
