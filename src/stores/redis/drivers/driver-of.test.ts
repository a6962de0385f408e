import { createRequire } from 'node:module';
import { Cluster, Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { createRedisStore, type GivenClient } from '../index.ts';
import { driverOf } from './driver-of.ts';

const nowhere = { host: '127.0.0.1', port: 1, lazyConnect: true };

describe('drivers', () => {
  const opened: { disconnect(): void }[] = [];
  afterEach(() => {
    for (const client of opened.splice(0)) client.disconnect();
  });

  test('are told by what a client can do', () => {
    const single = new Redis(nowhere);
    const cluster = new Cluster([nowhere], { lazyConnect: true });
    opened.push(single, cluster);
    expect(driverOf(single).isCluster).toBe(false);
    expect(driverOf(cluster).isCluster).toBe(true);
    class GlideClusterClient {
      customCommand = async (): Promise<unknown> => null;
    }
    expect(driverOf(new GlideClusterClient()).isCluster).toBe(true);
    expect(driverOf({ customCommand: async () => null }).isCluster).toBe(false);
  });

  test('know a client of the first node-redis 5, which had no epoch of its socket yet', () => {
    const client = {
      sendCommand: async () => null,
      duplicate: () => null,
      isReady: true,
      isDirtyWatch: false,
    };
    expect(driverOf(client as object as GivenClient).isCluster).toBe(false);
  });

  test('are not guessed: a client of node-redis 4 cannot be ended as the store has to', () => {
    const client = { sendCommand: async () => null, duplicate: () => null, isReady: true, unref: () => {} };
    expect(() => driverOf(client as object as GivenClient)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('node-redis 5 or later') }),
    );
  });

  test('are not guessed: a Sentinel client of node-redis sends again what was lost', () => {
    const sentinel = { sendCommand: async () => null, duplicate: () => null, isOpen: true };
    expect(() => driverOf(sentinel as object as GivenClient)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('sentinel') }),
    );
  });

  test('of another library do not load node-redis', async () => {
    const client = new Redis(nowhere);
    opened.push(client);
    const store = createRedisStore({ client });
    await expect(store.ready()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await store.close();
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    expect(loaded.filter((path) => path.includes('/ioredis/')).length).toBeGreaterThan(0);
    expect(loaded.filter((path) => path.includes('/@redis/client/'))).toEqual([]);
  });
});
