import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExampleScene, startExample } from '../servers/example-scene.ts';
import { isInstalled, type ProxyProcess, type ProxyProgram, startProxy } from '../servers/proxy-process.ts';
import { until } from '../servers/redis-server.ts';

/** An example that puts the service behind a proxy. */
export interface ProxyExample {
  /** The proxy's program, and the folder of its example. */
  readonly program: ProxyProgram;
  readonly title: string;
  /** Its files, the one to be changed first. */
  readonly files: readonly [main: string, ...others: string[]];
  /** Whether the problem says of which path it speaks. */
  readonly namesPath: boolean;
  /** How its main file is made to refuse while the service is down, and with what. */
  readonly failClosed: { readonly change: (config: string) => string; readonly status: number };
  /** What else this one is to do, on a scene in which it runs; no client of 127.0.5.0/24 has called. */
  readonly more?: ((scene: () => ExampleScene) => void) | undefined;
}

/** What a client may say about itself and its call. No proxy takes its word. */
const lies = {
  'x-forwarded-for': '198.51.100.1',
  forwarded: 'for=198.51.100.2',
  'x-real-ip': '198.51.100.3',
  'x-original-uri': '/elsewhere',
  'x-original-method': 'HEAD',
  'x-forwarded-uri': '/elsewhere',
  'x-forwarded-method': 'HEAD',
};

/** What every example has to do, with the proxy itself in front of the service. */
export function describeProxyExample({
  program,
  title,
  files,
  namesPath,
  failClosed,
  more,
}: ProxyExample): void {
  describe.runIf(isInstalled(program))(`the example for ${title}`, () => {
    let scene: ExampleScene;
    let proxy: ProxyProcess;

    const start = async (change: (config: string) => string = (config) => config) => {
      scene = await startExample(program);
      const [main] = files;
      const contents = Object.fromEntries(
        files.map((file) => [file, file === main ? change(scene.file(file)) : scene.file(file)]),
      );
      proxy = await startProxy(program, contents, scene.frontPort);
    };
    const stop = async () => {
      await proxy.stop();
      await scene.stop();
    };

    describe('as it is', () => {
      beforeAll(() => start());
      afterAll(stop);

      it('passes on what is allowed, with what is left', async () => {
        const answer = await scene.ask({ path: '/a?b=c' });
        expect(answer).toMatchObject({
          status: 200,
          body: 'hello from the app',
          headers: { ratelimit: '"default";r=0;t=10', 'ratelimit-policy': '"default";q=1;w=10' },
        });
        expect(scene.seen.at(-1)).toMatchObject({
          url: '/a?b=c',
          headers: { 'x-forwarded-for': '127.0.0.3' },
        });
      });

      it('answers 429 with a problem, and tells when to come back', async () => {
        const answer = await scene.ask({ path: '/a?b=c', headers: { 'x-request-id': 'req-9' } });
        expect(answer.status).toBe(429);
        expect(answer.headers['content-type']).toBe('application/problem+json');
        expect(answer.headers.ratelimit).toContain('"default";r=0;t=');
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        expect(answer.headers['x-request-id']).toBe('req-9');
        const problem = JSON.parse(answer.body);
        expect(problem).toMatchObject({
          status: 429,
          code: 'RATE_LIMIT',
          retryAfter: answer.headers['retry-after'],
          requestId: 'req-9',
        });
        expect(problem.instance).toBe(namesPath ? '/a' : undefined);
      });

      it.each<[number, string, string | undefined, string | RegExp]>([
        [1, 'one of the client', 'req-10', 'req-10'],
        [2, 'a new one for a client that has none', undefined, /^[\da-f-]{32,36}$/],
        [3, 'a new one for one that is too long', 'x'.repeat(129), /^[\da-f-]{32,36}$/],
      ])(
        'has one id for a call, with the app and with the client (%i: %s)',
        async (place, _, sent, expected) => {
          const headers = sent === undefined ? {} : { 'x-request-id': sent };
          const from = `127.0.2.${place}`;
          const allowed = await scene.ask({ from, headers });
          expect(allowed.status).toBe(200);
          expect(allowed.headers['x-request-id']).toMatch(expected);
          expect(scene.seen.at(-1)?.headers['x-request-id']).toBe(allowed.headers['x-request-id']);
          const refused = await scene.ask({ from, headers });
          expect(JSON.parse(refused.body).requestId).toMatch(expected);
          expect(refused.headers['x-request-id']).toBe(JSON.parse(refused.body).requestId);
        },
      );

      it('takes no word of the client for who it is or what it asks for', async () => {
        expect((await scene.ask({ headers: lies })).status).toBe(429);
        expect((await scene.ask({ headers: lies, from: '127.0.0.4' })).status).toBe(200);
        expect((await scene.ask({ from: '127.0.0.4' })).status).toBe(429);
      });

      it('does not tell what is left on a sign-in route', async () => {
        const answer = await scene.ask({ from: '127.0.0.6', path: '/login', method: 'POST' });
        expect(answer).toMatchObject({ status: 200, headers: { 'ratelimit-policy': '"default";q=1;w=10' } });
        expect(answer.headers.ratelimit).toBe(undefined);
      });

      it('decides on many calls at once', async () => {
        const clients = Array.from({ length: 60 }, (_, index) => `127.0.1.${index + 1}`);
        const answers = await Promise.all(clients.map((from) => scene.ask({ from })));
        expect(answers.map(({ status }) => status)).toEqual(clients.map(() => 200));
        const again = await Promise.all(clients.map((from) => scene.ask({ from })));
        expect(again.map(({ status }) => status)).toEqual(clients.map(() => 429));
      });

      more?.(() => scene);

      it('goes on without limits while the service is down', async () => {
        await scene.stopService();
        for (let call = 0; call < 3; call += 1) {
          expect(await scene.ask()).toMatchObject({ status: 200, body: 'hello from the app' });
        }
      });
    });

    it(`answers ${failClosed.status} while the service is down, where it is made to fail closed`, async () => {
      await start(failClosed.change);
      try {
        await until(async () => (await scene.ask({ from: '127.0.0.9' })).status !== failClosed.status);
        await scene.stopService();
        expect((await scene.ask()).status).toBe(failClosed.status);
      } finally {
        await stop();
      }
    });
  });
}
