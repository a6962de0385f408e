import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { connect } from 'node:http2';
import { createConnection, createServer } from 'node:net';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClientAddress } from '../../src/adapters/client-address.ts';
import { createDescriptorLimiter } from '../../src/limits/descriptors/descriptor-limiter.ts';
import { createLimiter, type LimiterOptions } from '../../src/limits/index.ts';
import { type GrpcParts, startGrpc } from '../../src/server/grpc/grpc-server.ts';
import { loadServices } from '../../src/server/grpc/service-definitions.ts';
import { TokenBook } from '../../src/server/http/token-book.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { envoyClient } from '../servers/envoy-client.ts';

const secret = 'grpc-secret-0123456789abcdef';
const now = Date.parse('2026-03-01T12:00:15Z');
const clock = () => now;

const domains = [
  {
    domain: 'edge',
    descriptors: [
      { key: 'user', rate_limit: { unit: 'minute', requests_per_unit: 2, name: 'per-user' } },
      { key: 'path', rate_limit: { unit: 'day', requests_per_unit: 100 } },
      { key: 'free', rate_limit: { unlimited: true } },
    ],
  },
];

interface Scene extends Partial<GrpcParts> {
  readonly store?: Store;
  readonly limits?: Partial<LimiterOptions>;
}

async function scene({ store = createMemoryStore({ clock }), limits, ...parts }: Scene = {}) {
  const limiter = createLimiter({ store, secret, ratePerSecond: 4, clock, ...limits });
  const descriptors = createDescriptorLimiter({ store, secret, domains, clock });
  const server = await startGrpc({
    host: '127.0.0.1',
    port: 0,
    limiter,
    descriptors,
    drainMs: 1_000,
    ...parts,
  });
  const client = envoyClient(server.port);
  onTestFinished(server.close);
  onTestFinished(() => client.close());
  return { server, client, limiter };
}

const descriptor = (key: string, value: string, more: object = {}) => ({
  entries: [{ key, value }],
  ...more,
});
const headersOf = (list: readonly { key: string; value: string }[]) =>
  Object.fromEntries(list.map(({ key, value }) => [key, value]));

describe('RateLimitService/ShouldRateLimit', () => {
  it('counts down, then is over the limit, with what Envoy shows to clients', async () => {
    const { client } = await scene();
    const request = { domain: 'edge', descriptors: [descriptor('user', 'ann')] };
    const first = await client.shouldRateLimit(request);
    expect(first).toMatchObject({
      overall_code: 'OK',
      statuses: [
        {
          code: 'OK',
          current_limit: { requests_per_unit: 2, unit: 'MINUTE', name: 'per-user' },
          limit_remaining: 1,
          duration_until_reset: { seconds: 45, nanos: 0 },
        },
      ],
    });
    expect(headersOf(first.response_headers_to_add)).toEqual({
      'RateLimit-Policy': '"per-user";q=2;w=60',
      RateLimit: '"per-user";r=1;t=45',
    });
    await client.shouldRateLimit(request);
    const third = await client.shouldRateLimit(request, { metadata: { 'x-request-id': 'req-7' } });
    expect(third).toMatchObject({
      overall_code: 'OVER_LIMIT',
      statuses: [{ code: 'OVER_LIMIT', limit_remaining: 0 }],
    });
    expect(headersOf(third.response_headers_to_add)).toEqual({
      'Retry-After': '45',
      'Content-Type': 'application/problem+json',
      'x-request-id': 'req-7',
      'RateLimit-Policy': '"per-user";q=2;w=60',
      RateLimit: '"per-user";r=0;t=45',
    });
    expect(JSON.parse(Buffer.from(third.raw_body).toString())).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Too Many Requests',
      status: 429,
      detail: 'Rate limit exceeded',
      code: 'RATE_LIMIT',
      retryAfter: '45',
      requestId: 'req-7',
    });
  });

  it('answers every descriptor in its place', async () => {
    const { client } = await scene();
    const descriptors = [
      descriptor('path', '/a'),
      descriptor('user', 'bob', { limit: { requests_per_unit: 0, unit: 'HOUR' } }),
      descriptor('free', 'x'),
      descriptor('unknown', 'x'),
    ];
    const answer = await client.shouldRateLimit({ domain: 'edge', descriptors, hits_addend: 7 });
    expect(answer.overall_code).toBe('OVER_LIMIT');
    expect(answer.statuses).toMatchObject([
      { code: 'OK', limit_remaining: 93, current_limit: { unit: 'DAY' } },
      { code: 'OVER_LIMIT', current_limit: { requests_per_unit: 0, unit: 'HOUR' } },
      { code: 'OK', current_limit: null, limit_remaining: 2 ** 32 - 1, duration_until_reset: null },
      { code: 'OK', current_limit: null, limit_remaining: 0 },
    ]);
  });

  it('takes hits of a descriptor before those of the request: none only look, negative ones give back', async () => {
    const { client } = await scene();
    const services = await loadServices();
    const encode = services.rateLimit.ShouldRateLimit?.requestSerialize;
    // Envoy's protos here are older than these two fields, so our own writer makes the bytes.
    const ask = async (hits: number, negative = false) => {
      const asked = { ...descriptor('path', '/b'), hits_addend: { value: hits }, is_negative_hits: negative };
      const bytes = encode?.({ domain: 'edge', descriptors: [asked], hits_addend: 50 }) ?? Buffer.alloc(0);
      const { statuses } = (await client.sendBytes('shouldRateLimit', bytes)) as {
        statuses: { limit_remaining: number }[];
      };
      return statuses[0]?.limit_remaining;
    };
    expect(await ask(30)).toBe(70);
    expect(await ask(0)).toBe(70);
    expect(await ask(20, true)).toBe(90);
  });

  it.each<[string, object, string]>([
    [
      'no domain',
      { descriptors: [descriptor('user', 'a')] },
      'domain must be a string of 1 to 256 characters',
    ],
    ['no descriptors', { domain: 'edge' }, 'descriptors must be 1 to 100, got 0'],
    [
      'a descriptor without entries',
      { domain: 'edge', descriptors: [{}] },
      'descriptors[0].entries must be 1 to 32',
    ],
    [
      'an empty key',
      { domain: 'edge', descriptors: [descriptor('', 'a')] },
      'descriptors[0].entries: a key is empty',
    ],
    [
      'a limit without a unit',
      { domain: 'edge', descriptors: [descriptor('user', 'a', { limit: { requests_per_unit: 1 } })] },
      'descriptors[0].limit.unit is no unit of time',
    ],
    [
      'many descriptors',
      { domain: 'edge', descriptors: Array(101).fill(descriptor('user', 'a')) },
      'got 101',
    ],
  ])('refuses %s as INVALID_ARGUMENT', async (_, request, details) => {
    const { client } = await scene();
    await expect(client.shouldRateLimit(request)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining(details),
    });
  });

  it('refuses a message over the bound as RESOURCE_EXHAUSTED', async () => {
    const { client } = await scene({ messageBytes: 4_096 });
    const request = { domain: 'edge', descriptors: [descriptor('user', 'a'.repeat(5_000))] };
    await expect(client.shouldRateLimit(request)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  it('ends at the deadline of the caller while the store is silent', async () => {
    const memory = createMemoryStore();
    const silent: Store = {
      view: (keys, look) => memory.view(keys, look),
      transact: () => new Promise(() => {}),
      ping: () => memory.ping(),
      held: (prefix) => memory.held(prefix),
      close: () => memory.close(),
    };
    const { client } = await scene({ store: silent, drainMs: 50 });
    const request = { domain: 'edge', descriptors: [descriptor('user', 'ann')] };
    const asked = client.shouldRateLimit(request, { deadline: Date.now() + 100 });
    await expect(asked).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
  });
});

const check = (http: object, more: object = {}) => ({
  attributes: {
    source: { address: { socket_address: { address: '203.0.113.7', port_value: 4711 } } },
    request: { http: { method: 'GET', path: '/list', protocol: 'HTTP/1.1', ...http } },
    ...more,
  },
});

describe('Authorization/Check', () => {
  it('lets calls through with the headers to add, then refuses with a problem', async () => {
    const { client } = await scene();
    const headers = { 'user-agent': 'curl/8', 'x-request-id': 'req-1' };
    const first = await client.check(check({ headers }));
    expect(first.status.code).toBe(0);
    expect(first.denied_response ?? null).toBeNull();
    const told = headersOf(first.ok_response?.response_headers_to_add.map(({ header }) => header) ?? []);
    expect(told).toEqual({
      'RateLimit-Policy': '"default";q=3;w=3',
      RateLimit: '"default";r=2;t=1',
      'x-request-id': 'req-1',
    });
    await client.check(check({ headers }));
    await client.check(check({ headers }));
    const fourth = await client.check(check({ headers, path: '/list?page=2' }));
    expect(fourth.status.code).toBe(8);
    expect(fourth.ok_response ?? null).toBeNull();
    expect(fourth.denied_response?.status.code).toBe('TooManyRequests');
    const answered = fourth.denied_response?.headers ?? [];
    expect(new Set(answered.map((option) => option.append_action))).toEqual(
      new Set(['OVERWRITE_IF_EXISTS_OR_ADD']),
    );
    expect(headersOf(answered.map(({ header }) => header))).toMatchObject({
      'Retry-After': '1',
      'Content-Type': 'application/problem+json',
      'x-request-id': 'req-1',
    });
    expect(JSON.parse(fourth.denied_response?.body ?? '')).toMatchObject({
      status: 429,
      code: 'RATE_LIMIT',
      requestId: 'req-1',
      instance: '/list',
    });
  });

  const spend = async (client: ReturnType<typeof envoyClient>, request: object) =>
    (await client.check(request)).ok_response?.response_headers_to_add
      .map(({ header }) => header)
      .find(({ key }) => key === 'RateLimit')?.value ?? 'refused';

  it('charges the cost of the route, or the one that the proxy sets', async () => {
    const { client } = await scene({ limits: { ratePerSecond: 40 } });
    expect(await spend(client, check({ method: 'PUT', path: '/create' }))).toContain('r=25');
    expect(await spend(client, check({}, { context_extensions: { cost: '20' } }))).toContain('r=5');
    const wrong = client.check(check({}, { context_extensions: { cost: '-1' } }));
    await expect(wrong).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  it('takes no word of the client for its address, unless a trusted proxy passes it on', async () => {
    const { client } = await scene();
    for (const left of ['r=2', 'r=1', 'r=0', 'refused']) {
      const headers = {
        'x-forwarded-for': `198.51.100.${left.length}, 198.51.100.${left.at(-1)?.charCodeAt(0)}`,
      };
      expect(await spend(client, check({ headers }))).toContain(left);
    }
    const trusting = await scene({ addressOf: createClientAddress({ trustedProxies: ['203.0.113.0/24'] }) });
    for (const last of [1, 2, 3, 4]) {
      const headers = { 'x-forwarded-for': `192.0.2.1, 198.51.100.${last}, 203.0.113.9` };
      expect(await spend(trusting.client, check({ headers }))).toContain('r=2');
    }
  });

  it('knows a signed-in user by the header that the proxy writes', async () => {
    const { client } = await scene({ userHeader: () => 'X-Jwt-Sub' });
    expect(await spend(client, check({ headers: { 'x-jwt-sub': 'ann' } }))).toContain('r=11');
    expect(await spend(client, check({ headers: { 'x-jwt-sub': 'bob' } }))).toContain('r=11');
    expect(await spend(client, check({ headers: {} }))).toContain('r=2');
  });

  it('reads headers that come as a list of bytes', async () => {
    const { client } = await scene({ userHeader: () => 'x-user' });
    const header_map = { headers: [{ key: 'X-User', raw_value: Buffer.from('ann') }] };
    expect(await spend(client, check({ header_map }))).toContain('r=11');
  });

  it('does not tell the remaining quota on a sign-in route', async () => {
    const { client } = await scene({ limits: { routes: [{ path: '/login', signIn: true }] } });
    expect(await spend(client, check({ path: '/login' }))).toBe('refused');
  });

  it('counts tunnels, which have no path', async () => {
    const { client } = await scene();
    const codes: number[] = [];
    for (let call = 0; call < 4; call += 1) {
      codes.push((await client.check(check({ method: 'CONNECT', path: '' }))).status.code);
    }
    expect(codes).toEqual([0, 0, 0, 8]);
  });

  it('refuses what is no HTTP request', async () => {
    const { client } = await scene();
    await expect(client.check({})).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    await expect(client.check(check({ path: '' }))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});

describe('who may ask', () => {
  const sha256 = (token: string) => createHash('sha256').update(token).digest('hex');
  const tokens = new TokenBook([
    { name: 'envoy', role: 'decide', sha256: sha256('decide-token-0123') },
    { name: 'grafana', role: 'observe', sha256: sha256('observe-token-012') },
  ]);
  const request = { domain: 'edge', descriptors: [descriptor('user', 'ann')] };

  it('asks for a token with the role decide where any is configured', async () => {
    const { client } = await scene({ tokens });
    const asWith = (metadata: Record<string, string>) => client.shouldRateLimit(request, { metadata });
    await expect(asWith({})).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    await expect(asWith({ authorization: 'Bearer wrong' })).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
    });
    await expect(asWith({ authorization: 'Bearer observe-token-012' })).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
    });
    expect((await asWith({ authorization: 'Bearer decide-token-0123' })).overall_code).toBe('OK');
    expect((await asWith({ 'x-portcullis-token': 'decide-token-0123' })).overall_code).toBe('OK');
    await expect(client.check(check({}))).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });
});

/** Fuzzed messages over the wire. 100,000 have been sent; the suite sends fewer. */
const fuzzed = Number(process.env.PORTCULLIS_FUZZ ?? 1_500);

describe('bytes that nobody should send', () => {
  it('answers each of them with a status, and goes on', { timeout: 60_000 + fuzzed * 10 }, async () => {
    const { client } = await scene();
    const services = await loadServices();
    const valid = [
      services.rateLimit.ShouldRateLimit?.requestSerialize({
        domain: 'edge',
        descriptors: [descriptor('user', 'a')],
      }),
      services.authorization.Check?.requestSerialize(check({ headers: { 'user-agent': 'x' } })),
    ].map((bytes) => bytes ?? Buffer.alloc(0));
    const allowed = new Set<number>([status.INVALID_ARGUMENT]);
    const groups = Buffer.alloc(60_000, 0x0b);
    const samples = fc.sample(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc
          .tuple(fc.constantFrom(...valid), fc.nat(), fc.nat(255), fc.nat(40))
          .map(([bytes, at, byte, cut]) => {
            const changed = Uint8Array.from(bytes);
            changed[at % changed.length] = byte;
            return changed.subarray(0, cut === 0 ? at % changed.length : changed.length);
          }),
      ),
      { numRuns: fuzzed, seed: 42 },
    );
    let refused = 0;
    const send = async (bytes: Uint8Array, index: number) => {
      try {
        await client.sendBytes(index % 2 === 0 ? 'shouldRateLimit' : 'check', bytes);
      } catch (error) {
        refused += 1;
        expect(allowed).toContain((error as { code: number }).code);
      }
    };
    for (let from = 0; from < samples.length; from += 500) {
      await Promise.all(samples.slice(from, from + 500).map((bytes, index) => send(bytes, index)));
    }
    await send(groups, 0);
    expect(refused).toBeGreaterThan(200);
    const answer = await client.shouldRateLimit({
      domain: 'edge',
      descriptors: [descriptor('user', 'sane')],
    });
    expect(answer.overall_code).toBe('OK');
  });

  it('bears what is no HTTP/2 and no gRPC at all', async () => {
    const { server, client } = await scene();
    const raw = createConnection(server.port, '127.0.0.1').resume();
    raw.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(raw, 'close');
    const session = connect(`http://127.0.0.1:${server.port}`);
    const statusOf = async (type: string) => {
      const stream = session.request({ ':method': 'POST', ':path': '/nope', 'content-type': type });
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      return headers[':status'];
    };
    const foreign = ['text/plain', 'application/grpc-web', 'application/grpc+json', 'application/grpcs'];
    for (const type of foreign) expect([type, await statusOf(type)]).toEqual([type, 415]);
    const own = ['application/grpc', 'application/grpc+proto', 'application/grpc; charset=utf-8'];
    for (const type of own) expect([type, await statusOf(type)]).toEqual([type, 200]);
    session.destroy();
    const request = { domain: 'edge', descriptors: [descriptor('user', 'ann')] };
    expect((await client.shouldRateLimit(request)).overall_code).toBe('OK');
  });
});

describe('health and drain', () => {
  async function health(port: number) {
    const services = await loadServices();
    const { Check, Watch } = services.health;
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    onTestFinished(() => client.close());
    return {
      check: (service: string) =>
        new Promise<number>((resolve, reject) => {
          if (Check === undefined) return reject(new TypeError('no Check'));
          client.makeUnaryRequest(
            Check.path,
            (message: object) => Check.requestSerialize(message),
            (bytes) => Check.responseDeserialize(bytes) as { status: number },
            { service },
            new Metadata(),
            (error, answer) => (answer === undefined ? reject(error) : resolve(answer.status)),
          );
        }),
      watch: (service: string) => {
        if (Watch === undefined) throw new TypeError('no Watch');
        return client.makeServerStreamRequest(
          Watch.path,
          (message: object) => Watch.requestSerialize(message),
          (bytes) => Watch.responseDeserialize(bytes) as { status: number },
          { service },
        );
      },
    };
  }

  it('says that it serves, and to watchers that it no longer does', async () => {
    const { server } = await scene();
    const { check: ask, watch } = await health(server.port);
    expect(await ask('')).toBe(1);
    expect(await ask('envoy.service.ratelimit.v3.RateLimitService')).toBe(1);
    await expect(ask('nobody')).rejects.toMatchObject({ code: status.NOT_FOUND });
    const seen: number[] = [];
    const stream = watch('').on('data', ({ status: seenStatus }: { status: number }) =>
      seen.push(seenStatus),
    );
    await once(stream, 'data');
    const ended = once(stream, 'end');
    await server.close();
    await ended;
    expect(seen).toEqual([1, 2]);
  });

  it('lets a running call end before it closes', async () => {
    const memory = createMemoryStore({ clock });
    const entered = new EventEmitter();
    const slow: Store = {
      view: (keys, look) => memory.view(keys, look),
      transact: async (keys, step) => {
        await new Promise<void>((release) => entered.emit('entered', release));
        return memory.transact(keys, step);
      },
      ping: () => memory.ping(),
      held: (prefix) => memory.held(prefix),
      close: () => memory.close(),
    };
    const { server, client } = await scene({ store: slow });
    const asked = client.shouldRateLimit({ domain: 'edge', descriptors: [descriptor('user', 'ann')] });
    const [release] = (await once(entered, 'entered')) as [() => void];
    const closed = server.close();
    release();
    expect((await asked).overall_code).toBe('OK');
    await closed;
    await expect(client.shouldRateLimit({ domain: 'edge' })).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
  });

  it('says which port was taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    onTestFinished(() => void taken.close());
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    await expect(scene({ port })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `port ${port} (gRPC for Envoy) is taken: choose another with --grpc-port, or none`,
    });
    expect(said.mock.calls).toEqual([]);
    said.mockRestore();
  });
});
