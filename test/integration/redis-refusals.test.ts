import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Key } from '../../src/core/records.ts';
import { createGuard } from '../../src/index.ts';
import { createRedisStore, type RedisStore } from '../../src/stores/redis/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { addOne, type Count, collect, countOf, group, kept, rejection } from '../conformance/under-test.ts';
import { isRedisInstalled, type RedisServer, startRedis, until } from '../servers/redis-server.ts';

/** The store without its end, which is the suite's. */
const boundStore = (store: RedisStore): Store => ({
  view: (keys, look) => store.view(keys, look),
  transact: (keys, step) => store.transact(keys, step),
  setAside: async (keys) => (await store.setAside?.(keys)) ?? 0,
  ping: () => store.ping(),
  held: (prefix) => store.held(prefix),
  close: async () => {},
});

describe.runIf(isRedisInstalled())('a Redis server that refuses', () => {
  let server: RedisServer;
  let store: RedisStore;
  beforeAll(async () => {
    server = await startRedis();
    store = createRedisStore({ url: server.url, deadlineMs: 5_000 });
    await store.ready();
  });
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  const succeeds = (): Promise<boolean> => {
    const { key } = group();
    return store.transact([key], addOne(key)).then(
      () => true,
      () => false,
    );
  };

  test('because it became a replica fails steps and pings, and is used again as a master', async () => {
    const { key } = group();
    await store.transact([key], addOne(key));
    await server.cli('REPLICAOF', '127.0.0.1', '1');
    await server.cli('CONFIG', 'SET', 'replica-serve-stale-data', 'yes');
    expect(await rejection(store.transact([key], addOne(key)))).toMatchObject({ code: 'STORE_FAILED' });
    expect(await rejection(store.ping())).toMatchObject({ code: 'STORE_FAILED' });
    await server.cli('REPLICAOF', 'NO', 'ONE');
    await until(succeeds);
    expect(await store.transact([key], addOne(key))).toBe(2);
  });

  test('because its memory is full fails steps and pings, and still shows what it has', async () => {
    const { key } = group();
    await store.transact([key], addOne(key));
    await server.cli('CONFIG', 'SET', 'maxmemory', '1');
    expect(await rejection(store.transact([key], addOne(key)))).toMatchObject({ code: 'STORE_FULL' });
    expect(await rejection(store.ping())).toMatchObject({ code: 'STORE_FULL' });
    expect((await store.view([key], (records) => records.get(key)))?.count).toBe(1);
    await server.cli('CONFIG', 'SET', 'maxmemory', '0');
    expect(await store.transact([key], addOne(key))).toBe(2);
  });

  test('because it has too few replicas fails steps', async () => {
    const { key } = group();
    await server.cli('CONFIG', 'SET', 'min-replicas-to-write', '1');
    expect(await rejection(store.transact([key], addOne(key)))).toMatchObject({ code: 'STORE_FAILED' });
    await server.cli('CONFIG', 'SET', 'min-replicas-to-write', '0');
    expect(await store.transact([key], addOne(key))).toBe(1);
  });

  test('because it has forgotten the scripts is told them again', async () => {
    const { key } = group();
    await server.cli('SCRIPT', 'FLUSH');
    expect(await store.transact([key], addOne(key))).toBe(1);
  });

  test('with NOPERM tells what the user may not do', async () => {
    await server.cli(
      'ACL',
      'SETUSER',
      'reader',
      'on',
      '>secret',
      '~*',
      '+@read',
      '+@connection',
      '+evalsha',
      '+eval',
      '+time',
    );
    const url = server.url.replace('redis://', 'redis://reader:secret@');
    const reading = createRedisStore({ url, deadlineMs: 5_000 });
    await reading.ready();
    const { key } = group();
    expect(await reading.view([key], (records) => records.get(key))).toBeUndefined();
    expect(await rejection(reading.transact([key], addOne(key)))).toMatchObject({
      code: 'STORE_FAILED',
      message: 'The user of the connection may not do this.',
    });
    await reading.close();
  });

  test('nothing, when its user has the rights that the documentation names', async () => {
    const page = readFileSync(new URL('../../docs/operating/redis.md', import.meta.url), 'utf8');
    const command = /^ACL SETUSER (portcullis .*)$/m.exec(page)?.[1] ?? '';
    expect(await server.cli('ACL', 'SETUSER', ...command.split(' '))).toBe('OK');
    const url = server.url.replace('redis://', 'redis://portcullis:secret@');
    const allowed = createRedisStore({ url, deadlineMs: 5_000 });
    await allowed.ready();
    const { key, text } = group();
    await allowed.transact([key], (records, now) =>
      records.put(key, countOf(1, now), { ...kept, hardMs: 60_000 }),
    );
    await allowed.ping();
    expect(await collect(allowed.held(text))).toHaveLength(1);
    await server.cli('SET', key.text, 'nonsense');
    expect(await allowed.setAside?.([key])).toBe(1);
    await allowed.close();
  });

  test('to run scripts is not ready and says why', async () => {
    await server.cli('ACL', 'SETUSER', 'scriptless', 'on', '>secret', '~*', '+@all', '-eval', '-evalsha');
    const url = server.url.replace('redis://', 'redis://scriptless:secret@');
    const refused = createRedisStore({ url, deadlineMs: 5_000 });
    const told = {
      code: 'STORE_FAILED',
      cause: expect.objectContaining({ message: expect.stringMatching(/NOPERM/) }),
    };
    expect(await rejection(refused.ready())).toMatchObject(told);
    const { key } = group();
    expect(await rejection(refused.view([key], () => 0))).toMatchObject(told);
    expect(await rejection(refused.transact([key], addOne(key)))).toMatchObject(told);
    await server.cli('ACL', 'SETUSER', 'scriptless', '+eval', '+evalsha');
    await until(() =>
      refused.ready().then(
        () => true,
        () => false,
      ),
    );
    expect(await refused.transact([key], addOne(key))).toBe(1);
    await refused.close();
  });

  test('with a wrong password is not ready, and says why', async () => {
    await server.cli('ACL', 'SETUSER', 'someone', 'on', '>secret', '~*', '+@all');
    const url = server.url.replace('redis://', 'redis://someone:guess@');
    const refused = createRedisStore({ url, deadlineMs: 5_000 });
    const fault = await rejection(refused.ready());
    expect(fault).toMatchObject({
      code: 'STORE_FAILED',
      cause: expect.objectContaining({ message: expect.stringMatching(/WRONGPASS/) }),
    });
    expect(await rejection(refused.ping())).toMatchObject({ code: 'STORE_FAILED' });
    await refused.close();
  });

  test.each([
    ['no envelope', 'nonsense'],
    ['an envelope cut short', 'abcdefgh00000000 9999999999999 0'],
    ['times that are none', 'abcdefgh00000000 9999999999999 x 0 {"at":1}'],
    ['JSON that is none', 'abcdefgh00000000 9999999999999 0 0 {"at":1'],
    ['a record without its time', 'abcdefgh00000000 9999999999999 0 0 {"count":1}'],
    ['something else than a record', 'abcdefgh00000000 9999999999999 0 0 null'],
  ])('a record that is %s is RECORD_CORRUPT, and stays as it is', async (_, text) => {
    const { key } = group();
    await server.cli('SET', key.text, text);
    const get = (records: { get(key: Key<Count>): Count | undefined }) => records.get(key);
    expect(await rejection(store.view([key], get))).toMatchObject({ code: 'RECORD_CORRUPT' });
    expect(await rejection(store.transact([key], addOne(key)))).toMatchObject({ code: 'RECORD_CORRUPT' });
    expect(await server.cli('GET', key.text)).toBe(text);
  });

  test('a record that cannot be read concerns nobody who looks at others at the same time', async () => {
    const { key: broken } = group();
    const { key: sound } = group();
    await server.cli('SET', broken.text, 'nonsense');
    await store.transact([sound], addOne(sound));
    const [refused, count] = await Promise.all([
      rejection(store.view([broken], (records) => records.get(broken))),
      store.view([sound], (records) => records.get(sound)?.count),
    ]);
    expect(refused).toMatchObject({ code: 'RECORD_CORRUPT' });
    expect(count).toBe(1);
  });

  test('what cannot be read is set aside, and nothing else', async () => {
    const { key, sibling } = group();
    const { key: list } = group();
    await server.cli('SET', key.text, 'nonsense');
    await server.cli('RPUSH', list.text, 'no text at all');
    await store.transact([sibling], addOne(sibling));
    expect(await store.setAside?.([key, sibling, list, group().key])).toBe(2);
    expect(await server.cli('GET', `portcullis-quarantine:${key.text}`)).toBe('nonsense');
    expect(Number(await server.cli('PTTL', `portcullis-quarantine:${list.text}`))).toBeGreaterThan(0);
    expect(await store.transact([key], addOne(key))).toBe(1);
    expect(await store.transact([sibling], addOne(sibling))).toBe(2);
    expect(await store.setAside?.([key, sibling, list])).toBe(0);
  });

  test('what cannot be read is set aside also where its bytes are no text', async () => {
    const { key } = group();
    const write = `return redis.call('SET', KEYS[1], 'nonsense ' .. string.char(255, 254))`;
    await server.cli('EVAL', write, '1', key.text);
    expect(await store.setAside?.([key])).toBe(1);
    expect(await server.cli('STRLEN', `portcullis-quarantine:${key.text}`)).toBe('11');
    expect(await store.transact([key], addOne(key))).toBe(1);
  });

  test('a guard whose record cannot be read throws once, tells it, and starts anew', async () => {
    const guard = createGuard({ secret: 'x'.repeat(32), store: boundStore(store) });
    const told: number[] = [];
    guard.on('corrupt', ({ setAside }) => told.push(setAside));
    const request = { action: 'auth.login', account: 'somebody', ip: '192.0.2.9', device: null };
    await guard.fail(request);
    const [name = ''] = (await server.cli('KEYS', 'portcullis:default:login:*:K4:*')).split('\n');
    await server.cli('SET', name, 'nonsense');
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await rejection(guard.check(request))).toMatchObject({ code: 'RECORD_CORRUPT' });
    expect(told).toEqual([1]);
    expect(await guard.check(request)).toMatchObject({ mode: 'NORMAL' });
    expect(guard.modes().every(({ mode }) => mode === 'NORMAL')).toBe(true);
    await guard.close();
  });

  test('a guard sets aside what only its steps meet, and what its process remembers', async () => {
    const guard = createGuard({ secret: 'x'.repeat(32), store: boundStore(store), environment: 'aside' });
    const told: number[] = [];
    guard.on('corrupt', ({ setAside }) => told.push(setAside));
    const request = { action: 'auth.login', account: 'somebody', ip: '2001:db8:1:1::1', device: null };
    await guard.fail(request);
    const [macro = ''] = (await server.cli('KEYS', 'portcullis:aside:login:*:P32:*')).split('\n');
    await server.cli('SET', macro, 'nonsense');
    const other = { ...request, account: 'other', ip: '2001:db8:2:1::1' };
    expect(await rejection(guard.fail(other))).toMatchObject({ code: 'RECORD_CORRUPT' });
    expect(await guard.fail(other)).toMatchObject({ mode: 'NORMAL' });
    const [account = ''] = (await server.cli('KEYS', 'portcullis:aside:login:*:K4:*')).split('\n');
    // A block runs on it, so this process would go by what it read for two seconds.
    await server.cli('SET', account, 'abcdefgh00000000 9999999999999 0 9999999999999 nonsense');
    const key: Key<Count> = { text: account, was: null };
    const get = (records: { get(key: Key<Count>): Count | undefined }) => records.get(key);
    await until(() =>
      store.view([key], get).then(
        () => false,
        () => true,
      ),
    );
    expect(await store.setAside?.([key])).toBe(1);
    expect(await store.view([key], get)).toBeUndefined();
    expect(told).toEqual([1]);
    await guard.close();
  });

  test('a record is readable in redis-cli, and Redis drops it when it ends', async () => {
    const { key } = group();
    const blocked = { keepMs: 60_000, softMs: 1_000, hardMs: 2_000 };
    const at = await store.transact([key], (records, now) => {
      records.put(key, countOf(7, now), blocked);
      return now;
    });
    expect(await server.cli('GET', key.text)).toMatch(
      new RegExp(`^[\\w-]{16} ${at + 60_000} ${at + 1_000} ${at + 2_000} {"at":${at},"count":7}$`),
    );
    expect(Number(await server.cli('PEXPIRETIME', key.text))).toBe(at + 60_000);
  });

  test('listing blocks does not trip over keys of other owners, nor over what cannot be read', async () => {
    const { key, text } = group();
    await server.cli('RPUSH', `${text.replace('portcullis:', 'other:')}list`, 'a');
    await server.cli('RPUSH', `${text}K1:{list}`, 'a');
    await server.cli('SET', `${text}K1:{nonsense}`, 'nonsense');
    await server.cli('SET', `${text}K1:{cut}`, 'abcdefgh00000000 9999999999999 0 9999999999999 {"at":1');
    await store.transact([key], (records, now) =>
      records.put(key, countOf(1, now), { ...kept, hardMs: 60_000 }),
    );
    expect((await collect(store.held(text))).map((record) => record.key)).toEqual([key.text]);
  });
});
