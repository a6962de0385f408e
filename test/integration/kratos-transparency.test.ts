import { once } from 'node:events';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLoginBackoff } from '../../src/kratos/counter-backoff.ts';
import { type ListeningProxy, startKratosProxy } from '../../src/kratos/proxy/start-proxy.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { type OddAnswer, type OddUpstream, startOddUpstream } from '../servers/kratos-upstream-odd.ts';
import { until } from '../servers/redis-server.ts';

/** What concerns one connection only, and what the proxy adds to requests. */
const ownHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'true-client-ip', 'x-answer']);

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer | null;
  readonly isChunked: boolean;
  readonly answer: OddAnswer;
}

describe('what passes through the proxy', () => {
  let odd: OddUpstream;
  let proxy: ListeningProxy;
  const agent = new Agent({ keepAlive: true });

  beforeAll(async () => {
    odd = await startOddUpstream();
    const backoff = createLoginBackoff({
      store: createMemoryStore(),
      secret: 'a secret that is long enough',
    });
    proxy = await startKratosProxy({
      host: '127.0.0.1',
      port: 0,
      upstream: { url: odd.url, timeoutMs: 2_000 },
      backoff,
    });
  });
  afterAll(async () => {
    agent.destroy();
    await proxy.close(100);
    await odd.stop();
  });

  async function ask(port: number, asked: Asked) {
    const hints: unknown[] = [];
    const answered = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = send({
        port,
        // On a connection of its own: where the answer before it has just ended, a hint may be left out.
        agent: asked.answer.earlyHint === undefined ? agent : false,
        method: asked.method,
        path: asked.path,
        headers: headersOf(asked),
      });
      outgoing.on('information', ({ statusCode, rawHeaders }) => hints.push([statusCode, rawHeaders]));
      outgoing.on('response', resolve).on('error', reject);
      if (asked.body === null) outgoing.end();
      else if (!asked.isChunked) outgoing.end(asked.body);
      else {
        outgoing.write(asked.body.subarray(0, 7));
        outgoing.end(asked.body.subarray(7));
      }
    });
    const body = await buffer(answered);
    return { hints, ...shown(answered), body: body.toString('latin1'), trailers: answered.rawTrailers };
  }

  function headersOf({ headers, body, isChunked, answer }: Asked): string[] {
    const length = body === null || isChunked ? [] : ['Content-Length', String(body.length)];
    const chunked = body !== null && isChunked ? ['Transfer-Encoding', 'chunked'] : [];
    return [
      'Host',
      'login.example.com',
      ...headers,
      'X-Answer',
      JSON.stringify(answer),
      ...length,
      ...chunked,
    ];
  }

  /** Everything of an answer that must be the same, with what the upstream has seen of the request. */
  function shown({ statusCode, statusMessage, rawHeaders }: IncomingMessage) {
    const headers = withoutOwn(rawHeaders).filter(([name]) => name !== 'X-Seen');
    const seen = JSON.parse(rawHeaders[rawHeaders.indexOf('X-Seen') + 1] ?? '{}') as Record<string, unknown>;
    // How a body is framed concerns one connection; whether all of it came, the upstream tells. And names mean the same
    // in any case: the library that sends requests on writes its own `host`.
    const seenHeaders = withoutOwn(seen.headers as string[])
      .filter(([name]) => !/^content-length$/i.test(name))
      .map(([name, text]) => [/^host$/i.test(name) ? 'host' : name, text]);
    return { statusCode, statusMessage, headers, seen: { ...seen, headers: seenHeaders } };
  }

  function withoutOwn(raw: readonly string[]): [string, string][] {
    const pairs: [string, string][] = [];
    for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
    return pairs.filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  }

  const token = fc.stringMatching(/^X-[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/);
  const value = fc
    .string({
      unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 30,
    })
    .filter((text) => !text.includes('\x7f'));
  const headers = fc.array(fc.tuple(token, value), { maxLength: 6 }).map((pairs) => pairs.flat());
  const cookies = fc.array(fc.stringMatching(/^[a-z]{1,8}=[A-Za-z0-9+/=]{0,20}; Path=\/$/), { maxLength: 4 });
  const answer: fc.Arbitrary<OddAnswer> = fc
    .record({
      status: fc.constantFrom(200, 201, 204, 302, 303, 304, 400, 401, 404, 410, 422, 500, 503),
      headers: fc
        .tuple(headers, cookies)
        .map(([some, set]) => [...some, ...set.flatMap((cookie) => ['Set-Cookie', cookie])]),
      pieces: fc.array(fc.constantFrom(0, 1, 7, 1_000, 20_000, 70_000, -1), { maxLength: 4 }),
      isChunked: fc.boolean(),
      hasTrailers: fc.boolean(),
      hint: fc.boolean(),
    })
    .map(({ status, headers: some, pieces, isChunked, hasTrailers, hint }) => {
      const hasBody = status !== 204 && status !== 304;
      return {
        status,
        headers: some,
        pieces: hasBody ? pieces : [],
        isChunked,
        ...(hasTrailers && isChunked && hasBody ? { trailers: [['X-Sum', 'abc'] as [string, string]] } : {}),
        ...(hint ? { earlyHint: '</style.css>; rel=preload; as=style' } : {}),
      };
    });
  const asked: fc.Arbitrary<Asked> = fc
    .record({
      method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      path: fc.stringMatching(/^\/[A-Za-z0-9._~%!$&'()*+,;=:@/?-]{0,40}$/),
      headers,
      body: fc.option(fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes))),
      isChunked: fc.boolean(),
      answer,
    })
    .map((one) => {
      const { trailers: _, ...bare } = one.answer;
      const body = one.method === 'GET' || one.method === 'HEAD' ? null : one.body;
      return { ...one, body, answer: one.method === 'HEAD' ? bare : one.answer };
    });

  test('is the same as without it, both ways, to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (one) => {
        const [direct, through] = [await ask(odd.port, one), await ask(proxy.port, one)];
        expect(through).toEqual(direct);
      }),
      { numRuns: 400 },
    );
  });

  test('leaves out the hint of an answer that waits for the one before it, where it would get into the body', async () => {
    const asked = (answer: OddAnswer) =>
      `GET / HTTP/1.1\r\nHost: x\r\nX-Answer: ${JSON.stringify(answer)}\r\n\r\n`;
    const socket = connect(proxy.port, '127.0.0.1');
    const hinted = { earlyHint: '</style.css>; rel=preload; as=style', pieces: [5] };
    socket.write(asked({ headAfterMs: 300, pieces: [3] }) + asked(hinted));
    let text = '';
    for await (const chunk of socket.setEncoding('latin1')) {
      text += chunk;
      if (text.endsWith('\x05'.repeat(5))) break;
    }
    const parts = text.split('\r\n\r\n');
    expect(parts.map((part) => part.split('\r\n', 1)[0])).toEqual([
      'HTTP/1.1 200 OK',
      '\x03\x03\x03HTTP/1.1 200 OK',
      '\x05'.repeat(5),
    ]);
  });

  const plain: Asked = { method: 'GET', path: '/', headers: [], body: null, isChunked: false, answer: {} };

  test('keeps the order, the case and every repetition of headers', async () => {
    const repeated = ['X-a', '1', 'x-A', '2', 'Cookie', 'a=1', 'Cookie', 'b=2', 'X-a', '3'];
    const answer = { headers: ['Set-Cookie', 'a=1', 'X-b', '1', 'set-cookie', 'b=2', 'x-B', '2'] };
    const through = await ask(proxy.port, { ...plain, headers: repeated, answer });
    expect(through).toEqual(await ask(odd.port, { ...plain, headers: repeated, answer }));
    expect(through.headers.filter(([name]) => /set-cookie/i.test(name)).map(([, text]) => text)).toEqual([
      'a=1',
      'b=2',
    ]);
  });

  test('loses what concerns one connection only, and nothing that a client names to harm itself', async () => {
    const hop = [
      'Connection',
      'x-drop, host, cookie',
      'X-Drop',
      '1',
      'Cookie',
      'a=1',
      'TE',
      'trailers',
      'Proxy-Authorization',
      'x',
    ];
    const { seen } = await ask(proxy.port, { ...plain, headers: hop });
    expect(seen.headers).toEqual([
      ['host', 'login.example.com'],
      ['Cookie', 'a%3D1'],
    ]);
  });

  test('tells Kratos with every request the address that was found, and never what a client says of itself', async () => {
    for (const [method, path] of [
      ['GET', '/sessions/whoami'],
      ['POST', '/self-service/registration?flow=1'],
      ['POST', '/self-service/login?flow=1'],
    ]) {
      const said = await raw(
        proxy.port,
        `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close, true-client-ip\r\nTrue-Client-Ip: 203.0.113.7\r\ntrue-client-IP: 203.0.113.8\r\nContent-Length: 2\r\n\r\n{}`,
      );
      const seen = JSON.parse(/^X-Seen: (.*)$/m.exec(said)?.[1] ?? '{}') as { headers: string[] };
      const told = seen.headers.filter((_, at) => seen.headers[at - 1]?.toLowerCase() === 'true-client-ip');
      expect(told).toEqual(['127.0.0.1']);
    }
  });

  test('meets an expectation itself', async () => {
    const outgoing = send({
      port: proxy.port,
      method: 'PUT',
      path: '/x',
      headers: { Expect: '100-continue', 'Content-Length': 5 },
    });
    outgoing.on('continue', () => outgoing.end('hello'));
    outgoing.flushHeaders();
    const answered = await new Promise<IncomingMessage>((resolve) => outgoing.on('response', resolve));
    const seen = JSON.parse(String(answered.headers['x-seen'])) as { bytes: number; headers: string[] };
    answered.resume();
    expect(seen.bytes).toBe(5);
    expect(seen.headers.map((name) => name.toLowerCase())).not.toContain('expect');
  });

  test('reaches a client of HTTP/1.0', async () => {
    const said = await raw(
      proxy.port,
      'GET /x HTTP/1.0\r\nHost: a\r\nX-Answer: {"isChunked":true,"pieces":[5]}\r\n\r\n',
    );
    expect(said).toMatch(/^HTTP\/1\.[01] 200 OK\r\n/);
    expect(said).not.toMatch(/transfer-encoding/i);
    expect(said.endsWith('\x05\x05\x05\x05\x05')).toBe(true);
  });

  test('is no hint to a client of HTTP/1.0, which knows none', async () => {
    const answer = JSON.stringify({ earlyHint: '</style.css>; rel=preload; as=style', pieces: [5] });
    const said = await raw(proxy.port, `GET /x HTTP/1.0\r\nHost: a\r\nX-Answer: ${answer}\r\n\r\n`);
    expect(said).toMatch(/^HTTP\/1\.[01] 200 OK\r\n/);
    expect(said).not.toContain('Early Hints');
  });

  test('takes a whole URL as target, and sends on its path', async () => {
    const said = await raw(
      proxy.port,
      'GET http://other.example/a?b=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(said).toContain('"url":"/a?b=1"');
  });

  test.each([
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['chunks in another coding', 'Transfer-Encoding: gzip, chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a length that is none', 'Content-Length: +5\r\n\r\nhello'],
    ['a header that goes on in the next line', 'X-A: 1\r\n b: 2\r\nX-A : 3\r\n\r\n'],
    ['two hosts', 'Host: b\r\n\r\n'],
  ])('is refused where it can be read in two ways: %s', async (_, rest) => {
    const said = await raw(proxy.port, `POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${rest}`);
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('ends for Kratos when the client leaves', async () => {
    const before = odd.left();
    const outgoing = send({
      port: proxy.port,
      path: '/slow',
      headers: { 'X-Answer': JSON.stringify({ isChunked: true, pieces: [10, -60_000, 10] }) },
    });
    outgoing.on('error', () => undefined).end();
    const answered = await new Promise<IncomingMessage>((resolve) => outgoing.on('response', resolve));
    answered.on('error', () => undefined).once('data', () => outgoing.destroy());
    await until(() => odd.left() > before);
    expect(odd.left()).toBe(before + 1);
  });

  test('ends for Kratos when the client leaves in the middle of its request', async () => {
    const before = odd.broken();
    const outgoing = send({
      port: proxy.port,
      method: 'PUT',
      path: '/up',
      headers: { 'Content-Length': 1_000_000 },
    });
    outgoing.on('error', () => undefined);
    outgoing.write(Buffer.alloc(100_000));
    setTimeout(() => outgoing.destroy(), 50);
    await until(() => odd.broken() > before);
    expect(odd.broken()).toBe(before + 1);
  });

  test('breaks off for the client when Kratos does', async () => {
    const answer = { isChunked: true, pieces: [50_000, 50_000], cut: 'body' } as const;
    await expect(ask(proxy.port, { ...plain, answer })).rejects.toThrow(/aborted|hang up|reset/i);
  });

  test('goes no faster than the client takes it', async () => {
    const socket = connect(proxy.port, '127.0.0.1');
    const pieces = Array.from({ length: 400 }, () => 100_000);
    socket.write(`GET /big HTTP/1.1\r\nHost: a\r\nX-Answer: ${JSON.stringify({ pieces })}\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
    await new Promise((resolve) => setTimeout(resolve, 300));
    const held = process.memoryUsage().arrayBuffers + process.memoryUsage().external - before;
    expect(held).toBeLessThan(20_000_000);
    let bytes = 0;
    for await (const chunk of socket) {
      bytes += (chunk as Buffer).length;
      if (bytes >= 40_000_000) break;
    }
    expect(bytes).toBeGreaterThanOrEqual(40_000_000);
  });

  test('tells that Kratos does not answer in time', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const backoff = createLoginBackoff({
      store: createMemoryStore(),
      secret: 'a secret that is long enough',
    });
    const upstream = { url: `http://127.0.0.1:${port}`, timeoutMs: 100 };
    const slow = await startKratosProxy({ host: '127.0.0.1', port: 0, upstream, backoff });
    const answered = await fetch(`http://127.0.0.1:${slow.port}/sessions/whoami`);
    expect([answered.status, answered.headers.get('content-type')]).toEqual([
      504,
      'application/problem+json',
    ]);
    expect(await answered.json()).toMatchObject({ status: 504, code: 'UPSTREAM_TIMEOUT' });
    await slow.close(100);
    silent.close();
  });

  test.each([
    [
      'words beside its status that HTTP does not know',
      'HTTP/1.1 400 \u03a9mega\r\nContent-Length: 2\r\n\r\n{}',
      400,
    ],
    [
      'a hint that is none',
      'HTTP/1.1 103 Early Hints\r\nLink: nonsense\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      200,
    ],
    ['a body until it closes', 'HTTP/1.0 400 Bad\r\n\r\nhello', 400],
    ['no HTTP', 'SSH-2.0-x\r\n', 502],
    ['an end', '', 502],
    ['a head that breaks off', 'HTTP/1.1 200 OK\r\nContent-', 502],
    ['a strange status', 'HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n', 502],
  ])('bears %s, for logins too', async (_, bytes, status) => {
    const strange = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(bytes, 'utf8'));
    }).listen(0, '127.0.0.1');
    await once(strange, 'listening');
    const { port } = strange.address() as AddressInfo;
    const backoff = createLoginBackoff({
      store: createMemoryStore(),
      secret: 'a secret that is long enough',
    });
    const upstream = { url: `http://127.0.0.1:${port}` };
    const front = await startKratosProxy({ host: '127.0.0.1', port: 0, upstream, backoff });
    const url = `http://127.0.0.1:${front.port}`;
    const body = '{"method":"password","identifier":"a","password":"b"}';
    const answers = [
      await fetch(`${url}/sessions/whoami`),
      await fetch(`${url}/self-service/login`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      }),
    ];
    for (const answer of answers) await answer.text();
    expect(answers.map((answer) => answer.status)).toEqual([status, status]);
    await front.close(100);
    strange.close();
  });

  test('has no header that Kratos has not sent, not even the time', async () => {
    const bare = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          socket.end('HTTP/1.1 200 OK\r\nX-Own: 1\r\nContent-Length: 2\r\n\r\nok');
        });
    }).listen(0, '127.0.0.1');
    await once(bare, 'listening');
    const upstream = { url: `http://127.0.0.1:${(bare.address() as AddressInfo).port}` };
    const store = createMemoryStore();
    const backoff = createLoginBackoff({ store, secret: 'a secret that is long enough' });
    const front = await startKratosProxy({ host: '127.0.0.1', port: 0, upstream, backoff });
    const login =
      'POST /self-service/login HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';
    for (const asked of ['GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', login]) {
      expect(await raw(front.port, asked)).toBe(
        'HTTP/1.1 200 OK\r\nX-Own: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok',
      );
    }
    await front.close(100);
    bare.close();
  });

  test('tells that Kratos cannot be reached, and that it broke off before it answered', async () => {
    const answered = await fetch(`http://127.0.0.1:${proxy.port}/x`, {
      headers: { 'x-answer': '{"cut":"head"}' },
    });
    expect([answered.status, answered.headers.get('content-type')]).toEqual([
      502,
      'application/problem+json',
    ]);
    expect(await answered.json()).toMatchObject({ status: 502, code: 'UPSTREAM_UNREACHABLE' });
  });
});

/** What a server says to these bytes until it closes the connection. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes, 'latin1');
  let said = '';
  for await (const chunk of socket) said += (chunk as Buffer).toString('latin1');
  return said;
}
