import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createGuard } from '../../src/index.ts';
import { MatrixBackoff } from '../../src/kratos/matrix-backoff.ts';
import { startKratosUpstream } from '../servers/kratos-upstream.ts';
import { startOddUpstream } from '../servers/kratos-upstream-odd.ts';
import {
  type KratosScene,
  memoryBackoff,
  type SceneOptions,
  secret,
  startScene,
  wrong,
} from './kratos-scene.ts';

const scenes: KratosScene[] = [];
async function open(options: SceneOptions = {}): Promise<KratosScene> {
  const scene = await startScene(options);
  scenes.push(scene);
  return scene;
}

afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.faults).toEqual([]);
    await scene.stop();
  }
});

const statuses = async (times: number, ask: (index: number) => Promise<Response>) => {
  const all: number[] = [];
  for (let index = 0; index < times; index += 1) all.push((await ask(index)).status);
  return all;
};

const tenThenBlocked = [...Array<number>(10).fill(400), 429, 429];

describe('a login through the proxy', () => {
  test('is let through ten times, then refused with how long it takes', async () => {
    const scene = await open();
    expect(await statuses(10, () => scene.login(wrong()))).toEqual(Array(10).fill(400));
    const answer = await scene.login(wrong());
    const seconds = Number(answer.headers.get('retry-after'));
    expect(answer.status).toBe(429);
    expect(seconds).toBeGreaterThan(60);
    expect(seconds).toBeLessThanOrEqual(120);
    expect(await answer.json()).toEqual({
      error: {
        code: 429,
        status: 'Too Many Requests',
        reason: 'identifier',
        message: 'Too many sign-in attempts. Please try again in 2 minutes.',
      },
    });
    expect(scene.kratos.submitted).toHaveLength(10);
  });

  test('is refused the same way for an account that does not exist', async () => {
    const scene = await open();
    const refusalOf = async (identifier: string) => {
      await statuses(10, () =>
        scene.login(wrong(identifier), { 'x-real-ip': `192.0.2.${identifier.length}` }),
      );
      const answer = await scene.login(wrong(identifier), { 'x-real-ip': `192.0.2.${identifier.length}` });
      return [answer.status, [...answer.headers.keys()], await answer.text()];
    };
    expect(await refusalOf('nobody@example.com')).toEqual(await refusalOf('alice@example.com'));
  });

  test('leads a browser to the page that tells it', async () => {
    const scene = await open({ proxy: { lockoutPath: '/signin?theme=dark' } });
    await statuses(10, () => scene.login(wrong()));
    const answer = await fetch(`${scene.url}/self-service/login?flow=x`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        accept: 'text/html,application/xhtml+xml',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'method=password&identifier=alice%40example.com&password=x',
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toMatch(/^\/signin\?theme=dark&lockout=true&retry_after=1\d\d$/);
  });

  test('counts by account whatever way its name is written and sent', async () => {
    const scene = await open();
    const post = (path: string, type: string, body: string | Buffer, encoding?: string) =>
      fetch(`${scene.url}${path}`, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': type,
          ...(encoding ? { 'content-encoding': encoding } : {}),
        },
        body,
      });
    const { id } = await scene.flow();
    const login = `/self-service/login?flow=${id}`;
    const json = JSON.stringify(wrong('ALICE@example.com'));
    const ways = [
      () => post(login, 'application/json', json),
      () => post(`/self-service/login/?flow=${id}`, 'application/json; charset=utf-8', json),
      () =>
        post(
          login,
          'application/x-www-form-urlencoded',
          'method=password&identifier=+alice%40example.com+&password=x',
        ),
      () =>
        post(
          login,
          'application/json',
          JSON.stringify({ method: 'password', password_identifier: 'alice@example.com', password: 'x' }),
        ),
      () =>
        post(
          login,
          'application/json',
          JSON.stringify({ method: 'code', address: 'al\u200bice@example.com', code: '1' }),
        ),
      () =>
        post(
          login,
          'application/json',
          '{"identifier":"x","identifier":"alice@example.com","method":"password","password":"y"}',
        ),
      () => post(`//self-service/./%6cogin?flow=${id}`, 'application/json', json),
      () => post(login, 'application/json', gzipSync(json), 'gzip'),
      () => post(login, 'application/json', brotliCompressSync(json), 'br'),
      () => post(login, 'application/json', deflateSync(gzipSync(json)), 'gzip, deflate'),
    ];
    for (const way of ways) expect((await way()).status).not.toBe(429);
    for (const way of ways) expect((await way()).status).toBe(429);
    expect((await post(login, 'application/json', deflateRawSync(json), 'deflate')).status).toBe(429);
  });

  test('is counted on its account, also where it only says that it is packed', async () => {
    const scene = await open();
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const post = (index: number) =>
      fetch(`${scene.url}/self-service/login`, {
        method: 'POST',
        headers: { ...headers, 'true-client-ip': `192.0.2.${index}` },
        body: JSON.stringify(wrong()),
      });
    expect((await statuses(12, post)).slice(10)).toEqual([429, 429]);
  });

  test('is a login however long its path is written', async () => {
    const scene = await open();
    const json = JSON.stringify(wrong());
    const post = async (path: string) => {
      const answer = await fetch(`${scene.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: json,
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const paths = [
      `/${'/'.repeat(5_000)}self-service/login`,
      `/${'x/%2e%2e/'.repeat(1_000)}self-service/login`,
    ];
    for (let attempts = 0; attempts < 10; attempts += 1) await post(paths[attempts % 2] ?? '');
    for (const path of paths) expect(await post(path)).toBe(429);
    expect((await scene.login(wrong())).status).toBe(429);
  });

  test('that names several accounts is one at each, and one that names many is refused', async () => {
    const scene = await open();
    const both = {
      method: 'password',
      identifier: 'decoy@example.com',
      password_identifier: 'alice@example.com',
      password: 'x',
    };
    expect(await statuses(12, () => scene.login(both))).toEqual(tenThenBlocked);
    expect((await scene.login(wrong())).status).toBe(429);
    const { id } = await scene.flow();
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => `identifier=${name}`).join('&');
    const answer = await fetch(`${scene.url}/self-service/login?flow=${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: many,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'IDENTIFIERS_AMBIGUOUS' });
  });

  test('without an account, or that cannot be read, counts by address and passes', async () => {
    const scene = await open();
    const { id } = await scene.flow();
    const post = (body: string) =>
      fetch(`${scene.url}/self-service/login?flow=${id}`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body,
      });
    const bodies = ['{"method":"oidc","provider":"x"}', 'not json', '{"method":"passkey"}', '[]'];
    const all = await statuses(24, (index) => post(bodies[index % 4] ?? ''));
    expect(all.slice(0, 20)).not.toContain(429);
    expect(all.slice(20)).toEqual([429, 429, 429, 429]);
  });

  test('is read up to one mebibyte, and not beyond', async () => {
    const scene = await open();
    const { id } = await scene.flow();
    const bare = JSON.stringify({ ...wrong(), pad: '' });
    const exact = bare.replace('"pad":"', `"pad":"${'x'.repeat(1024 * 1024 - bare.length)}`);
    const post = (body: string, isChunked: boolean, expects = false) =>
      new Promise<{ status: number; continued: boolean }>((resolve, reject) => {
        let continued = false;
        const outgoing = send(`${scene.url}/self-service/login?flow=${id}`, {
          method: 'POST',
          headers: {
            accept: 'application/json',
            'content-type': 'application/json',
            ...(isChunked ? {} : { 'content-length': body.length }),
            ...(expects ? { expect: '100-continue' } : {}),
          },
        });
        outgoing.on('continue', () => {
          continued = true;
          outgoing.end(body);
        });
        outgoing.on('response', (answer) => {
          answer.resume();
          resolve({ status: answer.statusCode ?? 0, continued });
          if (expects) outgoing.destroy();
        });
        outgoing.on('error', reject);
        if (!expects) outgoing.end(body);
        else outgoing.flushHeaders();
      });
    expect(exact).toHaveLength(1024 * 1024);
    expect(await post(exact, false)).toMatchObject({ status: 400 });
    expect(await post(exact, true)).toMatchObject({ status: 400 });
    expect(await post(`${exact} `, false)).toMatchObject({ status: 413 });
    expect(await post(`${exact} `, true)).toMatchObject({ status: 413 });
    expect(await post(exact, false, true)).toEqual({ status: 400, continued: true });
    expect(await post(`${exact} `, false, true)).toEqual({ status: 413, continued: false });
    expect(scene.kratos.submitted).toHaveLength(3);
  });

  test('is refused in an encoding that cannot be undone, and where it would grow too large', async () => {
    const scene = await open();
    const post = (encoding: string, body: Buffer) =>
      fetch(`${scene.url}/self-service/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        body,
      });
    expect((await post('zstd', Buffer.from('x'))).status).toBe(415);
    expect((await post('gzip, gzip, gzip', Buffer.from('x'))).status).toBe(415);
    expect((await post('gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024)))).status).toBe(413);
    expect((await post('gzip', Buffer.from('not gzip'))).status).not.toBe(413);
  });
});

describe('the address of a login', () => {
  test('is what a trusted proxy says, and goes on to Kratos', async () => {
    const scene = await open();
    const cases: [Record<string, string>, string][] = [
      [{ 'true-client-ip': '203.0.113.1', 'x-forwarded-for': '203.0.113.2' }, '203.0.113.1'],
      [{ 'x-forwarded-for': 'unknown, 203.0.113.3:80, 10.0.0.1', 'x-real-ip': '203.0.113.9' }, '203.0.113.3'],
      [{ 'x-forwarded-for': '"', 'x-real-ip': '2001:DB8::1' }, '2001:db8::1'],
      [{ 'true-client-ip': '1.2.3', 'x-forwarded-for': '[2001:db8::2]:443' }, '2001:db8::2'],
      [{}, '127.0.0.1'],
    ];
    for (const [headers, expected] of cases) {
      await scene.login(wrong(), headers);
      expect(scene.kratos.submitted.at(-1)?.clientIp).toBe(expected);
    }
  });

  test('is what a trusted proxy says behind however many headers of the client', async () => {
    const scene = await open({ counters: { maxIpAttempts: 1 } });
    const ofClient = Array.from({ length: 3_000 }, (_, at) => [`x-${at}`, '1']).flat();
    const ask = async (name: string, ip: string) => {
      const body = JSON.stringify(wrong(name));
      const own = ['Host', 'x', 'Content-Type', 'application/json', 'Content-Length', String(body.length)];
      const asked = send(`${scene.url}/self-service/login`, {
        method: 'POST',
        headers: [...own, ...ofClient, 'X-Forwarded-For', ip],
      });
      asked.end(body);
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode === 429;
    };
    expect(await ask('a@example.com', '203.0.113.4')).toBe(false);
    expect(await ask('b@example.com', '203.0.113.5')).toBe(false);
    expect(await ask('c@example.com', '203.0.113.4')).toBe(true);
  });

  test('is that of the peer where the peer is not trusted, and somebody is told once', async () => {
    const scene = await open({ proxy: { trustedProxies: { hasPeer: () => false } } });
    const spoofed = await statuses(22, (index) =>
      scene.login(wrong(`user${index}@example.com`), { 'true-client-ip': `203.0.113.${index}` }),
    );
    expect(spoofed.slice(20)).toEqual([429, 429]);
    expect(new Set(scene.kratos.submitted.map(({ clientIp }) => clientIp))).toEqual(new Set(['127.0.0.1']));
    expect(scene.told.filter((line) => line.includes('KRATOS_PROXY_UNTRUSTED'))).toHaveLength(1);
  });

  test('can be the nearest that is no proxy of ours', async () => {
    const trustedProxies = { hasPeer: (peer: string) => peer === '127.0.0.1' || peer.startsWith('10.') };
    const scene = await open({ proxy: { forwardedFor: 'nearest', trustedProxies } });
    await scene.login(wrong(), { 'x-forwarded-for': '203.0.113.66, 203.0.113.5, 10.0.0.1' });
    expect(scene.kratos.submitted.at(-1)?.clientIp).toBe('203.0.113.5');
  });

  test('counts by the network that one subscriber has', async () => {
    const scene = await open();
    const all = await statuses(22, (index) =>
      scene.login(wrong(`user${index}@example.com`), { 'true-client-ip': `2001:db8:1:2::${index + 1}` }),
    );
    expect(all.slice(19)).toEqual([400, 429, 429]);
  });
});

describe('a login that succeeds', () => {
  const right = { method: 'password', identifier: 'alice@example.com', password: 'right' };

  test('by API ends the count of its account, and its own part of the address', async () => {
    const scene = await open();
    await statuses(9, () => scene.login(wrong()));
    await statuses(9, (index) => scene.login(wrong(`other${index}@example.com`)));
    const answer = await scene.login(right);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toHaveProperty('session_token');
    expect(await statuses(12, () => scene.login(wrong()))).toEqual(tenThenBlocked);
  });

  test('in a browser too, by its session cookie', async () => {
    const scene = await open();
    await statuses(9, () => scene.login(wrong()));
    const { id, csrf } = await scene.flow('browser');
    const answer = await fetch(`${scene.url}/self-service/login?flow=${id}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...right, csrf_token: csrf }).toString(),
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toContain(
      'ory_kratos_session',
    );
    expect(await statuses(11, () => scene.login(wrong()))).toEqual([...Array(10).fill(400), 429]);
  });

  test('without a session is taken for none', async () => {
    const odd = await startOddUpstream();
    const scene = await open({ proxy: { upstream: { url: odd.url } } });
    const answers = await statuses(12, () =>
      fetch(`${scene.url}/self-service/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-answer': '{"pieces":[2]}' },
        body: JSON.stringify(right),
      }),
    );
    expect(answers).toEqual([...Array(10).fill(200), 429, 429]);
    await odd.stop();
  });

  test('with headers as long as those of a request goes through', async () => {
    const odd = await startOddUpstream();
    const scene = await open({ proxy: { upstream: { url: odd.url } } });
    const long = 'x'.repeat(20_000);
    const headers = {
      'content-type': 'application/json',
      'x-answer': JSON.stringify({ headers: ['x-long', long], pieces: [2] }),
    };
    const asked = send(`${scene.url}/self-service/login`, { method: 'POST', headers, maxHeaderSize: 65_536 });
    asked.end(JSON.stringify(right));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    expect([answer.statusCode, answer.headers['x-long']]).toEqual([200, long]);
    await odd.stop();
  });

  test('does nothing for another account that it names', async () => {
    const scene = await open();
    const mine = { ...right, password_identifier: 'victim@example.com' };
    for (let round = 0; round < 10; round += 1) {
      expect(
        (await scene.login(wrong('victim@example.com'), { 'true-client-ip': `192.0.2.${round}` })).status,
      ).toBe(round < 5 ? 400 : 429);
      await scene.login(mine, { 'true-client-ip': `198.51.100.${round}` });
    }
  });

  test('does nothing for an account that only some versions of Kratos take for the same', async () => {
    const scene = await open();
    await statuses(9, () => scene.login(wrong()));
    const alike = { ...right, identifier: 'ａlice@example.com' };
    expect((await scene.login(alike)).status).toBe(200);
    expect((await scene.login(wrong())).status).toBe(429);
  });

  test('resets nothing where that is left to the webhook', async () => {
    const scene = await open({ counters: { resetOnSuccess: false } });
    expect(await statuses(12, () => scene.login(right))).toEqual([...Array(10).fill(200), 429, 429]);
  });
});

describe('with Kratos away', () => {
  test('a login gets 502 and nothing is counted', async () => {
    const scene = await open();
    await scene.login(wrong());
    const { id } = await scene.flow();
    const { port } = scene.kratos;
    await scene.kratos.stop();
    const post = () =>
      fetch(`${scene.url}/self-service/login?flow=${id}`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify(wrong()),
      });
    const lost = await post();
    expect([lost.status, lost.headers.get('content-type')]).toEqual([502, 'application/problem+json']);
    expect(await lost.json()).toMatchObject({
      status: 502,
      title: 'Bad Gateway',
      code: 'UPSTREAM_UNREACHABLE',
    });
    expect(await statuses(30, post)).toEqual(Array(30).fill(502));
    const again = await startKratosUpstream([], port);
    expect(await statuses(11, post)).toEqual([...Array(9).fill(404), 429, 429]);
    await again.stop();
  });

  test('health says so', async () => {
    const scene = await open();
    const health = async (path: string) => {
      const answer = await fetch(`${scene.url}/health/${path}`);
      return [answer.status, ((await answer.json()) as { status: string }).status];
    };
    expect(await health('live')).toEqual([200, 'ok']);
    expect(await health('ready')).toEqual([200, 'ok']);
    await scene.kratos.stop();
    await expect.poll(() => health('ready'), { timeout: 10_000 }).toEqual([503, 'unavailable']);
    expect(await health('live')).toEqual([200, 'ok']);
  });
});

describe('many logins at once', () => {
  test('get no further than the maximum', async () => {
    const scene = await open({ counters: { maxIpAttempts: 1_000 } });
    const answers = await Promise.all(Array.from({ length: 150 }, () => scene.login(wrong())));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(140);
    expect(scene.kratos.submitted).toHaveLength(10);
  });
});

describe('the engine in front of Kratos', () => {
  const openMatrix = async () => {
    const guard = createGuard({ secret });
    const scene = await open({ backoff: new MatrixBackoff({ guard }) });
    return { guard, scene };
  };

  test('learns of failures from what Kratos answers, and blocks', async () => {
    const { scene } = await openMatrix();
    const all = await statuses(6, (index) => scene.login(wrong(), { 'true-client-ip': `192.0.2.${index}` }));
    expect(all[0]).toBe(400);
    expect(all.at(-1)).toBe(429);
    expect(scene.kratos.submitted.length).toBeLessThan(6);
    expect(scene.told.filter((line) => line.includes('"failure"'))).toHaveLength(
      scene.kratos.submitted.length,
    );
  });

  test('takes neither a success nor a request for a code for a failure', async () => {
    const { scene } = await openMatrix();
    const right = { method: 'password', identifier: 'alice@example.com', password: 'right' };
    expect(await statuses(8, () => scene.login(right))).toEqual(Array(8).fill(200));
    const code = { method: 'code', identifier: 'bob@example.com' };
    expect(await statuses(8, () => scene.login(code))).toEqual(Array(8).fill(400));
  });

  test('counts a login that names nobody on its address', async () => {
    const { scene } = await openMatrix();
    const all = await statuses(8, () => scene.login({ method: 'totp', totp_code: '000000' }));
    expect(all.at(-1)).toBe(429);
  });

  test('lets nobody speak for an address by naming it like an account', async () => {
    const { scene } = await openMatrix();
    const guess = { method: 'code', identifier: 'address 198.51.100.7', code: '000000' };
    await statuses(8, (index) => scene.login(guess, { 'true-client-ip': `192.0.2.${index}` }));
    const owner = { 'true-client-ip': '198.51.100.7' };
    expect((await scene.login({ method: 'totp', totp_code: '000000' }, owner)).status).toBe(400);
  });

  test('counts a login that names nobody on the whole network of a subscriber', async () => {
    const { scene } = await openMatrix();
    const from = (index: number) => ({
      'true-client-ip': `2001:db8:1:2::${index}`,
      'user-agent': `Mozilla/5.0 Chrome/${100 + index}.0`,
    });
    const all = await statuses(8, (index) =>
      scene.login({ method: 'totp', totp_code: '000000' }, from(index)),
    );
    expect(all).toEqual([400, 400, ...Array<number>(6).fill(429)]);
  });

  test('refuses a success that a block has overtaken, and keeps the session from the client', async () => {
    const guard = createGuard({ secret });
    const backoff = new MatrixBackoff({ guard });
    const odd = await startOddUpstream();
    const scene = await open({ backoff, proxy: { upstream: { url: odd.url } } });
    const wasJudged = new Promise<void>((resolve) => {
      backoff.events.on('attempt', () => resolve());
    });
    const headers = ['Set-Cookie', 'ory_kratos_session=abc; Path=/'];
    const success = fetch(`${scene.url}/self-service/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-answer': JSON.stringify({ headers, pieces: [5], headAfterMs: 500 }),
      },
      body: JSON.stringify({ method: 'password', identifier: 'alice@example.com', password: 'x' }),
    });
    await wasJudged;
    // Guesses that were under way at the same time have failed meanwhile.
    const guess = { action: 'auth.login', account: 'alice@example.com', ip: '127.0.0.1', ua: 'node' };
    for (let guesses = 0; guesses < 3; guesses += 1) await guard.fail(guess);
    expect((await guard.check(guess)).outcome).toBe('HARD_BLOCK');
    const answer = await success;
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([429, []]);
    await odd.stop();
  });
});

describe('the end', () => {
  test('makes every answer under way the last of its connection', async () => {
    const upstream = createServer().listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    const scene = await startScene({ proxy: { upstream: { url: `http://127.0.0.1:${port}` } } });
    const came = once(upstream, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const asked = fetch(`${scene.url}/sessions/whoami`);
    const [, response] = await came;
    const stopped = scene.proxy.close();
    response.end('late');
    const answer = await asked;
    expect([answer.headers.get('connection'), await answer.text()]).toEqual(['close', 'late']);
    await stopped;
    upstream.close();
    await scene.kratos.stop();
  });
});

describe('what is told', () => {
  test('holds nothing of who signs in', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(String(warning.stack));
    process.on('warning', listen);
    const scene = await open({ counters: { maxIdentifierAttempts: 2 } });
    const agent = { 'true-client-ip': '203.0.113.77', 'user-agent': 'Elsas/1', cookie: 'c=cookiezzelsa' };
    for (let index = 0; index < 4; index += 1) await scene.login(wrong('whoamizzelsa@example.com'), agent);
    await fetch(`${scene.url}/self-service/login`, { method: 'POST', body: 'whoamizzelsa', headers: agent });
    await scene.kratos.stop();
    await fetch(`${scene.url}/self-service/login`, {
      method: 'POST',
      body: 'identifier=whoamizzelsa',
      headers: agent,
    });
    process.off('warning', listen);
    expect(scene.told.length).toBeGreaterThan(10);
    expect([...scene.told, ...warnings].join('\n')).not.toMatch(/zzelsa|203\.0\.113\.77|Elsas|127\.0\.0\.1/);
  });

  test('says at the start that a failing store lets everybody in', () => {
    const backoff = memoryBackoff({ onStoreFailure: 'open' });
    const told: string[] = [];
    backoff.events.on('warning', ({ code }) => told.push(code));
    backoff.announce();
    expect(told).toEqual(['KRATOS_STORE_FAILURE_OPEN']);
  });
});
