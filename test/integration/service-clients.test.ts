import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { each, type ServiceUnderTest, startService } from './service-under-test.ts';

const trusted = {
  trustedProxies: ['127.0.0.0/8', '::1/128'],
  limits: {
    userHeader: 'X-Auth-User',
    signedIn: { ratePerSecond: 1, burst: 2 },
    anonymous: { ratePerSecond: 10 },
  },
};
const scanner = { ip: '203.0.113.9', ua: 'scan/1.0' };

describe('the trail of what is done about callers', () => {
  test('names them by the id of their block, under the name of the limiter', async () => {
    const service = await startService({ limits: { name: 'shop' } });
    const note = { by: 'Ada', why: 'as told' };
    const named = { ip: '198.51.100.7', user: 'bob-in-clear' };
    for (const who of [scanner, named]) {
      await service.ask('POST', '/v1/clients/block', { ...who, ...note });
    }
    const { blocks } = (await service.ask('GET', '/v1/blocks')).json;
    for (const who of [scanner, named]) {
      await service.ask('POST', '/v1/clients/lift', { ...who, ...note });
    }
    const { json, text } = await service.ask('GET', '/v1/audit');
    expect(each(blocks, 'policy')).toEqual(['limits.shop', 'limits.shop']);
    const ids = each(json.acts, 'block');
    expect([...ids.slice(0, 2)].sort()).toEqual(each(blocks, 'id').sort());
    expect(ids.slice(2)).toEqual(ids.slice(0, 2));
    expect(text).not.toMatch(/203\.0|198\.51|bob-in-clear|scan/);
    expect((await service.ask('GET', '/v1/status')).json.limits.name).toBe('shop');
    await service.close();
  });
});

describe('callers of the gateway', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await startService(trusted);
  });
  afterAll(() => service.close());

  const authorize = () =>
    service.ask('GET', '/v1/authorize', undefined, {
      'x-forwarded-for': scanner.ip,
      'user-agent': scanner.ua,
      'x-original-uri': '/list',
      'x-original-method': 'GET',
    });

  test('are blocked and lifted by an operator, with a trail of both', async () => {
    const why = 'as told';
    expect((await authorize()).status).toBe(200);
    const placed = await service.ask('POST', '/v1/clients/block', { ...scanner, by: 'Ada', why, level: 3 });
    expect(placed).toMatchObject({ status: 200, json: { until: expect.any(Number) } });
    expect((await authorize()).status).toBe(429);
    const lift = { ...scanner, by: 'Ada', why };
    expect((await service.ask('POST', '/v1/clients/lift', lift)).json).toEqual({ lifted: true });
    expect((await authorize()).status).toBe(200);
    expect((await service.ask('POST', '/v1/clients/lift', lift)).json).toEqual({ lifted: false });
    const { json } = await service.ask('GET', '/v1/audit');
    const acts = json.acts.map(({ what, by }: { what: string; by: string }) => `${by} ${what}`);
    expect(acts).toEqual(['Ada placed', 'Ada lifted']);
    expect(json.acts[0]).toMatchObject({ until: placed.json.until });
    expect(JSON.stringify(json)).not.toContain(scanner.ip);
  });

  test('are not blocked where the level is out of range or the address none, and no trail says so', async () => {
    const { json: before } = await service.ask('GET', '/v1/audit');
    const block = { ...scanner, by: 'Ada', why: 'as told' };
    const high = await service.ask('POST', '/v1/clients/block', { ...block, level: 5 });
    expect(high).toMatchObject({ status: 400, json: { detail: expect.stringContaining('level') } });
    expect((await service.ask('POST', '/v1/clients/block', { ...block, ip: 'x' })).status).toBe(400);
    expect((await service.ask('GET', '/v1/audit')).json).toEqual(before);
  });

  test.each(['block', 'lift'])('are not touched by a %s without who, why or an address', async (what) => {
    const path = `/v1/clients/${what}`;
    const { json: before } = await service.ask('GET', '/v1/audit');
    const body = { ip: '203.0.113.77', user: 'bob', by: 'Ada', why: 'as told' };
    for (const [field, value] of Object.entries({ by: ' ', why: '\t', ip: 'nope' })) {
      const answer = await service.ask('POST', path, { ...body, [field]: value });
      expect([field, answer.status, answer.json.detail]).toEqual([
        field,
        400,
        expect.stringContaining(`${field} must be`),
      ]);
    }
    expect((await service.ask('GET', '/v1/audit')).json).toEqual(before);
  });

  test('are the users that a trusted proxy names, wherever they come from', async () => {
    const asUser = (user: string, ip: string) =>
      service.ask('GET', '/v1/authorize', undefined, { 'x-forwarded-for': ip, 'x-auth-user': user });
    expect((await asUser('ada', '198.51.100.1')).status).toBe(200);
    expect((await asUser('ada', '198.51.100.2')).status).toBe(200);
    expect((await asUser('ada', '198.51.100.3')).status).toBe(429);
    expect((await asUser('bob', '198.51.100.3')).status).toBe(200);
  });

  test('are judged by outcomes that whoever answered them reports', async () => {
    const requests = Array.from({ length: 300 }, (_, index) => ({
      method: 'GET',
      path: `/backup-${index}.zip`,
      ...scanner,
      status: 404,
    }));
    const { status, json } = await service.ask('POST', '/v1/observe', { requests });
    expect(status).toBe(200);
    expect(json.observed).toBe(300);
    expect(json.findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(json)).not.toContain(scanner.ip);
  });

  test('can be reported a thousand at a time, with the agents and paths that people have', async () => {
    const request = {
      method: 'GET',
      path: `/list?${'page=1&'.repeat(10)}`,
      ip: '198.51.100.9',
      ua: 'M'.repeat(120),
    };
    const requests = Array.from({ length: 1_000 }, () => ({ ...request, status: 200 }));
    expect(await service.ask('POST', '/v1/observe', { requests })).toMatchObject({
      status: 200,
      json: { observed: 1_000 },
    });
  });

  test('are refused with the field that is wrong', async () => {
    const bad = await service.ask('POST', '/v1/observe', {
      requests: [{ method: 'GET', path: '/', ip: 'x' }],
    });
    expect(bad).toMatchObject({ status: 400, json: { detail: expect.stringContaining('requests[0].ip') } });
  });
});
