import { expect, it } from 'vitest';
import { describeProxyExample } from './proxy-conformance.ts';

describeProxyExample({
  program: 'caddy',
  title: 'Caddy',
  files: ['Caddyfile'],
  namesPath: true,
  failClosed: {
    change: (config) => config.replace(/@portcullis_silent not[^}]*\}[^}]*\}/, ''),
    status: 502,
  },
  more: (scene) => {
    it('takes nobody for silent who refuses headers that are too large', async () => {
      const from = '127.0.5.1';
      expect((await scene().ask({ from })).status).toBe(200);
      const calls = scene().seen.length;
      for (let call = 0; call < 100; call += 1) {
        await scene().ask({ from, headers: { 'x-large': 'a'.repeat(900_000) } });
      }
      expect(scene().seen.length).toBe(calls);
    });
  },
});
