import { expect, it } from 'vitest';
import { describeProxyExample } from './proxy-conformance.ts';

describeProxyExample({
  program: 'nginx',
  title: 'nginx',
  files: ['nginx.conf'],
  namesPath: false,
  failClosed: {
    change: (config) => config.replace('error_page 502 504 = @portcullis_silent;', ''),
    status: 500,
  },
  more: (scene) => {
    it('keeps the question itself from clients', async () => {
      expect((await scene().ask({ from: '127.0.5.1', path: '/portcullis' })).status).toBe(404);
    });
  },
});
