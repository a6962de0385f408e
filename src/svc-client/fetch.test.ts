import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLoopback, unusedUrl } from '../../test/integration/svc-client/loopback.ts';
import { testKeys } from '../../test/simulation/svc-client/simulated-client.ts';
import { simBody } from '../../test/simulation/svc-client/simulated-network.ts';
import { settled } from '../testing/virtual-clock.ts';
import { readSvcUrl } from './fetch.ts';
import { type Attempt, createSvcClient, type Outcome, type TargetOptions } from './index.ts';

function clientOf(target: TargetOptions) {
  const client = createSvcClient({ self: 'orders@1', keys: testKeys, targets: { 'stock@1': target } });
  onTestFinished(() => client.close());
  return client;
}

/** A client of a server that says what it received. */
async function echoing() {
  const loopback = await startLoopback(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] });
    response.end(
      JSON.stringify({ method, url, type: headers['content-type'], tenant: headers['x-tenant'], body }),
    );
  });
  onTestFinished(loopback.close);
  return clientOf({ url: loopback.url });
}

describe('fetch', () => {
  it('takes svc://name@major/path', async () => {
    const client = await echoing();
    const response = await client.fetch('svc://stock@1/items?limit=5');
    expect(response).toBeInstanceOf(Response);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.json()).toMatchObject({ method: 'GET', url: '/items?limit=5' });
    expect(await (await client.fetch(new URL('svc://stock@1/x'))).json()).toMatchObject({ url: '/x' });
  });

  it.each<[string, NonNullable<RequestInit['body']>, string | undefined]>([
    ['a text', 'a=1', 'text/plain;charset=UTF-8'],
    ['a form', new URLSearchParams({ a: '1' }), 'application/x-www-form-urlencoded;charset=UTF-8'],
    ['bytes', new TextEncoder().encode('a=1'), undefined],
    ['a blob', new Blob(['a=1'], { type: 'text/csv' }), 'text/csv'],
    ['a stream', new Blob(['a=1']).stream(), undefined],
  ])('sends %s', async (_, body, type) => {
    const client = await echoing();
    const response = await client.fetch('svc://stock@1/items', { method: 'POST', body });
    expect(await response.json()).toEqual({
      method: 'POST',
      url: '/items',
      body: 'a=1',
      ...(type ? { type } : {}),
    });
  });

  it('sends headers as they are given, and what is ours besides', async () => {
    const client = await echoing();
    const headers = { 'content-type': 'text/x-mine', 'X-Tenant': 't1' };
    const svc = { idempotencyKey: 'k1', priority: 'critical' } as const;
    const response = await client.fetch('svc://stock@1/', { method: 'POST', headers, body: 'a', svc });
    expect(await response.json()).toMatchObject({ type: 'text/x-mine', tenant: 't1' });
  });

  it('answers a denial with a synthetic problem+json', async () => {
    const client = clientOf({ url: 'http://127.0.0.1:9', pool: { ratePerSecond: 1, burst: 1 } });
    client.pin('stock@1', { ratePerSecond: 1, burst: 1 }, { by: 'op', why: 'test', forMs: 60_000 });
    await client.fetch('svc://stock@1/').catch(() => undefined);
    const response = await client.fetch('svc://stock@1/', { headers: { 'x-request-id': 'r1' } });
    expect(response.status).toBe(429);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('x-portcullis-denied')).toBe('target-rate');
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ code: 'RATE_LIMIT', requestId: 'r1' });
  });

  it('survives a stream that fails before it is sent, and lets go of one that never is', async () => {
    const client = clientOf({ url: await unusedUrl(), pool: { ratePerSecond: 1, burst: 1 } });
    await client.fetch('svc://stock@1/').catch(() => undefined);
    let cancelled = 0;
    const endless = () =>
      new ReadableStream({
        cancel: () => {
          cancelled += 1;
        },
      });
    const denied = await client.fetch('svc://stock@1/', { method: 'POST', body: endless() });
    expect(denied.status).toBe(429);
    const signal = AbortSignal.abort(new TypeError('left'));
    const left = clientOf({ url: 'http://127.0.0.1:9' }).fetch('svc://stock@1/', {
      method: 'POST',
      body: endless(),
      signal,
    });
    await expect(left).rejects.toThrow('left');
    await expect(client.fetch('svc://none@1/', { method: 'POST', body: endless() })).rejects.toThrow();
    expect(cancelled).toBe(3);
    const failing = new ReadableStream({
      pull: () => {
        throw new TypeError('source failed');
      },
    });
    expect((await client.fetch('svc://stock@1/', { method: 'POST', body: failing })).status).toBe(429);
  });

  it('tells a caller in the queue that its stream has failed meanwhile', async () => {
    const loopback = await startLoopback((request, response) =>
      request.resume().on('end', () => response.end()),
    );
    onTestFinished(loopback.close);
    const pool = { ratePerSecond: 10, burst: 1 };
    const client = clientOf({ url: loopback.url, pool, queue: { limit: 1, deadlineMs: 1_000 } });
    await (await client.fetch('svc://stock@1/')).text();
    const body = new ReadableStream({
      start: (controller) => controller.error(new TypeError('source failed')),
    });
    const waiting = client.fetch('svc://stock@1/', { method: 'POST', body });
    await expect(waiting).rejects.toThrow('source failed');
  });

  it.each([
    ['before the first read', 0],
    ['while a read is pending', 2],
  ])('lets go of the connection when its body is cancelled %s', async (_, reads) => {
    let closed = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const loopback = await startLoopback((_request, response) => {
      response.on('close', closed).writeHead(200).write('a');
    });
    onTestFinished(loopback.close);
    const svc = { deadlineMs: 60_000 };
    const { body } = await clientOf({ url: loopback.url }).fetch('svc://stock@1/', { svc });
    const reader = body?.getReader();
    const pending = Array.from({ length: reads }, () => reader?.read());
    await pending[0];
    await settled();
    await reader?.cancel();
    await gone;
    expect((await pending.at(-1))?.done ?? true).toBe(true);
  });

  it('rejects with a fault when no answer comes, and with the reason when the caller leaves', async () => {
    const client = clientOf({ url: await unusedUrl() });
    const signal = AbortSignal.abort(new TypeError('left'));
    await expect(client.fetch('svc://stock@1/', { signal })).rejects.toThrow('left');
    await expect(client.fetch('svc://stock@1/')).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
  });

  it('tells of a status that no Response can have, and keeps the connection', async () => {
    const loopback = await startLoopback((_, response) => response.writeHead(999).end('denied'));
    onTestFinished(loopback.close);
    const client = clientOf({ url: loopback.url, connections: 1 });
    const sockets = new Set<unknown>();
    for (let tries = 0; tries < 2; tries += 1) {
      await expect(client.fetch('svc://stock@1/')).rejects.toMatchObject({
        code: 'TARGET_UNREACHABLE',
        message: expect.stringContaining('status 999'),
      });
      sockets.add(loopback.requests.at(-1)?.socket);
    }
    expect(sockets.size).toBe(1);
  });

  it.each<[unknown, string]>([
    [{ deadlineMS: 50 }, 'deadlineMS: unknown field of svc, there are idempotencyKey, priority, timeoutMs, '],
    // What the URL and the standard's own fields say.
    [{ path: '/b' }, 'path: unknown field of svc'],
    [{ signal: AbortSignal.abort() }, 'signal: unknown field of svc'],
    [50, 'svc: expected an object, got an integer of 2 digits'],
    [null, 'svc: expected an object, got null'],
  ])('refuses what svc does not have: %j', async (svc, message) => {
    const client = clientOf({ url: 'http://127.0.0.1:9' });
    await expect(client.fetch('svc://stock@1/a', { svc: svc as object })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(message),
    });
  });

  it('has answers without a body where there is none', async () => {
    const loopback = await startLoopback((_, response) => response.writeHead(204).end());
    onTestFinished(loopback.close);
    const response = await clientOf({ url: loopback.url }).fetch('svc://stock@1/');
    expect([response.status, response.body]).toEqual([204, null]);
  });

  it('lets a body go that its status does not allow, and waits for no end of it', async () => {
    let dumped = 0;
    const dump = () => {
      dumped += 1;
      return new Promise(() => undefined);
    };
    const outcome = {
      kind: 'response',
      response: { status: 205, headers: {}, body: { ...simBody('x'), dump } },
      receipt: null,
    } as const;
    const endpoint = { send: async () => outcome, close: async () => undefined };
    const client = createSvcClient(
      { self: 'orders@1', keys: testKeys, targets: { 'stock@1': { url: 'http://stock' } } },
      { transport: { open: () => endpoint } },
    );
    expect((await client.fetch('svc://stock@1/')).status).toBe(205);
    expect(dumped).toBe(1);
  });

  it('for one target takes any URL and Request, and counts only its path', async () => {
    const client = await echoing();
    const fetchStock = client.fetchFor('stock@1');
    expect(await (await fetchStock('/items?x=1')).json()).toMatchObject({ url: '/items?x=1' });
    expect(await (await fetchStock(new URL('https://any.example/a'))).json()).toMatchObject({ url: '/a' });
    const request = new Request('https://any.example/b', {
      method: 'PUT',
      headers: { 'x-tenant': 't' },
      body: 'z',
    });
    expect(await (await fetchStock(request)).json()).toMatchObject({
      method: 'PUT',
      url: '/b',
      tenant: 't',
      body: 'z',
    });
    expect(() => client.fetchFor('bills@1')).toThrow(expect.objectContaining({ code: 'TARGET_UNKNOWN' }));
  });
});

describe('a Request that nobody else holds', () => {
  const collect: () => void = (() => {
    setFlagsFromString('--expose-gc');
    return runInNewContext('gc');
  })();

  /** A client whose calls end only when their caller goes away, and what it was asked to send. */
  function unanswered() {
    const sent: Attempt[] = [];
    const send = (attempt: Attempt) =>
      new Promise<Outcome>((resolve) => {
        sent.push(attempt);
        const { signal } = attempt;
        signal?.addEventListener('abort', () => resolve({ kind: 'aborted', reason: signal.reason }));
      });
    const endpoint = { send, close: async () => undefined };
    const client = createSvcClient(
      { self: 'orders@1', keys: testKeys, targets: { 'stock@1': { url: 'http://stock' } } },
      { transport: { open: () => endpoint } },
    );
    return { client, sent };
  }

  it('still tells the call that its caller went away', async () => {
    const { client, sent } = unanswered();
    const leaving = new AbortController();
    const reasons: unknown[] = [];
    const { signal } = leaving;
    client
      .fetchFor('stock@1')(new Request('http://any.example/', { signal }))
      .catch((reason) => {
        reasons.push(reason);
      });
    await settled();
    collect();
    await settled();
    collect();
    leaving.abort(new TypeError('left'));
    await settled();
    expect(sent).toHaveLength(1);
    expect(reasons).toMatchObject([{ message: 'left' }]);
  });
});

describe('a svc URL', () => {
  it.each([
    ['svc://stock@1', 'stock@1', '/'],
    ['svc://stock@1/', 'stock@1', '/'],
    ['svc://stock@1?q=1', 'stock@1', '/?q=1'],
    ['svc://stock@1/a/b?q=1#part', 'stock@1', '/a/b?q=1'],
    ['svc://stock@1/café 1/中?q=ä+b c', 'stock@1', '/caf%C3%A9%201/%E4%B8%AD?q=%C3%A4+b%20c'],
    ['svc://stock@1/%C3%A9?q=\ud800', 'stock@1', '/%C3%A9?q=%EF%BF%BD'],
    ['svc://a@b@1/x', 'a@b@1', '/x'],
  ])('%s names a service and a path', (text, slugKey, path) => {
    expect(readSvcUrl(text)).toEqual({ slugKey, path });
  });

  it.each(['http://stock@1/', 'svc:/stock@1', 'stock@1/x', ''])('is not %j', async (text) => {
    expect(() => readSvcUrl(text)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    const client = clientOf({ url: 'http://127.0.0.1:9' });
    await expect(client.fetch(text)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});
