import { connect } from 'node:net';
import fc from 'fast-check';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWebhooks } from '../../src/kratos/webhooks.ts';
import { type KratosScene, memoryBackoff, startScene } from './kratos-scene.ts';

const atOnce = 16;
const seedOf = (): number => Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

/** Values of an arbitrary, the same for the same seed. */
function* sampled<T>(arbitrary: fc.Arbitrary<T>, count: number, seed: number): Generator<T> {
  yield* fc.sample(arbitrary, { numRuns: count, seed });
}

async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

describe('under fire', () => {
  let scene: KratosScene;
  let pool: Pool;
  beforeAll(async () => {
    scene = await startScene();
    pool = new Pool(scene.url, { connections: atOnce });
  });
  afterAll(async () => {
    await pool.destroy();
    await scene.stop();
  });

  /** A name as people and programs write it; Kratos finds the same account by all of them. */
  const spelled = (name: string): fc.Arbitrary<string> =>
    fc
      .array(fc.constantFrom('', '', '', '\u200b', '\u00ad', '\ufeff', '\u2060'), {
        minLength: name.length,
        maxLength: name.length,
      })
      .chain((marks) =>
        fc.tuple(
          fc.constant(marks),
          fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }),
          fc.constantFrom('', ' ', '\t', '\u00a0', '\n'),
        ),
      )
      .map(([marks, upper, pad]) => {
        const letters = [...name].map(
          (letter, at) => (upper[at] ? letter.toUpperCase() : letter) + marks[at],
        );
        return pad + letters.join('') + pad;
      });

  const names = fc.constantFrom('identifier', 'password_identifier', 'address');
  const decoyOf = (account: string) =>
    fc.constantFrom(`x.${account}`, '', `decoy ${account}`, `y.${account}`);

  /** A submitted login for an account, in every way a body can be written. */
  const loginFor = (account: string): fc.Arbitrary<{ type: string; body: string; path: string }> =>
    fc
      .record({
        field: names,
        value: spelled(account),
        decoys: fc.array(fc.tuple(names, decoyOf(account)), { maxLength: 2 }),
        isLast: fc.boolean(),
        kind: fc.constantFrom('json', 'form', 'multipart'),
        tail: fc.constantFrom('', ' ', '{"identifier":"z"}', '&identifier=z', ' garbage', '\n}'),
        type: fc.constantFrom('', '; charset=utf-8', '; charset=utf-16', ' ,text/plain'),
        path: fc.constantFrom(
          '/self-service/login',
          '/self-service/login/',
          '//self-service/login',
          '/self-service/%6Cogin',
        ),
      })
      .map(({ field, value, decoys, isLast, kind, tail, type, path }) => {
        const own: [string, string] = [field, value];
        const fields: [string, string][] = isLast ? [...decoys, own] : [own, ...decoys];
        return { path, ...written(kind, [['method', 'password'], ['password', 'x'], ...fields], type, tail) };
      });

  test('Kratos never judges more than ten attempts at an account, however they are written', async () => {
    const { id } = await scene.flow();
    const seed = seedOf();
    for (let victim = 0; victim < 20; victim += 1) {
      const account = `victim${victim}@example.com`;
      let sent = 0;
      await inParallel(sampled(loginFor(account), 250, seed + victim), async ({ type, body, path }) => {
        sent += 1;
        const address = `10.${victim}.${Math.floor(sent / 250)}.${sent % 250}`;
        const answer = await pool.request({
          method: 'POST',
          path: `${path}?flow=${id}`,
          headers: { accept: 'application/json', 'content-type': type, 'true-client-ip': address },
          body,
        });
        await answer.body.dump();
        expect([200, 400, 404, 429], `seed ${seed}`).toContain(answer.statusCode);
      });
      const judged = scene.kratos.submitted.filter(({ identifier }) => identifier === account);
      expect(judged.length, `seed ${seed}`).toBeLessThanOrEqual(10);
    }
    expect(scene.kratos.submitted.length).toBeGreaterThan(20);
    expect(scene.faults).toEqual([]);
  });

  test('any body and any headers get an answer, and no fault of ours', async () => {
    const seed = seedOf();
    const asked = fc.record({
      method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'),
      path: fc.oneof(
        fc.constantFrom(
          '/self-service/login',
          '/self-service/login/?flow=1',
          '/self-service//login?identifier=a&identifier=b',
        ),
        fc.stringMatching(/^\/[\x21-\x7e]{0,60}$/),
      ),
      body: fc.oneof(
        fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
        fc.string({ unit: 'binary', maxLength: 300 }).map((text) => Buffer.from(text)),
        fc.json().map((text) => Buffer.from(text)),
        fc
          .record({ identifier: fc.anything(), password: fc.anything() })
          .map((value) => Buffer.from(fc.stringify(value))),
      ),
      type: fc.constantFrom(
        'application/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'x',
        'application/json,',
      ),
      encoding: fc.constantFrom('', '', '', 'gzip', 'br', 'deflate', 'identity', 'x'),
      address: fc.oneof(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[\x21-\x7e]{0,30}$/)),
      accept: fc.constantFrom('*/*', 'text/html', 'application/json'),
    });
    const seen = new Set<number>();
    await inParallel(
      sampled(asked, 3_000, seed),
      async ({ method, path, body, type, encoding, address, accept }) => {
        const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
        const answer = await pool.request({
          method,
          path,
          headers: {
            accept,
            'content-type': type,
            'true-client-ip': address,
            'x-forwarded-for': `${address}, 10.0.0.1`,
            ...(encoding === '' ? {} : { 'content-encoding': encoding }),
          },
          body: hasBody ? body : null,
        });
        await answer.body.dump();
        seen.add(answer.statusCode);
      },
    );
    expect(
      [...seen].filter((status) => status >= 500),
      `seed ${seed}`,
    ).toEqual([]);
    expect([...seen], `seed ${seed}`).toEqual(expect.arrayContaining([404, 415]));
    expect(scene.faults).toEqual([]);
  });

  test('broken HTTP gets an answer or an end, and the next client is served', async () => {
    const seed = seedOf();
    const line = fc.oneof(
      fc.constantFrom(
        'POST /self-service/login HTTP/1.1',
        'POST /self-service/login?flow=1 HTTP/1.0',
        'GET / HTTP/9.9',
        'PRI * HTTP/2.0',
        'CONNECT a:1 HTTP/1.1',
        'OPTIONS * HTTP/1.1',
        'POST self-service/login HTTP/1.1',
        'Host: a',
        'Content-Length: 4',
        'Content-Length: -1',
        'Transfer-Encoding: chunked',
        'Transfer-Encoding: xchunked',
        'Connection: upgrade',
        'Upgrade: websocket',
        'Expect: 100-continue',
        '',
        'ffffffffffffffff',
        '5;ext=1',
        '{"identifier":"a"}',
        '0',
      ),
      fc.string({ unit: 'binary-ascii', maxLength: 40 }),
    );
    const requests = fc
      .array(line, { minLength: 1, maxLength: 12 })
      .map((lines) => `${lines.join('\r\n')}\r\n\r\n`);
    await inParallel(sampled(requests, 1_000, seed), async (text) => {
      const socket = connect(scene.proxy.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await new Promise<void>((resolve) => {
        socket.on('close', () => resolve()).on('data', () => undefined);
        socket.end(text, 'latin1');
        setTimeout(() => socket.destroy(), 200);
      });
    });
    expect((await fetch(`${scene.url}/health/live`)).status).toBe(200);
    expect(scene.faults).toEqual([]);
  });
});

describe('webhooks', () => {
  test('answer whatever they are sent', async () => {
    const backoff = memoryBackoff({ maxIdentifierAttempts: 3 });
    const { beforeLogin, afterLogin } = createWebhooks(backoff);
    const anything = fc.anything({ maxDepth: 1 });
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({ identifier: anything, client_ip: anything, email: anything })
        .map((value) => Buffer.from(fc.stringify(value))),
      fc
        .record(
          {
            identifier: fc.emailAddress(),
            email: fc.emailAddress(),
            client_ip: fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()),
          },
          { requiredKeys: [] },
        )
        .map((value) => Buffer.from(JSON.stringify(value))),
    );
    for (const bytes of sampled(body, 3_000, seedOf())) {
      const before = await beforeLogin(bytes);
      expect(before.status === 200 ? before.body.allowed : !before.body.allowed).toBe(true);
      expect(await afterLogin(bytes)).toEqual({
        status: 200,
        body: { status: 'success', message: 'counters reset' },
      });
    }
    backoff.close();
  });
});

function written(kind: string, fields: readonly [string, string][], type: string, tail: string) {
  if (kind === 'json') {
    const members = fields.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
    return { type: `application/json${type}`, body: `{${members.join(', ')}}${tail}` };
  }
  if (kind === 'form') {
    const pairs = fields.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    return { type: `application/x-www-form-urlencoded${type}`, body: pairs.join('&') };
  }
  const parts = fields.map(
    ([name, value]) => `--bound\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return { type: 'multipart/form-data; boundary=bound', body: `${parts.join('')}--bound--\r\n` };
}
