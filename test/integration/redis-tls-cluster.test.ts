import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import { addOne, group } from '../conformance/under-test.ts';
import { freePort, onFreePorts } from '../servers/free-port.ts';
import { isRedisInstalled, type RedisServer, startRedis, until } from '../servers/redis-server.ts';

/** Makes a certificate for the loopback that vouches for itself. */
function certify(folder: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=loopback';
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...request.split(' '), ...names], { stdio: 'ignore' });
  return { cert, key };
}

const hasOpenssl = (): boolean => {
  try {
    return execFileSync('openssl', ['version']).length > 0;
  } catch {
    return false;
  }
};

describe.runIf(isRedisInstalled() && hasOpenssl())('a Redis cluster over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-tls-'));
  let server: RedisServer;
  let tlsPort = 0;
  beforeAll(async () => {
    const { cert, key } = certify(folder);
    server = await onFreePorts(async () => {
      tlsPort = await freePort();
      return startRedis({
        'tls-port': String(tlsPort),
        'tls-cert-file': cert,
        'tls-key-file': key,
        'tls-ca-cert-file': cert,
        'tls-auth-clients': 'no',
        'tls-cluster': 'yes',
        'cluster-enabled': 'yes',
        'cluster-announce-ip': '127.0.0.1',
        'cluster-port': String(await freePort()),
      });
    });
    await server.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await server.cli('ACL', 'SETUSER', 'portcullis', 'on', '>secret', '~*', '+@all');
    await until(async () => (await server.cli('CLUSTER', 'INFO')).includes('cluster_state:ok'));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(['cluster', 'url'] as const)('is found and used, named by %s', async (option) => {
    const place = `portcullis:secret@127.0.0.1:${tlsPort}`;
    const store = createRedisStore({
      ...(option === 'url' ? { url: `rediss+cluster://${place}` } : { cluster: [`rediss://${place}`] }),
      connection: { socket: { ca: readFileSync(join(folder, 'cert.pem')) } },
      deadlineMs: 5_000,
    });
    await store.ready();
    const { key } = group();
    expect(await store.transact([key], addOne(key))).toBe(1);
    await store.close();
  });
});
