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

  it.each([
    ['a list', (key: string) => ['LPUSH', key, 'x']],
    ['a text', (key: string) => ['SET', key, 'of somebody else']],
    ['the end of all numbers', (key: string) => ['SET', key, '9223372036854775807']],
    ['more than can be told', (key: string) => ['SET', key, '9007199254740993']],
    ['a debt', (key: string) => ['SET', key, '-1000']],
    ['a debt of one', (key: string) => ['SET', key, '-1', 'PX', '90000']],
  ])('say so of %s under their name, set it aside, and begin anew', async (_, put) => {
    for (const key of ['strange', '{strange}:tagged']) {
      await server.cli(...put(key));
      const kept = `portcullis-quarantine:${key.includes('{') ? key : `{${key}}`}`;
      await expect(hit(key, 'mine')).rejects.toMatchObject({
        code: 'RECORD_CORRUPT',
        message: 'A counter in Redis is something else than a whole number.',
      });
      expect(Number(await server.cli('PTTL', kept))).toBeGreaterThan(29 * 86_400_000);
      expect(await hit(key, 'mine')).toMatchObject([{ count: 1, remainingMs: windowMs }]);
      await server.cli('DEL', key);
    }
  });

  it('set aside a share that is none, and take back nothing from what is no counter', async () => {
    const share = '{shared}:from:mine';
    await server.cli('LPUSH', share, 'x');
    await expect(hit('shared', 'mine')).rejects.toMatchObject({ code: 'RECORD_CORRUPT' });
    await hit('shared', 'mine');
    await server.cli('DEL', share);
    await server.cli('LPUSH', share, 'x');
    await expect(counters.takeShare('shared', 'mine')).rejects.toMatchObject({ code: 'RECORD_CORRUPT' });
    await counters.takeShare('shared', 'mine');
    await server.cli('SET', 'spoilt', 'of somebody else', 'PX', '500');
    const spoilt = { key: 'spoilt', share: null, remainingMs: windowMs };
    await expect(counters.takeBack([spoilt])).rejects.toMatchObject({ code: 'RECORD_CORRUPT' });
    await counters.takeBack([spoilt]);
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
