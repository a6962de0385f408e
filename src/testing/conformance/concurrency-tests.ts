import assert from 'node:assert/strict';
import type { Key, Records } from '../../core/records.ts';
import { transactEach } from '../../stores/transact-each.ts';
import { Random } from '../random.ts';
import {
  addOne,
  assertFault,
  type Count,
  collect,
  countOf,
  group,
  kept,
  rejection,
  times,
  type UnderTest,
} from './under-test.ts';

interface Transfer {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
  readonly fails: boolean;
}

const ACCOUNTS = 4;

/** Steps at once come out as steps one after the other. */
export function testConcurrency(under: UnderTest): void {
  const { describe, test } = under;
  describe('at once', () => {
    test('many steps on one key are all counted, each on the outcome of another', async () => {
      const { key } = group();
      const counts = await Promise.all(
        times(under.parallel, (index) => under.handleFor(index).transact([key], addOne(key))),
      );
      assert.deepEqual(
        counts.sort((one, other) => one - other),
        times(under.parallel, (index) => index + 1),
      );
      const record = await under.store.view([key], (records) => records.get(key));
      assert.equal(record?.count, under.parallel);
    });

    test('many steps on different keys do not disturb each other', async () => {
      const keys = times(under.parallel, () => group().key);
      const rounds = 3;
      const steps = times(rounds, () => keys).flat();
      await Promise.all(steps.map((key, index) => under.handleFor(index).transact([key], addOne(key))));
      const counts = await under.store.view(keys, (records) => keys.map((key) => records.get(key)?.count));
      assert.deepEqual(
        counts,
        keys.map(() => rounds),
      );
    });

    test('steps over several records happen whole or not at all, and no look sees half of one', async () => {
      for (let run = 0; run < under.runs; run += 1) {
        const random = new Random(`transfers ${run}`);
        await transferAll(
          under,
          times(random.between(5, 25), () => ({
            from: random.between(0, ACCOUNTS - 1),
            to: random.between(0, ACCOUNTS - 1),
            amount: random.between(1, 100),
            fails: random.chance(0.5),
          })),
        );
      }
    });
  });
}

/** Steps of different groups that one operation takes at once. */
export function testTogether(under: UnderTest): void {
  const { describe, test } = under;
  describe('steps of different groups together', () => {
    test('give what each returned, in their order, once all are written', async () => {
      const keys = times(3, () => group().key);
      await under.store.transact([keyAt(keys, 1)], addOne(keyAt(keys, 1)));
      const steps = keys.map((key) => ({ keys: [key], run: addOne(key) }));
      assert.deepEqual(await transactEach(under.store, steps), [1, 2, 1]);
      const counts = await under.store.view(keys, (records) => keys.map((key) => records.get(key)?.count));
      assert.deepEqual(counts, [1, 2, 1]);
    });

    test('come to nothing at once where there are none', async () => {
      assert.deepEqual(await transactEach(under.store, []), []);
    });

    test('are all counted, however many such calls there are at once', async () => {
      const keys = times(2, () => group().key);
      const steps = keys.map((key) => ({ keys: [key], run: addOne(key) }));
      await Promise.all(times(under.parallel, (index) => transactEach(under.handleFor(index), steps)));
      const counts = await under.store.view(keys, (records) => keys.map((key) => records.get(key)?.count));
      assert.deepEqual(counts, [under.parallel, under.parallel]);
    });

    test('reject with what one of them throws, and that one leaves nothing behind', async () => {
      const [sound, broken] = [group().key, group().key];
      const refused = new RangeError('refused');
      const run = (records: Records, now: number): number => {
        records.put(broken, countOf(1, now), kept);
        throw refused;
      };
      const together = transactEach(under.store, [
        { keys: [broken], run },
        { keys: [sound], run: addOne(sound) },
      ]);
      assert.equal(await rejection(together), refused);
      assert.equal(await under.store.view([broken], (records) => records.get(broken)), undefined);
    });
  });

  describe('what is pending', () => {
    test('is told of the groups whose steps have not ended, and a view after them shows what they did', async () => {
      const [own, other] = [group().key, group().key];
      const isTold = under.store.hasPending !== undefined;
      const isPending = (key: Key<Count>): boolean | undefined => under.store.hasPending?.([key]);
      assert.equal(isPending(own), isTold ? false : undefined);
      const steps = Array.from({ length: 8 }, () => under.store.transact([own], addOne(own)));
      const wasPending = isPending(own);
      assert.equal(isPending(other), isTold ? false : undefined);
      const seen = await under.store.view([own], (records) => records.get(own)?.count ?? 0);
      assert.ok(seen === steps.length || wasPending !== false);
      await Promise.all(steps);
      assert.equal(await under.store.view([own], (records) => records.get(own)?.count), steps.length);
      assert.equal(isPending(own), isTold ? false : undefined);
    });
  });

  describe('a view at once', () => {
    test('shows what a view shows, where the store can', async () => {
      const { key } = group();
      await under.store.transact([key], addOne(key));
      const look = (records: Records): { count: number | undefined } => ({ count: records.get(key)?.count });
      const seen = await under.store.view([key], look);
      assert.deepEqual(seen, { count: 1 });
      assert.deepEqual(under.store.viewNow?.([key], look) ?? seen, seen);
      assert.deepEqual(under.store.viewNow?.([key], look, { isWarm: true }) ?? seen, seen);
    });
  });
}

const keyAt = (keys: readonly Key<Count>[], place: number): Key<Count> => keys[place] as Key<Count>;

/** Moves amounts between records of one group, all at once, some of them in vain. */
async function transferAll(under: UnderTest, transfers: readonly Transfer[]): Promise<void> {
  const { key } = group();
  const accounts = times(ACCOUNTS, (index): Key<Count> => ({ text: `${key.text}:${index}`, was: null }));
  const expected = accounts.map(() => 0);
  const refused = new RangeError('refused');
  const sums = await Promise.all(
    transfers.map(async ({ from, to, amount, fails }, index) => {
      const move = (records: Records, now: number): void => {
        add(records, accounts[from], -amount, now);
        add(records, accounts[to], amount, now);
        if (fails) throw refused;
      };
      const moving = under.handleFor(index).transact(accounts, move);
      const looking = under.handleFor(index + 1).view(accounts, (records) => balances(records, accounts));
      if (fails) {
        assert.equal(await rejection(moving), refused);
      } else {
        await moving;
        expected[from] = (expected[from] ?? 0) - amount;
        expected[to] = (expected[to] ?? 0) + amount;
      }
      return (await looking).reduce((sum, balance) => sum + balance, 0);
    }),
  );
  assert.deepEqual(
    sums,
    transfers.map(() => 0),
  );
  const left = await under.store.view(accounts, (records) => balances(records, accounts));
  assert.deepEqual(left, expected);
}

/** A store says whether it can serve, and stays closed. */
export function testLife(under: UnderTest): void {
  const { describe, test } = under;
  describe('life', () => {
    test('is proved by a ping', async () => {
      for (const handle of under.handles) assert.equal(await handle.ping(), undefined);
    });

    test('ends with close: every later call fails with STORE_CLOSED', async () => {
      const ending = await under.open();
      const { key, text } = group();
      await ending.store.transact([key], addOne(key));
      await ending.store.close();
      await assertFault(
        ending.store.view([key], (records) => records.get(key)),
        'STORE_CLOSED',
      );
      await assertFault(ending.store.transact([key], addOne(key)), 'STORE_CLOSED');
      const step = { keys: [key], run: addOne(key) };
      await assertFault(transactEach(ending.store, [step, step]), 'STORE_CLOSED');
      await assertFault(ending.store.ping(), 'STORE_CLOSED');
      await assertFault(collect(ending.store.held(text)), 'STORE_CLOSED');
      await ending.store.close();
      await ending.close();
    });
  });
}

function add(records: Records, key: Key<Count> | undefined, amount: number, now: number): void {
  if (key !== undefined) records.put(key, countOf((records.get(key)?.count ?? 0) + amount, now), kept);
}

function balances(records: Records, accounts: readonly Key<Count>[]): number[] {
  return accounts.map((account) => records.get(account)?.count ?? 0);
}
