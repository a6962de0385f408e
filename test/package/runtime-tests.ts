import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { PackedPackage } from './packed-package.ts';
import { npmProgram, type RegistryProgram } from './registry-programs.ts';
import type { Stranger } from './stranger.ts';
import { orSkip, ownLine, type Strangers } from './strangers.ts';
import { type Ended, run } from './workshop.ts';

const minutes = 60_000;

interface Runtime extends RegistryProgram {
  readonly args: readonly string[];
  /** Lines that serve the `app` of Hono, and leave its address in `url`. */
  readonly serve: string;
}

const { platform, arch } = process;

/** Runtimes besides Node whose users may have us. */
const runtimes: Readonly<Record<string, Runtime>> = {
  Bun: {
    name: `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`,
    version: '1.4.4',
    path: 'bin/bun',
    args: [],
    serve: `const { url } = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: app.fetch });`,
  },
  Deno: {
    name: `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`,
    version: '2.9.6',
    path: 'deno',
    args: ['run', '--allow-all', '--no-prompt', '--node-modules-dir=manual'],
    serve: `const { addr } = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen() {} }, app.fetch);
      const url = 'http://127.0.0.1:' + addr.port;`,
  },
};

/** Everything that a key, a window or a token could come out differently in; and what a store that hangs leads to. */
const decisions = `
import { createGuard } from 'portcullis';
import { createDevices, deviceScriptHash, passiveDevice } from 'portcullis/device';
import { limit } from 'portcullis/fetch';
import { createLimiter, requestIdOf } from 'portcullis/limits';
import { createMemoryStore } from 'portcullis/memory';
const secret = 'sixteen bytes or more';
let now = 1_700_000_000_000;
const told = [];
const guard = createGuard({ secret, store: createMemoryStore({ clock: () => now }) });
for (let turn = 0; turn < 30; turn += 1) {
  now += 1_700;
  const request = {
    action: 'auth.login',
    account: turn % 4 ? 'ada' : 'ü€😀'.repeat(turn),
    ip: turn % 3 ? '203.0.113.' + turn : '2001:db8:' + turn + '::7',
    ua: turn % 2 ? 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' : 'curl/8.1',
    device: turn % 5 ? { id: 'device-' + (turn % 3), confidence: 'HIGH' } : null,
  };
  const { allowed, decision } = await guard.attempt({ ...request, account: request.account || 'eve' }, async () => turn % 6 === 0);
  told.push([allowed, decision.outcome, decision.rule, decision.until]);
}
for await (const { id, until } of guard.blocks()) told.push([id, until]);
const limiter = createLimiter({
  secret, ratePerSecond: 2, store: createMemoryStore({ clock: () => now }), allow: { cidrs: ['10.0.0.0/8', '2001:db8:1::/48'] },
});
for (const ip of ['10.1.2.3', '11.0.0.1', '::ffff:10.0.0.1', '2002:0a00:0001::1', '2001:db8:1::7', '2001:db8:2::7']) {
  const [first, second] = [await limiter.take({ method: 'GET', path: '/a', ip }), await limiter.take({ method: 'GET', path: '/a', ip })];
  told.push([ip, first.allowed, first.skipped, second.allowed, second.retryAfterMs]);
}
const devices = createDevices({ secret, clock: () => now });
const { setCookie } = devices.issue(() => undefined, 'ada');
const shown = (name) => (name === 'cookie' ? setCookie.split(';')[0] : undefined);
told.push([devices.show(shown, 'ada').confidence, devices.show(shown, 'eve'), deviceScriptHash]);
told.push(passiveDevice((name) => ({ 'user-agent': 'Mozilla/5.0 Firefox/140.0', 'accept-language': 'de' })[name]));
const peer = () => '127.0.0.1';
const handler = limit(limiter, { peer, trustedProxies: ['127.0.0.0/8'] })(() => new Response(null, { status: 204 }));
for (let turn = 0; turn < 2; turn += 1) {
  const { status, headers } = await handler(new Request('http://a/b', { headers: { 'x-forwarded-for': '198.51.100.1' } }), null);
  told.push([status, headers.get('ratelimit'), headers.get('retry-after'), headers.get('x-request-id')?.length]);
}
told.push(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestIdOf(null)));
const never = () => new Promise(() => undefined);
const away = { view: never, transact: never, ping: never, held: async function* () {}, close: async () => undefined };
const hanging = createGuard({ secret, store: away });
const awake = setInterval(() => undefined, 1_000);
for (let turn = 0; turn < 3; turn += 1) {
  const { outcome, mode } = await hanging.check({ action: 'auth.login', account: 'ada', ip: '203.0.113.7' });
  told.push([outcome, mode]);
}
clearInterval(awake);
await hanging.close();
console.log(JSON.stringify(told));
process.exit(0);`;

/** A client that is on this machine is let through without being counted, where its address is found. */
const hono = (serve: string) => `
import { Hono } from 'hono';
import { limit, rateLimitOf } from 'portcullis/hono';
import { createLimiter } from 'portcullis/limits';
import { createMemoryStore } from 'portcullis/memory';
const warnings = [];
const limiter = createLimiter({ secret: 'sixteen bytes or more', store: createMemoryStore(), allow: { cidrs: ['127.0.0.1'] } });
const app = new Hono();
app.use(limit(limiter, { warn: ({ code }) => warnings.push(code) }));
app.get('/', (context) => context.text(rateLimitOf(context).verdict.skipped ?? 'counted'));
${serve}
console.log(await (await fetch(url)).text(), warnings.join());
process.exit(0);`;

/** What is decided must not hang on who runs it: nodes of one store may differ in that. */
export function testRuntimes(packed: () => PackedPackage, strangers: Strangers): void {
  describe.each(Object.entries(runtimes))('on %s', { timeout: 5 * minutes }, (_, runtime) => {
    async function runModule(context: TestContext, stranger: Stranger, code: string): Promise<Ended> {
      const program = await orSkip(context, npmProgram(runtime));
      const { folder } = stranger;
      stranger.write('program.mjs', code);
      const env = { ...process.env, DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1' };
      return run(program, [...runtime.args, 'program.mjs'], { cwd: folder, env });
    }

    it('every module can be imported', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      const { modules } = packed();
      const { stdout, stderr } = await runModule(
        context,
        stranger,
        `for (const name of ${JSON.stringify(modules)}) if (Object.keys(await import(name)).length > 0) console.log(name);`,
      );
      expect({ stderr, imported: stdout.trim().split('\n') }).toEqual({ stderr: '', imported: modules });
    });

    it('decisions are those of Node', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      const ofNode = await stranger.runModule(decisions);
      expect(ofNode).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('HARD_BLOCK') });
      expect(await runModule(context, stranger, decisions)).toEqual(ofNode);
    });

    it('the client of an application in Hono is known', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      const { stdout, stderr } = await stranger.beside(['hono'], () =>
        runModule(context, stranger, hono(runtime.serve)),
      );
      expect({ stdout, stderr }).toEqual({ stdout: 'cidr \n', stderr: '' });
    });
  });
}
