import { expect, it } from 'vitest';
import { describeProxyExample } from './proxy-conformance.ts';

describeProxyExample({
  program: 'haproxy',
  title: 'HAProxy',
  files: ['haproxy.cfg', 'portcullis-spoe.cfg'],
  namesPath: true,
  failClosed: {
    change: (config) => config.replace('# http-request return status 503', 'http-request return status 503'),
    status: 503,
  },
  more: (scene) => {
    it('tells the whole user agent, commas and all', async () => {
      const ask = (agent: string) =>
        scene().ask({ from: '127.0.5.1', headers: { 'user-agent': `Mozilla/5.0 Firefox/130.0${agent}` } });
      expect((await ask(' (one, two)')).status).toBe(200);
      expect((await ask('')).status).toBe(429);
    });
  },
});
