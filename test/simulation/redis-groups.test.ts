import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { ClientRecord } from '../../src/core/client-state.ts';
import type { Key, Records, Retention } from '../../src/core/records.ts';
import { emptyClient } from '../../src/limits/client-record.ts';
import { DrivenRedisStore } from '../../src/stores/redis/redis-store.ts';
import { addOne, type Count, kept, times } from '../conformance/under-test.ts';
import { FakeRedis, fakeDriver } from '../servers/fake-redis.ts';

/** More than the store remembers of those that rest. */
const manyGroups = 9_000;

const keyOf = (tag: string): Key<Count> => ({ text: `portcullis:sim:login:1:K1:{${tag}}`, was: null });

/** A store at which no time passes, and whose replies can be held back. */
async function openStore() {
  const server = new FakeRedis();
  let released: Promise<void> = Promise.resolve();
  const network = {
    arrive: (what: string) => (what.endsWith('answered') ? released : Promise.resolve()),
    losesReply: () => false,
  };
  const store = new DrivenRedisStore(fakeDriver(server, network, false), 60_000, () => 1);
  await store.ready();
  const holdReplies = () => {
    let release = (): void => undefined;
    released = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  };
  return { server, store, holdReplies };
}

const add = (store: DrivenRedisStore, key: Key<Count>): Promise<unknown> =>
  store.transact([key], addOne(key));

const countIn = (store: DrivenRedisStore, key: Key<Count>): Promise<number | undefined> =>
  store.view([key], (records) => records.get(key)?.count);

test('more steps of a group than one commit carries are all written', async () => {
  const { store } = await openStore();
  const key = keyOf('crowd');
  await Promise.all(times(1_300, () => add(store, key)));
  expect(await countIn(store, key)).toBe(1_300);
});

test('a group that has a step under way is not forgotten for the many that rest', async () => {
  const { store, holdReplies } = await openStore();
  for (let index = 0; index < manyGroups; index += 1_000)
    await Promise.all(times(1_000, (place) => add(store, keyOf(`resting ${index + place}`))));
  const release = holdReplies();
  const key = keyOf('busy');
  const underWay = add(store, key);
  const others = times(manyGroups, (index) => add(store, keyOf(`other ${index}`)));
  expect(store.hasPending([key])).toBe(true);
  const next = add(store, key);
  release();
  await Promise.all([underWay, next, ...others]);
  expect(await countIn(store, key)).toBe(2);
  expect(store.hasPending([key])).toBe(false);
});

test('groups that rest are forgotten when there are too many', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { server, store } = await openStore();
  const heapMb = () => {
    server.texts.clear();
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const use = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1_000)
      await Promise.all(
        times(1_000, (place) => add(store, keyOf(`group ${index + place} ${'.'.repeat(200)}`))),
      );
  };
  await use(0, 2 * manyGroups);
  const before = heapMb();
  await use(100_000, 140_000);
  // All of them would be 12 MB more.
  expect(heapMb() - before).toBeLessThan(6);
});

test('a record that is written over says what was put last, for as long as that says', async () => {
  const { server, store } = await openStore();
  const key: Key<ClientRecord> = { ...keyOf('client'), form: 'client', record: undefined as never };
  const versions = new Set<string>();
  const retentions: readonly Retention[] = [
    kept,
    { keepMs: 2_000, softMs: 500, hardMs: 0 },
    { keepMs: 3_000, softMs: 0, hardMs: 0 },
    kept,
    { keepMs: 10, softMs: 5, hardMs: 0 },
    kept,
  ];
  const blocked: Retention = { keepMs: 2_000, softMs: 0, hardMs: 1_500 };
  const all = [...retentions, ...retentions, blocked, ...retentions];
  for (const [place, { keepMs, softMs, hardMs }] of all.entries()) {
    const put = (records: Records, now: number): void => {
      const own = records.own?.(key);
      const record = own ?? { ...(records.get(key) ?? emptyClient(now, 0)) };
      record.limit = place;
      record.at = now;
      records.put(key, record, { keepMs, softMs, hardMs });
    };
    await store.transact([key], put);
    const [version = '', ...words] = server.texts.get(key.text)?.split(' ') ?? [];
    const until = (ms: number) => (ms > 0 ? server.now + ms : 0);
    expect(words.slice(0, 3).map(Number)).toEqual([until(keepMs), until(softMs), until(hardMs)]);
    expect(JSON.parse(words.slice(3).join(' '))).toMatchObject({ at: server.now, limit: place });
    versions.add(version);
  }
  expect(versions.size).toBe(all.length);
});

test('what no text can be made of fails its own step, and none that would have shared the command', async () => {
  const { store } = await openStore();
  const [bad, ...good] = ['bad', 'good', 'better'].map(keyOf) as [Key<Count>, ...Key<Count>[]];
  const spoil = (records: Records, now: number): void =>
    records.put(bad, { at: now, count: 1n as never }, kept);
  const outcomes = await Promise.allSettled([
    add(store, good[0] as Key<Count>),
    store.transact([bad], spoil),
    ...good.map((key) => add(store, key)),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: expect.any(TypeError) });
  // Alone in its command too; and the group goes on.
  await expect(store.transact([bad], spoil)).rejects.toThrow(TypeError);
  await add(store, bad);
  expect(await Promise.all([bad, ...good].map((key) => countIn(store, key)))).toEqual([1, 2, 1]);
  expect(store.hasPending([bad])).toBe(false);
});
