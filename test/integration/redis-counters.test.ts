import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisCounters, type RedisCounters } from '../../src/stores/redis/index.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';

const windowMs = 60_000;

/** Before 7.0 a server knew no command that tells when a key ends. */
const places = [
  { name: 'a Redis', settings: {}, tellsEnds: true },
  {
    name: 'a Redis that does not tell when a key ends',
    settings: { 'rename-command': 'PEXPIRETIME no-such' },
  },
];

describe.runIf(isRedisInstalled()).each(places)('counters on $name', ({ settings, tellsEnds = false }) => {
  let server: RedisServer;
  let counters: RedisCounters;
  const hit = (key: string, share: string) => counters.add([{ key, share, windowMs }]);

  beforeAll(async () => {
    server = await startRedis(settings);
    counters = createRedisCounters({ url: server.url, deadlineMs: 20_000 });
  });
  afterAll(async () => {
    await counters.close();
    await server.stop();
  });

  it('give a share back whole, and nothing of the others', async () => {
    for (const share of ['mine', 'theirs', 'mine', 'theirs', 'mine']) await hit('network', share);
    await counters.takeShare('network', 'mine');
    expect(await hit('network', 'theirs')).toMatchObject([{ count: 3 }]);
    await counters.takeShare('network', 'mine');
    expect(await hit('network', 'theirs')).toMatchObject([{ count: 4 }]);
  });

  it('give back what was counted in this window, not in one before it', async () => {
    await hit('again', 'mine');
    await hit('again', 'mine');
    await server.cli('DEL', 'again');
    await server.cli('SET', 'again', '5', 'PX', String(2 * windowMs));
    await counters.takeShare('again', 'mine');
    expect(await hit('again', 'theirs')).toMatchObject([{ count: 6 }]);
  });

  if (!tellsEnds) return;

  it('tell windows apart that end within the same moment', async () => {
    await hit('close', 'mine');
    const ends = Number(await server.cli('PEXPIRETIME', 'close'));
    await server.cli('PEXPIREAT', 'close', String(ends + 2));
    await hit('close', 'mine');
    await counters.takeShare('close', 'mine');
    expect(await hit('close', 'theirs')).toMatchObject([{ count: 2 }]);
  });
});
