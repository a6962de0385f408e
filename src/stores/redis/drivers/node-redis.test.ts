import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Fault } from '../../../core/fault.ts';
import { NodeRedisDriver } from './node-redis.ts';
import { reconnectDelayMs } from './reconnect.ts';

test.each([
  ['is not tried again without its library, which would keep the process alive', 'CONFIG_INVALID', false],
  ['is tried again while the server is away', 'STORE_FAILED', true],
] as const)('a connection %s', async (_, code, isTriedAgain) => {
  const heard: unknown[] = [];
  const driver = new NodeRedisDriver({ make: () => Promise.reject(new Fault(code, 'no connection')) });
  driver.open({ up: () => undefined, down: (cause) => heard.push(cause) });
  await expect.poll(() => heard.length).toBeGreaterThan(isTriedAgain ? 1 : 0);
  await sleep(4 * reconnectDelayMs(0));
  await driver.close();
  expect(heard.length > 1).toBe(isTriedAgain);
});
