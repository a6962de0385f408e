import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Key, Records } from '../../src/core/records.ts';
import { DrivenRedisStore } from '../../src/stores/redis/redis-store.ts';
import { type Count, countOf, kept } from '../conformance/under-test.ts';
import { FakeRedis, fakeDriver } from '../servers/fake-redis.ts';

const keyOf = (tag: string, rest: string): Key<Count> => ({
  text: `portcullis:sim:login:1:K1:{${tag}}:${rest}`,
  was: null,
});

const addOne =
  (key: Key<Count>) =>
  (records: Records, now: number): void => {
    records.put(key, countOf((records.get(key)?.count ?? 0) + 1, now), kept);
  };

/** A store whose clock never shows the same time twice, and whose replies can be held back. */
async function openStore() {
  let nowMs = 0;
  let released: Promise<void> = Promise.resolve();
  const network = {
    arrive: (what: string) => (what.endsWith('answered') ? released : Promise.resolve()),
    losesReply: () => false,
  };
  const tick = (): number => {
    nowMs += 0.001;
    return nowMs;
  };
  const store = new DrivenRedisStore(fakeDriver(new FakeRedis(), network, false), 60_000, tick);
  await store.ready();
  return {
    store,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Nothing is answered until what it returns is called. */
    holdReplies: () => {
      let release = (): void => undefined;
      released = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
  };
}

test('what a commit has written is not forgotten for a reading that was sent before it', async () => {
  const { store, pass, holdReplies } = await openStore();
  const [blocked, counted] = [keyOf('g', 'blocked'), keyOf('g', 'counted')];
  const look = (records: Records) => ({ count: records.get(counted)?.count });
  const lookPastTheBlock = () => store.viewNow([blocked, counted], look, { isStopped: () => true });
  const hard = { keepMs: 3_600_000, softMs: 0, hardMs: 3_600_000 };
  await store.transact([blocked], (records, now) => records.put(blocked, countOf(1, now), hard));
  await store.view([blocked, counted], () => null);
  // The block is known for long enough to be read again behind an answer; what is counted was written a moment ago.
  pass(1_100);
  const other = keyOf('other', 'counted too');
  await store.transact([counted], addOne(counted));
  await store.transact([other], addOne(other));
  const release = holdReplies();
  const others = [store.view([keyOf('another', 'read')], () => null), store.transact([other], addOne(other))];
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(lookPastTheBlock()).toEqual({ count: 1 });
  const counting = store.transact([counted], addOne(counted));
  for (let turns = 0; turns < 5; turns += 1) await turn();
  release();
  await Promise.all([...others, counting]);
  expect(store.viewNow([counted], look, { isWarm: true })).toEqual({ count: 2 });
  // The reading that was sent before the commit, to see the block again, says less of what is counted than is known.
  expect(lookPastTheBlock()).toEqual({ count: 2 });
});
