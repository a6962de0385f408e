import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExampleScene, startExample } from '../servers/example-scene.ts';
import { isInstalled, type ProxyProcess, startProxy } from '../servers/proxy-process.ts';

describe.runIf(isInstalled('caddy'))('the example for Caddy', () => {
  let scene: ExampleScene;
  let caddy: ProxyProcess;

  const start = async (change: (config: string) => string = (config) => config) => {
    scene = await startExample('caddy');
    caddy = await startProxy('caddy', { Caddyfile: change(scene.file('Caddyfile')) }, scene.frontPort);
  };
  const stop = async () => {
    await caddy.stop();
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

    it('passes on the refusal: 429, a problem, and when to come back', async () => {
      const answer = await scene.ask({ path: '/a?b=c', headers: { 'x-request-id': 'req-9' } });
      expect(answer.status).toBe(429);
      expect(answer.headers['content-type']).toContain('application/problem+json');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(JSON.parse(answer.body)).toMatchObject({
        status: 429,
        code: 'RATE_LIMIT',
        retryAfter: answer.headers['retry-after'],
        instance: '/a',
        requestId: 'req-9',
      });
    });

    it('takes no word of the client for who it is or what it asks for', async () => {
      const headers = {
        'x-forwarded-for': '198.51.100.1',
        forwarded: 'for=198.51.100.2',
        'x-original-uri': '/elsewhere',
        'x-forwarded-uri': '/elsewhere',
        'x-forwarded-method': 'HEAD',
        'x-original-method': 'HEAD',
      };
      expect((await scene.ask({ headers })).status).toBe(429);
      expect((await scene.ask({ headers, from: '127.0.0.4' })).status).toBe(200);
      expect((await scene.ask({ from: '127.0.0.4' })).status).toBe(429);
    });

    it('does not tell what is left on a sign-in route', async () => {
      const answer = await scene.ask({ from: '127.0.0.6', path: '/login', method: 'POST' });
      expect(answer).toMatchObject({ status: 200, headers: { 'ratelimit-policy': '"default";q=1;w=10' } });
      expect(answer.headers.ratelimit).toBe(undefined);
    });

    it('goes on without limits while the service is down', async () => {
      await scene.stopService();
      for (let call = 0; call < 3; call += 1) {
        expect(await scene.ask()).toMatchObject({ status: 200, body: 'hello from the app' });
      }
    });
  });

  it('answers 502 while the service is down, without the lines that let it fail open', async () => {
    await start((config) => config.replace(/@portcullis_silent not[^}]*\}[^}]*\}/, ''));
    try {
      expect((await scene.ask()).status).toBe(200);
      await scene.stopService();
      expect((await scene.ask()).status).toBe(502);
    } finally {
      await stop();
    }
  });
});
