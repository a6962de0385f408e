import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Key, Records } from '../../src/core/records.ts';
import {
  addOne,
  type Count,
  collect,
  countOf,
  group,
  kept,
  rejection,
  times,
  type UnderTest,
} from './under-test.ts';

/** Steps at once come out as steps one after the other. */
export function testConcurrency(under: UnderTest): void {
  describe('at once', () => {
    test('many steps on one key are all counted, each on the outcome of another', async () => {
      const { key } = group();
      const counts = await Promise.all(
        times(under.parallel, (index) => under.handleFor(index).transact([key], addOne(key))),
      );
      expect(counts.sort((one, other) => one - other)).toEqual(times(under.parallel, (index) => index + 1));
      expect((await under.store.view([key], (records) => records.get(key)))?.count).toBe(under.parallel);
    });

    test('many steps on different keys do not disturb each other', async () => {
      const keys = times(under.parallel, () => group().key);
      const rounds = 3;
      const steps = times(rounds, () => keys).flat();
      await Promise.all(steps.map((key, index) => under.handleFor(index).transact([key], addOne(key))));
      const counts = await under.store.view(keys, (records) => keys.map((key) => records.get(key)?.count));
      expect(counts).toEqual(keys.map(() => rounds));
    });

    test('steps over several records happen whole or not at all, and no look sees half of one', async () => {
      const transfer = fc.record({
        from: fc.nat(3),
        to: fc.nat(3),
        amount: fc.integer({ min: 1, max: 100 }),
        fails: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(transfer, { minLength: 5, maxLength: 25 }), async (transfers) => {
          const { key } = group();
          const accounts = times(4, (index): Key<Count> => ({ text: `${key.text}:${index}`, was: null }));
          const expected = accounts.map(() => 0);
          const sums: number[] = [];
          const refused = new RangeError('refused');
          await Promise.all(
            transfers.map(async ({ from, to, amount, fails }, index) => {
              const move = (records: Records, now: number): void => {
                add(records, accounts[from], -amount, now);
                add(records, accounts[to], amount, now);
                if (fails) throw refused;
              };
              const moving = under.handleFor(index).transact(accounts, move);
              const looking = under
                .handleFor(index + 1)
                .view(accounts, (records) => balances(records, accounts));
              if (fails) expect(await rejection(moving)).toBe(refused);
              else await moving;
              sums.push((await looking).reduce((sum, balance) => sum + balance, 0));
              if (fails) return;
              expected[from] = (expected[from] ?? 0) - amount;
              expected[to] = (expected[to] ?? 0) + amount;
            }),
          );
          expect(sums).toEqual(transfers.map(() => 0));
          expect(await under.store.view(accounts, (records) => balances(records, accounts))).toEqual(
            expected,
          );
        }),
        { numRuns: under.runs },
      );
    });
  });
}

/** A store says whether it can serve, and stays closed. */
export function testLife(under: UnderTest): void {
  describe('life', () => {
    test('is proved by a ping', async () => {
      for (const handle of under.handles) await expect(handle.ping()).resolves.toBeUndefined();
    });

    test('ends with close: every later call fails with STORE_CLOSED', async () => {
      const ending = await under.open();
      const { key, text } = group();
      await ending.store.transact([key], addOne(key));
      await ending.store.close();
      const calls = [
        ending.store.view([key], (records) => records.get(key)),
        ending.store.transact([key], addOne(key)),
        ending.store.ping(),
        collect(ending.store.held(text)),
      ];
      const faults = await Promise.all(calls.map(rejection));
      for (const fault of faults) expect(fault).toMatchObject({ code: 'STORE_CLOSED' });
      await expect(ending.store.close()).resolves.toBeUndefined();
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
