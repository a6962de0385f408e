import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import { nodeOf } from './nodes.ts';
import { npm } from './npm.ts';
import type { PackedPackage } from './packed-package.ts';
import { type Stranger, strangerOn } from './stranger.ts';
import { orSkip, ownLine } from './strangers.ts';
import { emptyFolder, removeFolder } from './workshop.ts';

const minutes = 60_000;

/** What all of them are asked: a call under a limit, right credentials, then wrong ones until it blocks. */
const asked = `
import { createGuard } from 'portcullis';
import { createLimiter } from 'portcullis/limits';
import { createMemoryStore } from 'portcullis/memory';
const secret = 'sixteen bytes or more';
const guard = createGuard({ secret });
const limiter = createLimiter({ secret, store: createMemoryStore(), ratePerSecond: 8 });
const verify = (body) => body?.password === 'right' && { name: 'Ada' };
async function ask(url) {
  const limited = await fetch(url + '/api');
  const statuses = [limited.status, limited.headers.get('ratelimit')?.split(';')[1]];
  for (const password of ['right', 'wrong', 'wrong', 'fault']) {
    const body = JSON.stringify({ account: password === 'fault' ? undefined : 'ada', password });
    const headers = { 'content-type': 'application/json' };
    statuses.push((await fetch(url + '/login', { method: 'POST', headers, body })).status);
  }
  console.log(statuses.join(' '));
  process.exit(0);
}`;

const protectedWhole = '200 r=5 200 401 429 400';

/** Of the line before the present one, as many still run them. */
const packages = ['express@4.17.3', 'express-rate-limit@7.5.1', 'fastify@4.29.1', 'koa@2.16.3'];

const programs: readonly (readonly [framework: string, answers: string, program: string])[] = [
  [
    'Express 4',
    protectedWhole,
    `import express from 'express';
    import { limit, protect } from 'portcullis/express';
    const app = express();
    app.get('/api', limit(limiter), (_, response) => response.end());
    const signIn = protect(guard, { account: ({ body }) => body.account, verify: ({ body }) => verify(body) });
    app.post('/login', express.json(), signIn, (_, response) => response.end());
    const server = app.listen(0, '127.0.0.1', () => ask('http://127.0.0.1:' + server.address().port));`,
  ],
  [
    'Fastify 4',
    protectedWhole,
    `import fastify from 'fastify';
    import { limit, protect } from 'portcullis/fastify';
    const app = fastify();
    app.get('/api', { onRequest: limit(limiter) }, async () => '');
    const signIn = protect(guard, { account: ({ body }) => body.account, verify: ({ body }) => verify(body) });
    app.post('/login', { preHandler: signIn }, async () => '');
    await ask(await app.listen({ host: '127.0.0.1', port: 0 }));`,
  ],
  [
    'Koa 2',
    protectedWhole,
    `import { json } from 'node:stream/consumers';
    import Koa from 'koa';
    import { limit, protect } from 'portcullis/koa';
    const app = new Koa();
    const limited = limit(limiter);
    const signIn = protect(guard, {
      account: ({ request }) => request.body.account,
      verify: ({ request }) => verify(request.body),
    });
    app.use(async (context) => {
      const succeed = async () => { context.status = 200; };
      if (context.path === '/api') return limited(context, succeed);
      context.request.body = await json(context.req);
      return signIn(context, succeed);
    });
    const server = app.listen(0, '127.0.0.1', () => ask('http://127.0.0.1:' + server.address().port));`,
  ],
  [
    'express-rate-limit 7',
    '200  200 429 429 429',
    `import express from 'express';
    import { rateLimit } from 'express-rate-limit';
    import { PortcullisStore } from 'portcullis/express-rate-limit';
    const app = express();
    const store = new PortcullisStore({ store: createMemoryStore(), secret });
    app.use(rateLimit({ windowMs: 60_000, limit: 2, store }), (_, response) => response.end());
    const server = app.listen(0, '127.0.0.1', () => ask('http://127.0.0.1:' + server.address().port));`,
  ],
];

/** A project has what it has: what works beside us must not be what npm refuses us for. */
export function testOlderNeighbours(packed: () => PackedPackage): void {
  describe('a project that has older packages', { timeout: 3 * minutes }, () => {
    let making: Promise<Stranger> | undefined;
    const project = (context: TestContext) => {
      making ??= strangerOn(ownLine, packed(), packages);
      return orSkip(context, making);
    };
    afterAll(async () => (await making?.catch(() => undefined))?.remove());

    it('is one that we can be installed in', async (context) => {
      const { installed } = await project(context);
      expect(installed.stderr).not.toContain('ERESOLVE');
      expect(installed.code).toBe(0);
    });

    it.for(programs)('is protected in %s', async ([_, answers, program], context) => {
      const { code, stdout, stderr } = await (await project(context)).runModule(`${asked}\n${program}`);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${answers}\n`, stderr: '' });
    });

    it('may have an OpenTelemetry that serve alone would refuse', async (context) => {
      const folder = emptyFolder('neighbours');
      const older = '@opentelemetry/sdk-node@0.57.2';
      const args = ['install', '--package-lock-only', packed().tarball, older];
      const installing = npm(await orSkip(context, nodeOf(ownLine)), args, folder);
      const { code, stderr } = await orSkip(context, installing).finally(() => removeFolder(folder));
      expect(stderr).not.toContain('ERESOLVE');
      expect(code).toBe(0);
    });

    it('hears from the store that redis 4 is too old, where npm was told to let it pass', async (context) => {
      const args = ['redis@4.7.1', '--legacy-peer-deps'];
      const stranger = await orSkip(context, strangerOn(ownLine, packed(), args));
      const { stdout } = await stranger
        .runModule(`
          import { createRedisStore } from 'portcullis/redis';
          const store = createRedisStore({ url: 'redis://127.0.0.1:1' });
          console.log(await store.ready().then(() => 'reached', ({ code, message }) => code + ': ' + message));
          await store.close();`)
        .finally(() => stranger.remove());
      expect(stdout).toBe(
        'CONFIG_INVALID: The Redis store needs the package redis in version 5 or later: npm install redis@latest\n',
      );
    });
  });
}
