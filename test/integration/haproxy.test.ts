import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExampleScene, startExample } from '../servers/example-scene.ts';
import { isInstalled, type ProxyProcess, startProxy } from '../servers/proxy-process.ts';
import { until } from '../servers/redis-server.ts';

describe.runIf(isInstalled('haproxy'))('the example for HAProxy', () => {
  let scene: ExampleScene;
  let haproxy: ProxyProcess;

  const start = async (change: (config: string) => string = (config) => config) => {
    scene = await startExample('haproxy');
    const files = {
      'haproxy.cfg': change(scene.file('haproxy.cfg')),
      'portcullis-spoe.cfg': scene.file('portcullis-spoe.cfg'),
    };
    haproxy = await startProxy('haproxy', files, scene.frontPort);
  };
  const stop = async () => {
    await haproxy.stop();
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
      const answer = await scene.ask({ path: '/a?b=c' });
      expect(answer.status).toBe(429);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(answer.headers.ratelimit).toContain('"default";r=0;t=');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(JSON.parse(answer.body)).toMatchObject({
        status: 429,
        code: 'RATE_LIMIT',
        retryAfter: answer.headers['retry-after'],
        instance: '/a',
        requestId: answer.headers['x-request-id'],
      });
    });

    it('takes no word of the client for who it is', async () => {
      const headers = {
        'x-forwarded-for': '198.51.100.1',
        forwarded: 'for=198.51.100.2',
        'x-real-ip': '198.51.100.3',
      };
      expect((await scene.ask({ headers })).status).toBe(429);
      expect((await scene.ask({ headers, from: '127.0.0.4' })).status).toBe(200);
      expect((await scene.ask({ from: '127.0.0.4' })).status).toBe(429);
    });

    it('decides on many streams at once over few connections', async () => {
      const clients = Array.from({ length: 60 }, (_, index) => `127.0.1.${index + 1}`);
      const answers = await Promise.all(clients.map((from) => scene.ask({ from })));
      expect(answers.map(({ status }) => status)).toEqual(clients.map(() => 200));
      const again = await Promise.all(clients.map((from) => scene.ask({ from })));
      expect(again.map(({ status }) => status)).toEqual(clients.map(() => 429));
    });

    it('goes on without limits while the service is down', async () => {
      await scene.stopService();
      expect(await scene.ask()).toMatchObject({ status: 200, body: 'hello from the app' });
    });
  });

  it('answers 503 while the service is down, with the line that makes it fail closed', async () => {
    await start((config) =>
      config.replace('# http-request return status 503', 'http-request return status 503'),
    );
    try {
      await until(async () => (await scene.ask({ from: '127.0.0.9' })).status !== 503);
      await scene.stopService();
      expect((await scene.ask()).status).toBe(503);
    } finally {
      await stop();
    }
  });
});
