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
});
