import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/server/route.ts';
import {
  bearer,
  each,
  roleTokens,
  type ServiceUnderTest,
  startService,
  tokenList,
} from './service-under-test.ts';

const login = { ip: '203.0.113.7', account: 'a1', ua: 'Mozilla/5.0 Firefox/120.0' };
const allowed = {
  outcome: 'ALLOW',
  level: 0,
  until: 0,
  retryAfterMs: 0,
  rule: null,
  scope: null,
  deferred: false,
  mode: 'NORMAL',
  reasons: [],
};

const missing = (...fields: readonly string[]) => fields.map((field) => ({ field, problem: 'is missing' }));

describe('a service without tokens', () => {
  let under: ServiceUnderTest;
  beforeAll(async () => {
    under = await startService({ limits: { anonymous: { ratePerSecond: 1, burst: 2 } } });
  });
  afterAll(() => under.close());

  it('answers every decision with 200, denials too', async () => {
    const answers = [];
    for (let n = 0; n < 3; n += 1) answers.push(await under.ask('POST', '/v1/fail', login));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[0]?.json).toEqual(allowed);
    const { json } = await under.ask('POST', '/v1/check', login);
    expect(json.outcome).toBe('HARD_BLOCK');
    expect(Object.keys(json)).toEqual(Object.keys(allowed));
    expect(json.reasons[0]).toMatchObject({ rule: 'blocked', outcome: 'HARD_BLOCK' });
    expect(
      (await under.ask('POST', '/v1/succeed', { ...login, account: 'a2', ip: '203.0.113.8' })).json,
    ).toEqual(allowed);
  });

  it('takes the absolute form of a target, as a client sends it to a proxy', async () => {
    const socket = connect(under.port, '127.0.0.1');
    const statusOf = async (target: string) => {
      socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      const [head] = await once(socket, 'data');
      return Number(String(head).slice(9, 12));
    };
    expect(await statusOf('http://127.0.0.1/healthz')).toBe(200);
    expect(await statusOf(`HTTP://127.0.0.1:${under.port}/healthz?x=1`)).toBe(200);
    // What is at the root, whether there is a console or not.
    const root = await under.ask('GET', '/');
    expect([await statusOf('http://127.0.0.1'), await statusOf('http://127.0.0.1?x')]).toEqual([
      root.status,
      root.status,
    ]);
    socket.destroy();
  });

  it('takes a cost with consume, and only there', async () => {
    expect((await under.ask('POST', '/v1/consume', { ip: '203.0.113.9', cost: 120 })).json).toEqual(allowed);
    const over = await under.ask('POST', '/v1/consume', { ip: '203.0.113.9' });
    expect(over.json).toMatchObject({ outcome: 'SOFT_BLOCK', rule: 'minor', scope: 'K2' });
    const refused = await under.ask('POST', '/v1/check', { ...login, cost: 1 });
    expect([refused.status, refused.json.fields[0]?.field]).toEqual([400, 'cost']);
  });

  it('takes null for a field that is left out, as event lines do', async () => {
    const nobody = { action: null, ua: null, device: null, ip: '203.0.113.10' };
    const subject = { ...nobody, account: 'nulls' };
    expect((await under.ask('POST', '/v1/check', subject)).json).toEqual(allowed);
    const call = { ...nobody, account: null, cost: null };
    expect((await under.ask('POST', '/v1/consume', call)).json).toEqual(allowed);
    const items = [
      { op: 'check', ...subject, cost: null },
      { op: 'consume', ...call },
    ];
    expect((await under.ask('POST', '/v1/batch', items)).json).toEqual([allowed, allowed]);
    expect((await under.ask('POST', '/v1/explain', subject)).json.policy).toBe('login');
  });

  it.each([
    ['t', { ...login, t: 1 }],
    ['op', { ...login, op: 'check' }],
    ['__proto__', JSON.parse('{"ip":"1.2.3.4","account":"a","__proto__":{"x":1}}')],
    ['ip', { account: 'a' }],
    ['ip', { ...login, ip: 7 }],
    ['account', { ...login, account: 7 }],
    ['device.confidence', { ...login, device: { id: 'd' } }],
    ['device.sort', { ...login, device: { id: 'd', confidence: 'LOW', sort: 1 } }],
    ['body', []],
    ['body', null],
    ['body', 'text'],
  ])('names %s where a body is wrong', async (field, body) => {
    const answer = await under.ask('POST', '/v1/check', JSON.stringify(body));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
    expect(each(answer.json.fields, 'field')).toContain(field);
  });

  it.each([
    ['an address that is none', { ...login, ip: 'nowhere' }, 'INPUT_INVALID'],
    ['an action nobody knows', { ...login, action: 'auth.magic' }, 'INPUT_INVALID'],
    ['an account that is missing', { ip: '203.0.113.7' }, 'INPUT_INVALID'],
  ])('refuses %s in words that do not quote it', async (_, body, code) => {
    const answer = await under.ask('POST', '/v1/check', body);
    expect([answer.status, answer.json.code]).toEqual([400, code]);
    expect(answer.text).not.toContain('nowhere');
  });

  it('refuses an operation that the policy does not have', async () => {
    const answer = await under.ask('POST', '/v1/consume', { ...login, action: 'auth.login' });
    expect([answer.status, answer.json.code]).toEqual([400, 'OPERATION_UNKNOWN']);
  });

  it('decides batches in their order, with a problem in place of what it refuses', async () => {
    const item = { op: 'fail', ip: '203.0.113.50', account: 'batch' };
    const { status, json } = await under.ask('POST', '/v1/batch', [item, item, { ...item, ip: 'x' }, item]);
    expect(status).toBe(200);
    expect([...each(json, 'outcome').slice(0, 2), json[2].code, json[3].outcome]).toEqual([
      'ALLOW',
      'HARD_BLOCK',
      'INPUT_INVALID',
      'HARD_BLOCK',
    ]);
    const many = Array.from({ length: 1_001 }, () => item);
    expect((await under.ask('POST', '/v1/batch', many)).status).toBe(400);
    expect((await under.ask('POST', '/v1/batch', many.slice(1))).json).toHaveLength(1_000);
    const wrong = await under.ask('POST', '/v1/batch', [item, { ...item, t: 3 }]);
    expect(wrong.json.fields[0]?.field).toBe('[1].t');
  });

  it('lists, lifts and places blocks, and keeps who and why', async () => {
    const placed = await under.ask('POST', '/v1/blocks', {
      action: null,
      ...login,
      ip: '198.51.100.9',
      scope: 'K1',
      level: 3,
      by: 'alice',
      why: 'scanning',
    });
    expect(placed.json).toMatchObject({ policy: 'login', scope: 'K1', level: 3, outcome: 'HARD_BLOCK' });
    const { id } = placed.json;
    const listed = await under.ask('GET', '/v1/blocks');
    expect(each(listed.json.blocks, 'id')).toContain(id);
    expect((await under.ask('GET', '/v1/blocks?limit=1')).json).toMatchObject({ more: true });
    expect((await under.ask('GET', '/v1/blocks?limit=10000')).json).toMatchObject({ more: false });
    expect(await under.ask('GET', '/v1/blocks?limit=10001')).toMatchObject({ status: 400 });
    const path = `/v1/blocks/${encodeURIComponent(id)}`;
    expect((await under.ask('DELETE', path, { why: 'no name' })).status).toBe(400);
    expect((await under.ask('DELETE', path, { by: 'bob', why: 'a mistake' })).json).toEqual({ lifted: true });
    expect((await under.ask('DELETE', path, { by: 'bob', why: 'again' })).json).toEqual({ lifted: false });
    const { acts } = (await under.ask('GET', '/v1/audit')).json;
    expect(acts).toMatchObject([
      { what: 'placed', by: 'alice', why: 'scanning' },
      { what: 'lifted', by: 'bob', why: 'a mistake' },
    ]);
  });

  it('lists the highest blocks first, the gateway’s too, with the time by which they end', async () => {
    const note = { by: 'alice', why: 'scanning' };
    const place = async (ip: string, level: number) => {
      const block = { ...login, ip, scope: 'K1', level, ...note };
      return (await under.ask('POST', '/v1/blocks', block)).json.id as string;
    };
    const before = Date.now();
    const placed = [await place('198.51.100.31', 1), await place('198.51.100.32', 6)];
    const client = { ip: '198.51.100.33', ua: 'curl', ...note };
    await under.ask('POST', '/v1/clients/block', client);
    const { at, blocks } = (await under.ask('GET', '/v1/blocks')).json;
    expect(at).toBeGreaterThanOrEqual(before);
    const levels = each(blocks, 'level') as number[];
    expect(levels).toEqual(levels.toSorted((a, b) => b - a));
    expect(each(blocks, 'policy').lastIndexOf('login')).toBeGreaterThan(
      each(blocks, 'policy').indexOf('limits.default'),
    );
    expect((await under.ask('GET', '/v1/blocks?limit=1')).json).toMatchObject({
      blocks: [{ id: placed[1], level: 6 }],
      more: true,
    });
    await under.ask('POST', '/v1/clients/lift', client);
    for (const id of placed) await under.ask('DELETE', `/v1/blocks/${encodeURIComponent(id)}`, note);
  });

  it('says with the pins by which time they end', async () => {
    const before = Date.now();
    const { at } = (await under.ask('GET', '/v1/pins')).json;
    expect(at).toBeGreaterThanOrEqual(before);
  });

  it('lists the blocks of the gateway among the others, and lifts them by their ids', async () => {
    const who = { ip: '198.51.100.77', user: 'u-77', by: 'alice', why: 'scraping' };
    const { until } = (await under.ask('POST', '/v1/clients/block', who)).json;
    const { blocks } = (await under.ask('GET', '/v1/blocks')).json;
    const listed = (blocks as { policy: string; id: string }[]).find(({ policy }) =>
      policy.startsWith('limits.'),
    );
    expect(listed).toMatchObject({ scope: 'U', outcome: 'HARD_BLOCK', level: 2, until });
    const path = `/v1/blocks/${encodeURIComponent(listed?.id ?? '')}`;
    expect((await under.ask('DELETE', path, { why: 'no name' })).status).toBe(400);
    expect((await under.ask('DELETE', path, { by: 'bob', why: 'paid' })).json).toEqual({ lifted: true });
    expect((await under.ask('DELETE', path, { by: 'bob', why: 'again' })).json).toEqual({ lifted: false });
    expect((await under.ask('POST', '/v1/clients/lift', who)).json).toEqual({ lifted: false });
    expect((await under.ask('DELETE', '/v1/blocks/limits.other:U:x', { by: 'bob', why: '?' })).status).toBe(
      400,
    );
    const { acts } = (await under.ask('GET', '/v1/audit')).json;
    expect((acts as object[]).at(-1)).toMatchObject({
      what: 'lifted',
      block: listed?.id,
      by: 'bob',
      why: 'paid',
    });
  });

  it('explains a subject', async () => {
    const { json } = await under.ask('POST', '/v1/explain', login);
    expect(json.now.outcome).toBe('HARD_BLOCK');
    expect(json.words.length).toBeGreaterThan(1);
  });

  it('decides for proxies, and says so in headers', async () => {
    const answers = [];
    for (let n = 0; n < 4; n += 1) answers.push(await under.ask('GET', '/v1/authorize'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(answers[0]?.headers.get('ratelimit')).toBe('"default";r=1;t=1');
    expect(answers[2]?.headers.get('retry-after')).toBe('1');
    expect(answers[2]?.json).toMatchObject({ code: 'RATE_LIMIT', status: 429, retryAfter: '1' });
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids.map((id) => id?.length))).toEqual(new Set([36]));
    expect(answers[2]?.json.requestId).toBe(ids[2]);
    const named = (id: string) => under.ask('GET', '/v1/authorize', undefined, { 'x-request-id': id });
    expect((await named('r-1')).headers.get('x-request-id')).toBe('r-1');
    const unfit = await named('not fit to be one');
    expect(unfit.headers.get('x-request-id')).toBe(unfit.json.requestId);
    const denied = await under.ask('POST', '/v1/authorize?deny=403');
    expect([denied.status, denied.json.status, denied.headers.get('retry-after')]).toEqual([403, 403, '1']);
    // A field of the visitor's own, which some proxies pass on.
    expect((await under.ask('GET', '/v1/authorize?deny=spam&page=2')).status).toBe(429);
  });

  it('describes itself in OpenAPI 3.1, every route of it', async () => {
    const { json } = await under.ask('GET', '/openapi.json');
    expect(json.openapi).toBe('3.1.0');
    for (const { method, path } of under.service.routes) {
      const described = json.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      expect([path, typeof described?.summary]).toEqual([path, 'string']);
    }
    const refs = [...String(JSON.stringify(json)).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(refs.length).toBeGreaterThan(20);
    for (const name of refs) expect(json.components.schemas).toHaveProperty(String(name));
  });

  it('describes answers by the media type that they have', async () => {
    const { paths } = (await under.ask('GET', '/openapi.json')).json;
    const asked = under.service.routes.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
    for (const { path } of asked) {
      const answer = await fetch(`${under.url}${path}`);
      await answer.body?.cancel();
      const type = answer.headers.get('content-type')?.split(';', 1);
      const described = paths[path].get.responses[answer.status];
      expect([path, Object.keys(described.content ?? {})]).toEqual([path, type ?? []]);
    }
    expect(each(asked, 'path')).toEqual(expect.arrayContaining(['/metrics', '/v1/events', '/v1/authorize']));
  });

  it('tells status, configuration and numbers', async () => {
    const status = (await under.ask('GET', '/v1/status')).json;
    expect(status).toMatchObject({ store: 'memory', environment: 'default', storeAnswers: true });
    expect(each(status.modes, 'mode')).toEqual(['NORMAL', 'NORMAL', 'NORMAL']);
    expect(status.limits.routes[2]).toEqual({ method: 'PUT', path: '/create', cost: 5, signIn: false });
    expect((await under.ask('GET', '/v1/config')).json.listen.port).toBe(0);
    const { text } = await under.ask('GET', '/metrics');
    expect(text).toMatch(
      /portcullis_http_requests_total\{method="POST",route="\/v1\/check",status="200"\} [1-9]/,
    );
    expect((await under.ask('GET', '/healthz')).json).toEqual({ status: 'ok' });
    expect((await under.ask('GET', '/readyz')).json).toEqual({ status: 'ok' });
  });

  it('streams what happens, from the last event on', async () => {
    const first = await eventsOf(under.url, '/v1/events?since=0', 2);
    expect(first[0]).toMatchObject({ seq: 1, type: 'decision' });
    const { id = '' } = first[1] ?? {};
    expect(id).toMatch(/^[0-9a-f]{12}-2$/);
    const after = await eventsOf(under.url, '/v1/events', 1, { 'last-event-id': id });
    expect(after[0]?.seq).toBe(3);
    expect((await eventsOf(under.url, `/v1/events?since=${id}`, 1))[0]?.seq).toBe(3);
    // An EventSource keeps its address and tells in the header what it has seen since.
    const again = await eventsOf(under.url, '/v1/events?since=0', 1, { 'last-event-id': id });
    expect(again[0]?.seq).toBe(3);
    expect(JSON.stringify(first)).not.toContain('203.0.113.7');
  });

  it.each([
    ['of another life', { 'last-event-id': '0123456789ab-2' }],
    ['of a life that nobody knows', { 'last-event-id': '2' }],
  ])('streams all it has, and says that events are missing, after an event %s', async (_, headers) => {
    const [gap, first] = await eventsOf(under.url, '/v1/events', 2, headers);
    expect(gap).toMatchObject({ seq: 0, type: 'gap', missed: null });
    expect(first?.seq).toBe(1);
    expect((await under.ask('GET', '/v1/events?since=beef')).status).toBe(400);
  });

  it('pins a limit for a time', async () => {
    const note = { by: 'alice', why: 'a sale', forMs: 60_000 };
    const { json } = await under.ask('PUT', '/v1/pins/limits/anonymous', { ratePerSecond: 50, ...note });
    expect(json).toMatchObject({ name: 'limit:anonymous', ratePerSecond: 50, by: 'alice' });
    const { headers } = await under.ask('GET', '/v1/authorize');
    expect(headers.get('ratelimit-policy')).toContain('q=150');
    expect((await under.ask('GET', '/v1/pins')).json.pins).toHaveLength(1);
    const removed = await under.ask('DELETE', '/v1/pins/limit:anonymous', { by: 'alice', why: 'over' });
    expect(removed.json).toEqual({ removed: true });
    expect((await under.ask('PUT', '/v1/pins/failure/nobody', { mode: 'closed', ...note })).status).toBe(400);
  });

  it('lets a pinned rule run in shadow', async () => {
    const note = { by: 'alice', why: 'trying it', forMs: 60_000 };
    await under.ask('PUT', '/v1/pins/shadow/login/score', note);
    const request = { ...login, ip: '203.0.113.77', account: 'shadowed' };
    for (let n = 0; n < 2; n += 1) await under.ask('POST', '/v1/fail', request);
    const { json } = await under.ask('POST', '/v1/fail', request);
    expect(json.outcome).toBe('ALLOW');
    expect(json.shadow[0]).toMatchObject({ rule: 'score', scope: 'K4', outcome: 'HARD_BLOCK' });
  });

  it.each([
    ['GET', '/nothing', 404],
    ['GET', '/v1/check', 405],
    ['PATCH', '/v1/blocks', 405],
    ['GET', '/v1/blocks/%zz', 404],
    ['GET', '/', 404],
  ])('answers %s %s with a problem', async (method, path, status) => {
    const answer = await under.ask(method, path);
    expect([answer.status, answer.json.status]).toEqual([status, status]);
    expect(answer.json.requestId).toMatch(/^[\w-]{36}$/);
  });

  it.each([undefined, ''])('names what is missing in a request without a body', async (body) => {
    const { json } = await under.ask('DELETE', '/v1/blocks/login:K4:x', body);
    expect(json).toMatchObject({ status: 400, fields: missing('why', 'by') });
    const { json: batch } = await under.ask('POST', '/v1/batch', body);
    expect(batch).toMatchObject({ status: 400, fields: [{ field: 'body' }] });
  });

  it.each([
    ['DELETE', '/v1/blocks/login:K4:x', {}, ['why', 'by']],
    ['DELETE', '/v1/blocks/login:K4:x', { why: 'as told' }, ['by']],
    ['DELETE', '/v1/blocks/login:K4:x', { by: 'alice' }, ['why']],
    ['POST', '/v1/blocks', {}, ['ip', 'scope', 'level', 'why', 'by']],
    ['POST', '/v1/clients/lift', { ip: '198.51.100.7' }, ['why', 'by']],
    ['POST', '/v1/clients/block', {}, ['ip', 'why', 'by']],
    ['PUT', '/v1/pins/limits/user', {}, ['ratePerSecond', 'user', 'why', 'forMs', 'by']],
    ['DELETE', '/v1/pins/limit:anonymous', {}, ['why', 'by']],
  ])('names all that is missing at once: %s %s %j', async (method, path, body, fields) => {
    const { json } = await under.ask(method, path, body);
    expect(json).toMatchObject({ status: 400, code: 'INPUT_INVALID', fields: missing(...fields) });
    expect(json.detail).toBe(fields.map((field) => `${field} is missing`).join('; '));
  });

  it('says which methods a path takes, and HEAD where it takes GET', async () => {
    const allowed = async (path: string) => (await under.ask('PATCH', path)).headers.get('allow');
    expect(await allowed('/v1/blocks')).toBe('GET, HEAD, POST');
    expect(await allowed('/v1/check')).toBe('POST');
    expect((await fetch(`${under.url}/v1/blocks`, { method: 'HEAD' })).status).toBe(200);
  });

  it('echoes a sane request id, and no other', async () => {
    const sane = await under.ask('GET', '/healthz', undefined, { 'x-request-id': 'abc-1' });
    expect(sane.headers.get('x-request-id')).toBe('abc-1');
    const odd = await under.ask('GET', '/nothing', undefined, { 'x-request-id': 'a b' });
    expect(odd.json.requestId).not.toBe('a b');
  });

  it('is no use to pages of other sites and to the world behind a proxy', async () => {
    const from = (headers: Record<string, string>, path = '/v1/blocks') =>
      under.ask('GET', path, undefined, headers);
    expect((await from({ origin: 'https://evil.example' })).json.code).toBe('CROSS_SITE');
    expect((await from({ 'sec-fetch-site': 'cross-site' })).json.code).toBe('CROSS_SITE');
    expect((await from({ 'x-forwarded-for': '192.0.2.1' })).json.code).toBe('LOOPBACK_ONLY');
    expect((await from({ 'x-real-ip': '192.0.2.1' })).json.code).toBe('LOOPBACK_ONLY');
    expect(await firstLineOf(under, 'GET /v1/blocks HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n')).toContain('403');
    expect(await firstLineOf(under, 'GET /healthz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n')).toContain('200');
    expect(under.lines.filter((line) => line.includes('a service behind one needs tokens'))).toHaveLength(1);
    expect((await from({ origin: under.url })).status).toBe(200);
    const decided = await under.ask('POST', '/v1/check', login, { 'x-forwarded-for': '192.0.2.1' });
    expect(decided.status).toBe(200);
    expect((await from({ origin: 'https://shop.example' }, '/v1/authorize')).status).not.toBe(403);
  });
});

describe('tokens', () => {
  let under: ServiceUnderTest;
  beforeAll(async () => {
    under = await startService({ tokens: tokenList });
  });
  afterAll(() => under.close());

  /** Which role opens which route; the rest of the matrix follows from it. */
  const opens: Record<string, readonly (keyof typeof roleTokens)[]> = {
    decide: ['decide'],
    observe: ['observe', 'operate'],
    operate: ['operate'],
  };

  it('open what their role may, on every route', async () => {
    for (const route of under.service.routes.filter(({ path }) => path !== '/v1/events')) {
      for (const role of ['decide', 'observe', 'operate'] as const) {
        const { status } = await knock(under, route, bearer(role));
        const mayEnter = route.role === null || opens[route.role]?.includes(role);
        expect([route.method, route.path, role, status === 403 || status === 401]).toEqual([
          route.method,
          route.path,
          role,
          !mayEnter,
        ]);
      }
      const nobody = await knock(under, route, {});
      expect([route.path, nobody.status === 401]).toEqual([route.path, route.role !== null]);
    }
  });

  it('are asked for in so many words', async () => {
    const missing = await under.ask('POST', '/v1/check', login);
    expect([missing.status, missing.json.code]).toEqual([401, 'TOKEN_MISSING']);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    const unknown = await under.ask('POST', '/v1/check', login, {
      authorization: 'Bearer not-one-of-them-at-all',
    });
    expect([unknown.status, unknown.json.code]).toEqual([401, 'TOKEN_UNKNOWN']);
    expect(unknown.text).not.toContain('not-one-of-them');
    const own = { authorization: 'Bearer of-the-visitor', 'x-portcullis-token': roleTokens.decide };
    expect((await under.ask('POST', '/v1/check', login, own)).status).toBe(200);
  });

  it('name who acted', async () => {
    const block = { ...login, scope: 'K1', level: 2, why: 'testing' };
    await under.ask('POST', '/v1/blocks', block, bearer('operate'));
    await under.ask('POST', '/v1/blocks', { ...block, by: 'alice' }, bearer('operate'));
    const { acts } = (await under.ask('GET', '/v1/audit', undefined, bearer('observe'))).json;
    expect(each(acts, 'by')).toEqual(['operate', 'alice (token operate)']);
  });

  it('say who acts, where the body need not', async () => {
    const { json } = await under.ask('DELETE', '/v1/blocks/login:K4:x', {}, bearer('operate'));
    expect(json).toMatchObject({ status: 400, fields: missing('why') });
  });

  it('are shown to nobody', async () => {
    const { text } = await under.ask('GET', '/v1/config', undefined, bearer('observe'));
    for (const token of Object.values(roleTokens)) expect(text).not.toContain(token);
    expect(JSON.parse(text).tokens).toEqual(tokenList.map(({ name, role }) => ({ name, role })));
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });
});

describe('a trusted proxy', () => {
  async function behindProxy() {
    const under = await startService({
      trustedProxies: ['127.0.0.1'],
      limits: { anonymous: { ratePerSecond: 5, burst: 2 } },
      scenarios: { enabled: false },
    });
    const asks = (headers: Record<string, string>) => under.ask('GET', '/v1/authorize', undefined, headers);
    return { under, asks };
  }

  it('names its visitor, the method and the path', async () => {
    const { under, asks } = await behindProxy();
    const visitor = { 'x-forwarded-for': '192.0.2.44' };
    const costly = { ...visitor, 'x-original-uri': '/create?x=1', 'x-original-method': 'PUT' };
    expect((await asks(costly)).headers.get('ratelimit')).toContain('r=5;');
    const forwarded = { ...visitor, 'x-forwarded-uri': '/update', 'x-forwarded-method': 'PATCH' };
    expect((await asks(forwarded)).headers.get('ratelimit')).toContain('r=2;');
    expect((await asks({ 'x-forwarded-for': '192.0.2.45' })).headers.get('ratelimit')).toContain('r=9;');
    const forged = { ...costly, 'x-forwarded-uri': '/cheap' };
    expect((await asks(forged)).json).toMatchObject({ status: 403, code: 'ORIGIN_AMBIGUOUS' });
    await under.close();
  });

  it('names the method, whatever the visitor adds', async () => {
    const { under, asks } = await behindProxy();
    const written = {
      'x-forwarded-for': '192.0.2.44',
      'x-forwarded-uri': '/create',
      'x-forwarded-method': 'PUT',
    };
    const added = { ...written, 'x-original-uri': '/create' };
    expect((await asks(added)).headers.get('ratelimit')).toContain('r=5;');
    const forged = { ...added, 'x-original-method': 'GET' };
    expect((await asks(forged)).json).toMatchObject({ status: 403, code: 'ORIGIN_AMBIGUOUS' });
    await under.close();
  });

  it('is heard after any number of headers that a visitor brings', async () => {
    const { under, asks } = await behindProxy();
    const brought = Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`a${index}`, '1']));
    const written = {
      'x-forwarded-for': '192.0.2.44',
      'x-original-uri': '/create',
      'x-original-method': 'PUT',
    };
    const answer = await asks({ ...brought, ...written });
    expect(answer.headers.get('ratelimit')).toContain('r=5;');
    const padded = {
      ...written,
      'x-forwarded-for': '192.0.2.47',
      'x-original-uri': `${'/'.repeat(8_000)}create`,
    };
    expect((await asks(padded)).headers.get('ratelimit')).toContain('r=5;');
    const operator = await under.ask('GET', '/v1/blocks', undefined, {
      ...brought,
      'x-forwarded-for': '192.0.2.44',
    });
    expect(operator.json).toMatchObject({ status: 403, code: 'LOOPBACK_ONLY' });
    await under.close();
  });

  it('is believed by nobody who has not listed it', async () => {
    const under = await startService({ limits: { anonymous: { ratePerSecond: 5, burst: 2 } } });
    const headers = {
      'x-forwarded-for': '192.0.2.44',
      'x-original-uri': '/create',
      'x-original-method': 'PUT',
    };
    const { headers: told } = await under.ask('GET', '/v1/authorize', undefined, headers);
    expect(told.get('ratelimit')).toContain('r=9;');
    expect(under.lines.join('')).toContain('PORTCULLIS_PROXY_UNTRUSTED');
    await under.close();
  });

  it('is told of once where others are listed and it is not: all behind it are limited as one', async () => {
    const under = await startService({ trustedProxies: ['10.0.0.0/8'] });
    const told = () => under.lines.filter((line) => line.includes('PORTCULLIS_PROXY_UNTRUSTED'));
    await under.ask('GET', '/v1/authorize');
    expect(told()).toEqual([]);
    for (let visitor = 0; visitor < 3; visitor += 1) {
      await under.ask('GET', '/v1/authorize', undefined, { 'x-forwarded-for': `192.0.2.${visitor}` });
    }
    expect(told()).toHaveLength(1);
    expect(told().join('')).toContain('did not come from trustedProxies');
    await under.close();
  });
});

/** A request that gets past the door wherever the token does: what it asks for may be wrong. */
function knock({ ask }: ServiceUnderTest, { method, path, body }: Route, headers: Record<string, string>) {
  return ask(method, path.replaceAll(/:\w+/g, 'x'), body === undefined ? undefined : {}, headers);
}

/** Sends bytes as they are, and gives the first line of the answer. */
async function firstLineOf({ port }: ServiceUnderTest, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text.split('\r\n', 1)[0] ?? '';
}

/** The first events of a stream. */
async function eventsOf(url: string, path: string, count: number, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(new URL(path, url), { headers, signal: abort.signal });
  const events: { id?: string; seq: number; type: string }[] = [];
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    const data = [...text.matchAll(/^(?:id: (.*)\n)?data: (.*)\n\n/gm)].map(([, id, json = '']) => ({
      id,
      ...JSON.parse(json),
    }));
    events.splice(0, events.length, ...data);
    if (events.length >= count) break;
  }
  abort.abort();
  return events;
}
