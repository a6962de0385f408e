import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExampleScene, startExample } from '../servers/example-scene.ts';
import { isInstalled, type ProxyProcess, startProxy } from '../servers/proxy-process.ts';

describe.runIf(isInstalled('nginx'))('the example for nginx', () => {
  let scene: ExampleScene;
  let nginx: ProxyProcess;

  const start = async (change: (config: string) => string = (config) => config) => {
    scene = await startExample('nginx');
    nginx = await startProxy('nginx', { 'nginx.conf': change(scene.file('nginx.conf')) }, scene.frontPort);
  };
  const stop = async () => {
    await nginx.stop();
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
      expect(scene.seen.at(-1)).toMatchObject({ url: '/a?b=c', headers: { 'x-forwarded-for': '127.0.0.3' } });
    });

    it('answers 429 with a problem, and tells when to come back', async () => {
      const answer = await scene.ask();
      expect(answer.status).toBe(429);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(JSON.parse(answer.body)).toMatchObject({
        status: 429,
        code: 'RATE_LIMIT',
        retryAfter: answer.headers['retry-after'],
        requestId: answer.headers['x-request-id'],
      });
    });

    it('takes no word of the client for who it is or what it asks for', async () => {
      const headers = {
        'x-forwarded-for': '198.51.100.1',
        forwarded: 'for=198.51.100.2',
        'x-real-ip': '198.51.100.3',
        'x-original-uri': '/elsewhere',
        'x-forwarded-uri': '/elsewhere',
        'x-original-method': 'HEAD',
      };
      expect((await scene.ask({ headers })).status).toBe(429);
    });

    it('knows clients apart', async () => {
      expect((await scene.ask({ from: '127.0.0.4', method: 'POST' })).status).toBe(200);
      expect((await scene.ask({ from: '127.0.0.4' })).status).toBe(429);
    });

    it('keeps the question itself from clients', async () => {
      expect((await scene.ask({ from: '127.0.0.5', path: '/portcullis' })).status).toBe(404);
    });

    it('does not tell what is left on a sign-in route', async () => {
      expect((await scene.ask({ from: '127.0.0.6', path: '/login', method: 'POST' })).headers.ratelimit).toBe(
        undefined,
      );
    });

    it('goes on without limits while the service is down', async () => {
      await scene.stopService();
      for (let call = 0; call < 3; call += 1) {
        expect(await scene.ask()).toMatchObject({ status: 200, body: 'hello from the app' });
      }
    });
  });

  it('answers 500 while the service is down, without the line that lets it fail open', async () => {
    await start((config) => config.replace('error_page 502 504 = @portcullis_silent;', ''));
    try {
      expect((await scene.ask()).status).toBe(200);
      await scene.stopService();
      expect((await scene.ask()).status).toBe(500);
    } finally {
      await stop();
    }
  });
});
