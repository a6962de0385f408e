import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { changeBetween } from '../../src/config/config-change.ts';
import { checkDocument, readServiceConfig } from '../../src/config/read-service-config.ts';
import type { ServiceConfig } from '../../src/config/service-config.ts';
import { defaultPolicies } from '../../src/core/policy.ts';
import type { OpenRoom } from '../../src/server/rooms.ts';
import type { ServiceParts } from '../../src/server/service-parts.ts';
import { type KratosUpstream, startKratosUpstream } from '../servers/kratos-upstream.ts';
import { isRedisInstalled, startRedis } from '../servers/redis-server.ts';
import { wrong } from './kratos-scene.ts';
import { type ServiceUnderTest, startService } from './service-under-test.ts';

const hooks = '/api/v1/webhooks/kratos/login-backoff';

describe('the service in front of Kratos', () => {
  let kratos: KratosUpstream;
  const running: ServiceUnderTest[] = [];
  beforeAll(async () => {
    kratos = await startKratosUpstream([{ email: 'alice@example.com', password: 'right' }]);
  });
  afterEach(async () => {
    for (const under of running.splice(0)) await under.close();
  });
  afterAll(() => kratos.stop());

  async function open(section: object = {}, document: object = {}, bounds: ServiceParts['bounds'] = {}) {
    const proxy = { port: 0, ...('proxy' in section ? (section.proxy as object) : {}) };
    let config: ServiceConfig | undefined;
    const room: OpenRoom = async (parts) => {
      config = parts.config;
      return null;
    };
    const under = await startService(
      {
        trustedProxies: ['127.0.0.1'],
        ...document,
        kratos: { upstreamUrl: kratos.url, ...section, proxy },
      },
      { rooms: [room], bounds },
    );
    running.push(under);
    const status = (await under.ask('GET', '/v1/status')).json as { kratos: { port: number } };
    const url = `http://127.0.0.1:${status.kratos.port}`;
    const login = async (identifier: string, ip: string, password = 'wrong') => {
      const flow = (await (await fetch(`${url}/self-service/login/api`)).json()) as { id: string };
      return fetch(`${url}/self-service/login?flow=${flow.id}`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json', 'true-client-ip': ip },
        body: JSON.stringify({ ...wrong(identifier), password }),
      });
    };
    const change = (changed: Partial<ServiceConfig>) => {
      if (config === undefined) return expect.unreachable('the room was not opened');
      return changeBetween(config, { ...config, ...changed });
    };
    return { under, url, login, change };
  }

  test('takes over no policies that the engine in front of Kratos could not ask', async () => {
    const { under, login, change } = await open({ policy: 'matrix' });
    const elsewhere = defaultPolicies.map((policy) =>
      policy.name === 'login' ? { ...policy, actions: ['web.login'] } : policy,
    );
    expect(() => under.service.apply(change({ policies: elsewhere }))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('auth.login') }),
    );
    expect((await login('alice@example.com', '192.0.2.9')).status).toBe(400);
  });

  test('counts what may be a password by the policy of passwords, whatever else it says', async () => {
    const { url, login } = await open({ policy: 'matrix' });
    for (let guess = 0; guess < 3; guess += 1) await login('alice@example.com', `192.0.2.${guess}`);
    expect((await login('alice@example.com', '192.0.2.50', 'right')).status).toBe(429);
    const flow = (await (await fetch(`${url}/self-service/login/api`)).json()) as { id: string };
    const disguised = await fetch(`${url}/self-service/login?flow=${flow.id}`, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'true-client-ip': '192.0.2.51',
      },
      body: JSON.stringify({ ...wrong('alice@example.com'), password: 'right', totp_code: '1', code: 'x' }),
    });
    expect(disguised.status).toBe(429);
  });

  test('takes logins for a moment after it was told to end, as it takes all requests', async () => {
    const { under, url, login } = await open({}, {}, { graceMs: 1_000 });
    const closed = under.close();
    running.splice(0);
    expect((await fetch(`${url}/self-service/login/api`)).headers.get('connection')).toBe('close');
    expect((await login('alice@example.com', '192.0.2.9', 'right')).status).toBe(200);
    await closed;
    await expect(fetch(`${url}/self-service/login/api`)).rejects.toThrow();
  });

  test('counts at the proxy and at the webhooks together', async () => {
    const { under, login } = await open();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await login('alice@example.com', '192.0.2.1')).status).toBe(400);
    }
    const before = { identifier: 'ALICE@example.com', client_ip: '192.0.2.1' };
    expect((await under.ask('POST', `${hooks}/before-login`, before)).json).toEqual({
      allowed: true,
      identifier_attempts: 6,
      ip_attempts: 6,
    });
    const after = { email: 'alice@example.com', client_ip: '192.0.2.1' };
    expect((await under.ask('POST', `${hooks}/after-login`, after)).json).toEqual({
      status: 'success',
      message: 'counters reset',
    });
    for (let attempt = 0; attempt < 10; attempt += 1) await login('alice@example.com', '192.0.2.1');
    expect((await login('alice@example.com', '192.0.2.1')).status).toBe(429);
    const refused = await under.ask('POST', `${hooks}/before-login`, before);
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({ allowed: false, reason: 'identifier' });
  });

  test('believes the proxies of the present configuration', async () => {
    const { under, login, change } = await open();
    const clientIp = async () => {
      await login('alice@example.com', '192.0.2.99');
      return kratos.submitted.at(-1)?.clientIp;
    };
    expect(await clientIp()).toBe('192.0.2.99');
    under.service.apply(change({ trustedProxies: [] }));
    expect(await clientIp()).toBe('127.0.0.1');
    under.service.apply(change({ trustedProxies: ['127.0.0.0/8'] }));
    expect(await clientIp()).toBe('192.0.2.99');
  });

  test('counts how logins have ended', async () => {
    const { under, login } = await open();
    await login('alice@example.com', '192.0.2.1');
    await login('alice@example.com', '192.0.2.1', 'right');
    const { text } = await under.ask('GET', '/metrics');
    const counted = text.split('\n').filter((line) => line.startsWith('portcullis_kratos_total'));
    expect(counted.map((line) => line.replace(/,?reason="[^"]*"/, ''))).toEqual(
      expect.arrayContaining([
        'portcullis_kratos_total{result="failure"} 1',
        'portcullis_kratos_total{result="success"} 1',
      ]),
    );
  });

  test('allows what its webhooks cannot read, and logs that and nothing of it', async () => {
    const { under } = await open();
    const answers = [
      await under.ask('POST', `${hooks}/before-login`, 'identifier=secretzzelsa'),
      await under.ask('POST', `${hooks}/before-login`, {}),
      await under.ask('POST', `${hooks}/after-login`, '"secretzzelsa'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(under.lines.filter((line) => /KRATOS_WEBHOOK_(EMPTY|UNREADABLE)/.test(line))).toHaveLength(3);
    expect(under.lines.join('')).not.toContain('zzelsa');
  });

  test('asks callers of its webhooks for a token or a signature where one is set', async () => {
    const secret = 'a secret that signs webhooks';
    const { under } = await open({
      webhooks: { token: 'a token for webhooks'.replaceAll(' ', '-'), signatureSecret: secret },
    });
    const body = JSON.stringify({ identifier: 'a' });
    const ask = (headers: Record<string, string>) =>
      under.ask('POST', `${hooks}/before-login`, body, headers).then(({ status }) => status);
    const seconds = Math.floor(Date.now() / 1_000);
    const hmac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: 'Bearer another-token' })).toBe(401);
    expect(await ask({ authorization: 'Bearer a-token-for-webhooks' })).toBe(200);
    expect(await ask({ 'x-portcullis-signature': `t=${seconds},v1=${hmac}` })).toBe(200);
  });

  test('serves webhooks to loopback and the configured addresses alone where none is set', async () => {
    const { under } = await open({ webhooks: { cidrs: ['10.0.0.0/8'] } });
    const ask = (from: string) =>
      under
        .ask('POST', `${hooks}/before-login`, { identifier: 'a' }, { 'x-forwarded-for': from })
        .then(({ status }) => status);
    expect([await ask('10.1.2.3'), await ask('203.0.113.9')]).toEqual([200, 403]);
    // They stand for 10.1.2.3, and whoever is on the link may take them.
    expect([await ask('2002:a01:203::1'), await ask('64:ff9b::10.1.2.3')]).toEqual([403, 403]);
  });

  test('runs the whole engine where it is asked to, and shows what it decides', async () => {
    const { under, login } = await open({ policy: 'matrix' });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      statuses.push((await login('alice@example.com', `192.0.2.${attempt}`)).status);
    }
    expect([statuses[0], statuses[5]]).toEqual([400, 429]);
    const { json } = await under.ask('GET', '/v1/blocks');
    expect(JSON.stringify(json)).toContain('K4');
  });

  test('says at its start that a failing store would let everybody in', async () => {
    const { under } = await open({ onStoreFailure: 'open' });
    expect(under.lines.join('')).toContain('KRATOS_STORE_FAILURE_OPEN');
  });

  test('logs, counts and shows nothing of who signs in', async () => {
    const { under, login } = await open({ maxIdentifierAttempts: 1 });
    for (let attempt = 0; attempt < 3; attempt += 1) await login('whoamizzelsa@example.com', '198.51.100.47');
    const metrics = (await under.ask('GET', '/metrics')).text;
    expect(metrics).toMatch(/portcullis_kratos_total\{[^}]*blocked[^}]*\} 2/);
    expect(under.lines.join('') + metrics).not.toMatch(/zzelsa|198\.51\.100\.47/);
  });

  test('takes the configuration of the example', () => {
    const path = fileURLToPath(new URL('../../examples/kratos/portcullis.yaml', import.meta.url));
    const { kratos: settings, trustedProxies } = readServiceConfig({ path, env: {} });
    expect(settings).toEqual({
      ...checkDocument({ kratos: {} }, { folder: '.', env: {} }).config?.kratos,
      upstreamUrl: 'http://127.0.0.1:4433',
      webhooks: { tokenSha256: null, signatureSecret: null, cidrs: ['10.0.0.0/8'] },
    });
    expect(trustedProxies).toEqual(['127.0.0.1']);
  });

  test.runIf(isRedisInstalled())(
    'counts in Redis as an existing deployment does, two services together',
    async () => {
      const redis = await startRedis();
      const document = { store: redis.url, failure: { deadlineMs: 2_000 } };
      const one = await open({ keys: 'plain' }, document);
      const other = await open({ keys: 'plain' }, document);
      for (let attempt = 0; attempt < 5; attempt += 1) {
        await one.login('alice@example.com', '192.0.2.1');
        await other.login('alice@example.com', '192.0.2.2');
      }
      expect(await redis.cli('GET', 'login_backoff:id:alice@example.com')).toBe('10');
      expect((await other.login('alice@example.com', '192.0.2.3')).status).toBe(429);
      expect((await one.login('alice@example.com', '192.0.2.4', 'right')).status).toBe(429);
      await redis.cli('DEL', 'login_backoff:id:alice@example.com');
      expect((await one.login('alice@example.com', '192.0.2.5', 'right')).status).toBe(200);
      expect(await redis.cli('EXISTS', 'login_backoff:id:alice@example.com')).toBe('0');
      await redis.stop();
    },
  );

  test.runIf(isRedisInstalled())(
    'goes by what an operator has pinned for logins while the store is away, and shows that it is',
    async () => {
      const redis = await startRedis();
      const breaker = { tripWindowMs: 60_000 };
      const { under, login } = await open({}, { store: redis.url, failure: { deadlineMs: 2_000, breaker } });
      const pin = { mode: 'closed', forMs: 600_000, by: 'otto', why: 'an attack' };
      expect((await under.ask('PUT', '/v1/pins/failure/login', pin)).status).toBe(200);
      await redis.kill();
      const reasons: unknown[] = [];
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const answer = await login('alice@example.com', '192.0.2.1');
        reasons.push(((await answer.json()) as { error?: { reason: string } }).error?.reason);
      }
      expect(reasons).toEqual(['store', 'store', 'store', 'store']);
      const { modes } = (await under.ask('GET', '/v1/status')).json as { modes: { policy: string }[] };
      expect(modes.find(({ policy }) => policy === 'kratos')).toMatchObject({ mode: 'DEGRADED' });
      expect((await under.ask('GET', '/metrics')).text).toContain('portcullis_degraded{policy="kratos"} 1');
      await redis.stop();
    },
  );
});
