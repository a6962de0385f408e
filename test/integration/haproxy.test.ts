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
});
