import { describe, expect, test } from 'vitest';
import { clusterOptions } from './node-redis-cluster.ts';

describe('a cluster by node-redis', () => {
  test('is spoken to over TLS, also at the nodes that it names itself', () => {
    const urls = ['rediss://me:pass%20word@a:1', 'rediss://b:1'];
    const { rootNodes, defaults } = clusterOptions(urls, { socket: { ca: 'certificate' } });
    expect(defaults).toMatchObject({
      username: 'me',
      password: 'pass word',
      socket: { tls: true, ca: 'certificate' },
    });
    expect(rootNodes).toMatchObject(urls.map((url) => ({ url, socket: { ca: 'certificate' } })));
  });

  test('is spoken to in the clear where its URLs say so', () => {
    expect(clusterOptions(['redis://a:1'], {}).defaults).not.toHaveProperty('socket.tls');
  });
});
