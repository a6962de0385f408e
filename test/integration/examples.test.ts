import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Asked, ask } from '../conformance/adapter-under-test.ts';
import { type Installation, installPackage } from '../servers/installed-package.ts';

let installation: Installation;
const running: ChildProcess[] = [];

beforeAll(() => {
  installation = installPackage();
  installation.copy('examples');
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill();
});
afterAll(() => installation.remove());

/** Starts an example on a free port, as its README says; resolves once it listens. */
async function start(name: string): Promise<(path: string, asked?: Asked) => ReturnType<typeof ask>> {
  const program = join(installation.folder, 'examples', name, 'server.mjs');
  const child = spawn(process.execPath, [program], { env: { ...process.env, PORT: '0' } });
  running.push(child);
  const origin = await new Promise<string>((resolve, reject) => {
    let said = '';
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      const found = said.match(/listening on (http:\/\/127\.0\.0\.1:\d+)/)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new TypeError(`${name} ended with ${code}: ${said}`)));
  });
  return (path, asked) => ask('http1', `${origin}${path}`, asked);
}

const json = (body: unknown, cookie = ''): Asked => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...(cookie === '' ? {} : { cookie }) },
  body: JSON.stringify(body),
});

describe('the example express-login', () => {
  const password = 'correct horse battery';
  const email = 'ada@example.org';

  async function codeNow(): Promise<string> {
    const file = pathToFileURL(join(installation.folder, 'examples', 'express-login', 'totp.mjs')).href;
    const { totp } = (await import(file)) as {
      totp: (secret: Buffer, timeMs: number, digits?: number) => string;
    };
    // RFC 6238, appendix B.
    const secret = Buffer.from('12345678901234567890');
    expect([59, 1_111_111_109, 20_000_000_000].map((t) => totp(secret, t * 1_000, 8))).toEqual([
      '94287082',
      '07081804',
      '65353130',
    ]);
    return totp(secret, Date.now());
  }

  const cookieOf = ({ headers }: { headers: Record<string, string | readonly string[] | undefined> }) =>
    [headers['set-cookie']].flat()[0]?.split(';')[0] ?? '';

  it('signs in with a password and a code, which counts once', async () => {
    const call = await start('express-login');
    const first = await call('/login', json({ email: ' ADA@example.org', password }));
    expect([first.status, first.headers['set-cookie']]).toEqual([200, undefined]);
    const { token } = JSON.parse(first.body);
    const code = await codeNow();
    const second = await call('/otp', json({ token, code }));
    expect([second.status, JSON.parse(second.body)]).toEqual([200, { welcome: email }]);
    const cookie = cookieOf(second);
    const again = JSON.parse((await call('/login', json({ email, password }, cookie))).body);
    // The first wrong code brings a soft block of 15 s.
    const replayed = await call('/otp', json({ token: again.token, code }, cookie));
    expect([replayed.status, replayed.headers['retry-after']]).toEqual([429, '15']);
  });

  it('stops a guesser and not the owner, and tells neither what is left', async () => {
    const call = await start('express-login');
    const { token } = JSON.parse((await call('/login', json({ email, password }))).body);
    const cookie = cookieOf(await call('/otp', json({ token, code: await codeNow() })));
    const guesses = [];
    for (let i = 0; i < 3; i += 1)
      guesses.push(await call('/login', json({ email, password: `guess ${i}` })));
    expect(guesses.map(({ status }) => status)).toEqual([401, 429, 429]);
    expect(guesses.map(({ headers }) => headers['retry-after'] !== undefined)).toEqual([false, true, true]);
    expect(guesses.every(({ headers }) => headers.ratelimit === undefined)).toBe(true);
    expect((await call('/login', json({ email, password }))).status).toBe(429);
    expect((await call('/login', json({ email, password }, cookie))).status).toBe(200);
  });

  it('answers bad input as such', async () => {
    const call = await start('express-login');
    expect((await call('/login', json({}))).status).toBe(400);
    expect((await call('/login', { method: 'POST' })).status).toBe(400);
    expect((await call('/otp', json({ token: 'made up', code: '000000' }))).status).toBe(400);
  });
});

describe('the example fastify-api', () => {
  const withKey = { headers: { 'x-api-key': 'demo-key' } };

  it('charges routes what they cost and settles a search', async () => {
    const call = await start('fastify-api');
    const { status, headers, body } = await call('/items', withKey);
    expect([status, JSON.parse(body)]).toEqual([200, expect.arrayContaining([{ id: 0, name: 'item 0' }])]);
    expect(headers['ratelimit-policy']).toBe('"default";q=40;w=2');
    expect(headers['x-ratelimit-limit']).toBe('40');
    const put = { method: 'PUT', body: '{"name":"x"}' };
    const written = await call('/items/1', {
      ...put,
      headers: { ...withKey.headers, 'content-type': 'application/json' },
    });
    expect(written.status).toBe(204);
    const anonymous = await call('/search?q=item%204');
    expect([anonymous.status, JSON.parse(anonymous.body)]).toEqual([200, expect.any(Array)]);
    expect(anonymous.headers.ratelimit).toBe('"default";r=0;t=1');
  });

  it('refuses who asks for too much', async () => {
    const call = await start('fastify-api');
    const answers = await Promise.all(Array.from({ length: 30 }, () => call('/items')));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(10);
  });
});

describe('the example hono-node', () => {
  it('tells what is left and never limits its health', async () => {
    const call = await start('hono-node');
    expect(JSON.parse((await call('/quota')).body)).toEqual({ units: 10, remaining: 9 });
    const answers = await Promise.all(Array.from({ length: 30 }, () => call('/quota')));
    expect(answers.some(({ status }) => status === 429)).toBe(true);
    expect((await call('/healthz')).status).toBe(200);
  });
});
