import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import { createLoginBackoff } from './counter-backoff.ts';
import { createWebhookAccess, signatureHeader } from './webhook-access.ts';
import { createWebhooks } from './webhooks.ts';

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

function open() {
  const backoff = createLoginBackoff({ store: createMemoryStore(), secret: 'a secret that is long enough' });
  const warnings: string[] = [];
  backoff.events.on('warning', ({ code }) => warnings.push(code));
  return { ...createWebhooks(backoff), warnings };
}

describe('before a login', () => {
  test('attempts are counted until there are too many', async () => {
    const { beforeLogin } = open();
    const call = bytes({ flow_id: 'f', identifier: ' Alice@Example.com', client_ip: '203.0.113.7' });
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      expect(await beforeLogin(call)).toEqual({
        status: 200,
        body: { allowed: true, identifier_attempts: attempt, ip_attempts: attempt },
      });
    }
    const { status, body } = await beforeLogin(call);
    expect(status).toBe(403);
    expect(body).toMatchObject({ allowed: false, reason: 'identifier', retry_after_seconds: 120 });
    expect(body.message).toBe('Too many sign-in attempts. Please try again in 2 minutes.');
  });

  test('only what is given is counted', async () => {
    const { beforeLogin } = open();
    expect((await beforeLogin(bytes({ identifier: 'a' }))).body).toMatchObject({
      identifier_attempts: 1,
      ip_attempts: 0,
    });
    expect((await beforeLogin(bytes({ client_ip: '192.0.2.1' }))).body).toMatchObject({
      identifier_attempts: 0,
      ip_attempts: 1,
    });
  });

  test.each([
    ['names nobody', {}, 'KRATOS_WEBHOOK_EMPTY'],
    ['names nobody in earnest', { identifier: ' ', client_ip: 'somewhere' }, 'KRATOS_WEBHOOK_EMPTY'],
    ['has fields of other types', { identifier: 7, client_ip: [] }, 'KRATOS_WEBHOOK_EMPTY'],
    ['is no JSON', 'identifier=a', 'KRATOS_WEBHOOK_UNREADABLE'],
    ['is no object', '[1]', 'KRATOS_WEBHOOK_UNREADABLE'],
    ['is empty', '', 'KRATOS_WEBHOOK_UNREADABLE'],
  ])('a call that %s is allowed, with a warning', async (_, body, code) => {
    const { beforeLogin, warnings } = open();
    expect(await beforeLogin(bytes(body))).toEqual({
      status: 200,
      body: { allowed: true, identifier_attempts: 0, ip_attempts: 0 },
    });
    expect(warnings).toEqual([code]);
  });
});

describe('after a login', () => {
  test('its counters start anew', async () => {
    const { beforeLogin, afterLogin } = open();
    const call = bytes({ identifier: 'alice@example.com', client_ip: '203.0.113.7' });
    for (let attempt = 0; attempt < 3; attempt += 1) await beforeLogin(call);
    const done = await afterLogin(
      bytes({ identity_id: 'i', email: 'ALICE@example.com', client_ip: '203.0.113.7' }),
    );
    expect(done).toEqual({ status: 200, body: { status: 'success', message: 'counters reset' } });
    expect((await beforeLogin(call)).body).toMatchObject({ identifier_attempts: 1, ip_attempts: 1 });
  });

  test('those of an account that older versions of Kratos tell from it go on', async () => {
    const { beforeLogin, afterLogin } = open();
    const call = bytes({ identifier: 'alice@example.com', client_ip: '203.0.113.7' });
    await beforeLogin(call);
    for (const email of ['ａlice@example.com', 'al\u200bice@example.com'])
      expect((await afterLogin(bytes({ email, client_ip: '203.0.113.7' }))).status).toBe(200);
    expect((await beforeLogin(call)).body).toMatchObject({ identifier_attempts: 2, ip_attempts: 2 });
  });

  test.each(['', '{}', 'null'])('a call with %j is answered, with a warning', async (body) => {
    const { afterLogin, warnings } = open();
    expect((await afterLogin(bytes(body))).status).toBe(200);
    expect(warnings).toHaveLength(1);
  });
});

describe('who may call', () => {
  const body = bytes({ identifier: 'a' });
  const nobody = { has: () => false };
  const caller = (ip: string, headers = {}, httpVersion = '1.1') => ({
    ip,
    isTranslated: false,
    headers,
    httpVersion,
    body,
  });

  test('without token and secret: loopback and the given addresses', () => {
    const access = createWebhookAccess({
      tokenSha256: null,
      signatureSecret: null,
      addresses: { has: (address) => address === '10.1.2.3' },
    });
    for (const ip of ['127.0.0.1', '::1', '::ffff:127.0.0.5', '10.1.2.3'])
      expect(access(caller(ip))).toBeNull();
    for (const ip of ['127.0.0.1', '10.1.2.3'])
      expect(access({ ...caller(ip), isTranslated: true })).toMatchObject({ status: 403 });
    for (const ip of ['10.1.2.4', '203.0.113.1', 'nonsense', ''])
      expect(access(caller(ip))).toMatchObject({ status: 403 });
    const led = [
      { origin: 'http://localhost' },
      { 'sec-fetch-site': 'cross-site' },
      { forwarded: 'for=192.0.2.1' },
      { 'x-real-ip': '192.0.2.1' },
      { via: '1.1 varnish' },
    ];
    for (const headers of [...led, { 'x-forwarded-for': '192.0.2.1' }])
      expect(access(caller('127.0.0.1', headers))).toMatchObject({ status: 403 });
    // As nginx asks unless it is told otherwise.
    expect(access(caller('127.0.0.1', {}, '1.0'))).toMatchObject({ status: 403 });
    expect(access(caller('10.1.2.3', { 'x-forwarded-for': '10.1.2.3' }))).toBeNull();
  });

  test('with a token: whoever shows it, and nobody else, not even from here', () => {
    const tokenSha256 = createHash('sha256').update('a token for hooks').digest('hex');
    const access = createWebhookAccess({ tokenSha256, signatureSecret: null, addresses: nobody });
    expect(access(caller('203.0.113.1', { authorization: 'Bearer a' }))).toMatchObject({ status: 401 });
    expect(access(caller('127.0.0.1'))).toMatchObject({ status: 401 });
    const token = createHash('sha256').update('token').digest('hex');
    const plain = createWebhookAccess({ tokenSha256: token, signatureSecret: null, addresses: nobody });
    expect(plain(caller('203.0.113.1', { authorization: 'bearer token' }))).toBeNull();
  });

  test('with a secret: whoever has signed this body, lately', () => {
    const signed = (seconds: number, over: Buffer, secret = 'a secret for signing') => {
      const hmac = createHmac('sha256', secret).update(`${seconds}.`).update(over).digest('hex');
      return caller('203.0.113.1', { [signatureHeader]: `t=${seconds},v1=${hmac}` });
    };
    const access = createWebhookAccess({
      tokenSha256: null,
      signatureSecret: 'a secret for signing',
      addresses: nobody,
      nowSeconds: () => 1_000_000,
    });
    expect(access(signed(1_000_000, body))).toBeNull();
    expect(access(signed(999_700, body))).toBeNull();
    expect(access(signed(999_699, body))).toMatchObject({ status: 401 });
    expect(access(signed(1_000_301, body))).toMatchObject({ status: 401 });
    expect(access(signed(1_000_000, bytes('{}')))).toMatchObject({ status: 401 });
    expect(access(signed(1_000_000, body, 'another secret altogether'))).toMatchObject({ status: 401 });
    expect(access(caller('127.0.0.1', { [signatureHeader]: 't=1000000,v1=00' }))).toMatchObject({
      status: 401,
    });
  });
});
