import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Key, Records, Retention, StoredRecord } from '../../src/core/records.ts';
import type { HeldRecord, Store } from '../../src/stores/store.ts';
import { anyRecord } from './any-record.ts';

/** A store under test and what belongs to it. */
export interface StoreUnderTest {
  readonly store: Store;
  /** A second handle on the same records, as another process would have one. */
  openAnother?(): Promise<Store>;
  /** Ends everything that was opened, also a store that is closed already. */
  close(): Promise<void>;
  /** Lets the store's time pass; a store with a clock of its own is waited for. */
  elapse?(ms: number): Promise<void>;
}

export interface ConformanceOptions {
  /** How many steps run at once on one key. Default 50. */
  readonly parallel?: number;
  /** How many random cases a property tries. Default 25. */
  readonly runs?: number;
}

interface Count extends StoredRecord {
  readonly count: number;
}

const kept: Retention = { keepMs: 3_600_000, softMs: 0, hardMs: 0 };
/** Long enough to look at a record before it ends, short enough to wait for on a real clock. */
const briefMs = 1_500;
const brief: Retention = { ...kept, keepMs: briefMs };

/** Registers the tests that every store passes. Each test works under key texts of its own, so data may stay behind. */
export function storeConformance(
  name: string,
  open: () => Promise<StoreUnderTest>,
  { parallel = 50, runs = 25 }: ConformanceOptions = {},
): void {
  describe(`${name} conforms to the store contract`, () => {
    let subject: StoreUnderTest;
    let store: Store;
    let handles: readonly Store[];

    beforeAll(async () => {
      subject = await open();
      store = subject.store;
      const another = await subject.openAnother?.();
      handles = another === undefined ? [store] : [store, another];
    });
    afterAll(async () => {
      if (handles.length > 1) await handles[1]?.close();
      await subject.close();
    });

    const elapse = (ms: number): Promise<void> => (subject.elapse ?? wait)(ms);

    describe('records', () => {
      test('are absent until they are put', async () => {
        const { key } = group();
        expect(await store.view([key], (records) => records.get(key))).toBeUndefined();
        expect(await store.transact([key], (records) => records.get(key))).toBeUndefined();
      });

      test('are seen by every handle once their step has resolved', async () => {
        const { key } = group();
        await store.transact([key], (records, now) => records.put(key, countOf(7, now), kept));
        for (const handle of handles) {
          expect((await handle.view([key], (records) => records.get(key)))?.count).toBe(7);
          expect((await handle.transact([key], (records) => records.get(key)))?.count).toBe(7);
        }
      });

      test('are replaced whole by the next put', async () => {
        const { key } = group();
        const wide = { at: 1, count: 1, more: { nested: [1, 2, 3] } };
        await store.transact([key], (records) => records.put(key, wide, kept));
        await store.transact([key], (records) => records.put(key, { at: 2, count: 2 }, kept));
        expect(await store.view([key], (records) => records.get(key))).toEqual({ at: 2, count: 2 });
      });

      test('stay as they are when a step puts nothing', async () => {
        const { key } = group();
        await store.transact([key], (records) => records.put(key, { at: 1, count: 1 }, kept));
        await store.transact([key], (records) => records.get(key));
        expect(await store.view([key], (records) => records.get(key))).toEqual({ at: 1, count: 1 });
      });

      test('survive a round trip whatever plain data they hold', async () => {
        await fc.assert(
          fc.asyncProperty(anyRecord(), async (record) => {
            const key: Key = group().key;
            await store.transact([key], (records) => records.put(key, record, kept));
            for (const handle of handles) {
              expect(await handle.view([key], (records) => records.get(key))).toEqual(record);
            }
          }),
          { numRuns: runs },
        );
      });

      test('may be large', async () => {
        const key: Key = group().key;
        const record = { at: 1, list: Array.from({ length: 5_000 }, (_, index) => [`hash-${index}`, index]) };
        await store.transact([key], (records) => records.put(key, record, kept));
        expect(await store.view([key], (records) => records.get(key))).toEqual(record);
      });
    });

    describe('looks and steps', () => {
      test('read what the same step has put, the last put of a key counts', async () => {
        const { key, sibling } = group();
        const seen = await store.transact([key, sibling], (records, now) => {
          records.put(key, countOf(1, now), kept);
          const first = records.get(key)?.count;
          records.put(key, countOf(2, now), kept);
          return [first, records.get(key)?.count, records.get(sibling)];
        });
        expect(seen).toEqual([1, 2, undefined]);
        expect((await store.view([key], (records) => records.get(key)))?.count).toBe(2);
      });

      test('are answered with what they return', async () => {
        const { key } = group();
        const value = { anything: [undefined, null, 'x'] };
        expect(await store.view([key], () => value)).toBe(value);
        expect(await store.transact([key], () => value)).toBe(value);
        expect(await store.transact([key], (): void => {})).toBeUndefined();
      });

      test('may have no keys and may name one twice', async () => {
        const { key } = group();
        expect(await store.view([], () => 'looked')).toBe('looked');
        expect(await store.transact([], () => 'stepped')).toBe('stepped');
        await store.transact([key, key], (records, now) => records.put(key, countOf(1, now), kept));
        expect((await store.view([key, key], (records) => records.get(key)))?.count).toBe(1);
      });

      test('know a key by its text', async () => {
        const { key } = group();
        await store.transact([key], (records, now) => records.put({ ...key }, countOf(3, now), kept));
        expect((await store.view([key], (records) => records.get({ ...key })))?.count).toBe(3);
      });

      test('are handed the time of the store in whole milliseconds, which goes on', async () => {
        const { key } = group();
        const before = await store.view([key], (_, now) => now);
        await elapse(20);
        const after = await store.transact([key], (_, now) => now);
        expect(Number.isSafeInteger(before)).toBe(true);
        expect(Number.isSafeInteger(after)).toBe(true);
        expect(after).toBeGreaterThan(before);
      });

      test('fail with what they throw, unchanged, and write nothing', async () => {
        const { key, sibling } = group();
        await store.transact([key], (records) => records.put(key, { at: 1, count: 1 }, kept));
        const thrown = new RangeError('the step itself');
        const step = (records: Records, now: number): never => {
          records.put(key, countOf(2, now), kept);
          records.put(sibling, countOf(2, now), kept);
          throw thrown;
        };
        expect(await rejection(store.transact([key, sibling], step))).toBe(thrown);
        const look = (): never => {
          throw thrown;
        };
        expect(await rejection(store.view([key], look))).toBe(thrown);
        const left = await store.view([key, sibling], (records) => [records.get(key), records.get(sibling)]);
        expect(left).toEqual([{ at: 1, count: 1 }, undefined]);
      });

      test('may use no key that the call does not name', async () => {
        const { key, sibling } = group();
        const uses = [
          store.view([key], (records) => records.get(sibling)),
          store.transact([key], (records) => records.get(sibling)),
          store.transact([key], (records, now) => records.put(sibling, countOf(1, now), kept)),
        ];
        const faults = await Promise.all(uses.map(rejection));
        for (const fault of faults) expect(fault).toMatchObject({ code: 'INVARIANT_BROKEN' });
        expect(await store.view([sibling], (records) => records.get(sibling))).toBeUndefined();
      });

      test('that only look may not put', async () => {
        const { key } = group();
        const look = store.view([key], (records, now) => records.put(key, countOf(1, now), kept));
        expect(await rejection(look)).toMatchObject({ code: 'INVARIANT_BROKEN' });
        expect(await store.view([key], (records) => records.get(key))).toBeUndefined();
      });
    });

    describe('key rotation', () => {
      test('reads the old record until the new one is written, then never again', async () => {
        const { key: old } = group();
        const key: Key<Count> = { text: group().key.text, was: old.text };
        await store.transact([old], (records, now) => records.put(old, countOf(5, now), kept));
        expect((await store.view([key], (records) => records.get(key)))?.count).toBe(5);

        expect(await store.transact([key], addOne(key))).toBe(6);
        expect((await store.view([key], (records) => records.get(key)))?.count).toBe(6);

        await store.transact([old], (records, now) => records.put(old, countOf(99, now), kept));
        expect((await store.view([key], (records) => records.get(key)))?.count).toBe(6);
        expect(await store.transact([key], addOne(key))).toBe(7);
      });

      test('finds nothing where there is neither a new nor an old record', async () => {
        const key: Key<Count> = { text: group().key.text, was: group().key.text };
        expect(await store.view([key], (records) => records.get(key))).toBeUndefined();
        expect(await store.transact([key], addOne(key))).toBe(1);
      });

      test('loses no update when many steps move a record at once', async () => {
        const { key: old } = group();
        const key: Key<Count> = { text: group().key.text, was: old.text };
        await store.transact([old], (records, now) => records.put(old, countOf(1_000, now), kept));
        await Promise.all(times(parallel, (index) => handleFor(index).transact([key], addOne(key))));
        expect((await store.view([key], (records) => records.get(key)))?.count).toBe(1_000 + parallel);
      });
    });

    describe('retention', () => {
      test('ends a record, for looks and for steps, in time of the store', async () => {
        const { key, sibling } = group();
        await store.transact([key, sibling], (records, now) => {
          records.put(key, countOf(1, now), brief);
          records.put(sibling, countOf(1, now), kept);
        });
        await elapse(briefMs + 100);
        for (const handle of handles) {
          expect(await handle.view([key], (records) => records.get(key))).toBeUndefined();
          expect((await handle.view([sibling], (records) => records.get(sibling)))?.count).toBe(1);
        }
        expect(await store.transact([key], addOne(key))).toBe(1);
        expect((await store.view([key], (records) => records.get(key)))?.count).toBe(1);
      });

      test('counts from the last write, which may lengthen or shorten it', async () => {
        const { key: lengthened, sibling: shortened } = group();
        const keys = [lengthened, shortened];
        await store.transact(keys, (records, now) => {
          records.put(lengthened, countOf(1, now), brief);
          records.put(shortened, countOf(1, now), kept);
        });
        await store.transact(keys, (records, now) => {
          records.put(lengthened, countOf(2, now), kept);
          records.put(shortened, countOf(2, now), brief);
        });
        await elapse(briefMs + 100);
        const left = await store.view(keys, (records) => keys.map((key) => records.get(key)?.count));
        expect(left).toEqual([2, undefined]);
      });
    });

    describe('held', () => {
      test('lists exactly the records whose last write left a block running', async () => {
        const { key, text } = group();
        const soft = { ...kept, softMs: 60_000 };
        const hard = { ...kept, hardMs: 60_000 };
        const written: Record<string, readonly Retention[]> = {
          soft: [soft],
          hard: [hard],
          both: [{ ...soft, hardMs: 60_000 }],
          lifted: [hard, kept],
          blockedLater: [kept, hard],
          hardToSoft: [hard, soft],
          free: [kept],
        };
        for (const [rest, retentions] of Object.entries(written)) {
          const one: Key<Count> = { text: `${key.text}:${rest}`, was: null };
          for (const retention of retentions) {
            await store.transact([one], (records) =>
              records.put(one, { at: 1, count: rest.length }, retention),
            );
          }
        }
        for (const handle of handles) {
          const held = await collect(handle.held(text));
          const expected = ['soft', 'hard', 'both', 'blockedLater', 'hardToSoft'];
          expect(held.map((record) => record.key).sort()).toEqual(
            expected.map((rest) => `${key.text}:${rest}`).sort(),
          );
          expect(held.find((record) => record.key.endsWith(':both'))?.value).toEqual({ at: 1, count: 4 });
        }
      });

      test('leaves out a record once its block or the record itself has ended', async () => {
        const { key, sibling, text } = group();
        const third: Key<Count> = { text: `${key.text}:third`, was: null };
        await store.transact([key, sibling, third], (records, now) => {
          records.put(key, countOf(1, now), { ...kept, softMs: briefMs });
          records.put(sibling, countOf(1, now), { keepMs: briefMs, softMs: 0, hardMs: 60_000 });
          records.put(third, countOf(1, now), { ...kept, softMs: briefMs, hardMs: 60_000 });
        });
        expect(await collect(store.held(text))).toHaveLength(3);
        await elapse(briefMs + 100);
        expect((await collect(store.held(text))).map((record) => record.key)).toEqual([third.text]);
      });

      test('takes the prefix literally', async () => {
        const { text } = group();
        const rests = ['a_c', 'abc', 'a*c', 'a%c', 'a?c', 'a[bc]c', 'a\\c', "a'c"];
        for (const rest of rests) {
          const key: Key<Count> = { text: `${text}${rest}:{tag}`, was: null };
          await store.transact([key], (records, now) =>
            records.put(key, countOf(1, now), { ...kept, hardMs: 60_000 }),
          );
        }
        for (const rest of rests) {
          const held = await collect(store.held(`${text}${rest}`));
          expect(held.map((record) => record.key)).toEqual([`${text}${rest}:{tag}`]);
        }
        expect(await collect(store.held(text))).toHaveLength(rests.length);
      });

      test('lists many', async () => {
        const { text } = group();
        const keys = times(300, (index): Key<Count> => ({ text: `${text}K1:{${index}}`, was: null }));
        await Promise.all(
          keys.map((key) =>
            store.transact([key], (records, now) =>
              records.put(key, countOf(1, now), { ...kept, hardMs: 60_000 }),
            ),
          ),
        );
        const held = await collect(store.held(text));
        expect(held.map((record) => record.key).sort()).toEqual(keys.map((key) => key.text).sort());
      });
    });

    describe('at once', () => {
      test('many steps on one key are all counted, each on the outcome of another', async () => {
        const { key } = group();
        const counts = await Promise.all(
          times(parallel, (index) => handleFor(index).transact([key], addOne(key))),
        );
        expect(counts.sort((one, other) => one - other)).toEqual(times(parallel, (index) => index + 1));
        expect((await store.view([key], (records) => records.get(key)))?.count).toBe(parallel);
      });

      test('many steps on different keys do not disturb each other', async () => {
        const keys = times(parallel, () => group().key);
        const rounds = 3;
        const steps = times(rounds, () => keys).flat();
        await Promise.all(steps.map((key, index) => handleFor(index).transact([key], addOne(key))));
        const counts = await store.view(keys, (records) => keys.map((key) => records.get(key)?.count));
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
                const moving = handleFor(index).transact(accounts, move);
                const looking = handleFor(index + 1).view(accounts, (records) => balances(records, accounts));
                if (fails) expect(await rejection(moving)).toBe(refused);
                else await moving;
                sums.push((await looking).reduce((sum, balance) => sum + balance, 0));
                if (fails) return;
                expected[from] = (expected[from] ?? 0) - amount;
                expected[to] = (expected[to] ?? 0) + amount;
              }),
            );
            expect(sums).toEqual(transfers.map(() => 0));
            expect(await store.view(accounts, (records) => balances(records, accounts))).toEqual(expected);
          }),
          { numRuns: runs },
        );
      });
    });

    describe('life', () => {
      test('is proved by a ping', async () => {
        for (const handle of handles) await expect(handle.ping()).resolves.toBeUndefined();
      });

      test('ends with close: every later call fails with STORE_CLOSED', async () => {
        const ending = await open();
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

    function handleFor(index: number): Store {
      return handles[index % handles.length] ?? store;
    }
  });
}

/** A record group of its own: two keys with one tag, and the text that the keys start with. */
function group(): { key: Key<Count>; sibling: Key<Count>; text: string } {
  const id = randomUUID();
  const text = `portcullis:conformance-${id}:login:1:`;
  return {
    text,
    key: { text: `${text}K1:{${id}}`, was: null },
    sibling: { text: `${text}K2:{${id}}:sibling`, was: null },
  };
}

function countOf(count: number, at: number): Count {
  return { at, count };
}

function addOne(key: Key<Count>): (records: Records, now: number) => number {
  return (records, now) => {
    const count = (records.get(key)?.count ?? 0) + 1;
    records.put(key, countOf(count, now), kept);
    return count;
  };
}

function add(records: Records, key: Key<Count> | undefined, amount: number, now: number): void {
  if (key !== undefined) records.put(key, countOf((records.get(key)?.count ?? 0) + amount, now), kept);
}

function balances(records: Records, accounts: readonly Key<Count>[]): number[] {
  return accounts.map((account) => records.get(account)?.count ?? 0);
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

async function collect(held: AsyncIterable<HeldRecord>): Promise<HeldRecord[]> {
  const records: HeldRecord[] = [];
  for await (const record of held) records.push(record);
  return records;
}

/** What the promise rejects with; a promise that resolves fails the test. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ resolved: value }),
    (error: unknown) => ({ rejected: error }),
  );
  expect(outcome).toHaveProperty('rejected');
  return 'rejected' in outcome ? outcome.rejected : undefined;
}
