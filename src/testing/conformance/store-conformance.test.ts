import { describe, expect, test } from 'vitest';
import type { Key, Records, Retention } from '../../core/records.ts';
import { createMemoryStore, type MemoryStore } from '../../stores/memory/index.ts';
import type { Store } from '../../stores/store.ts';
import { storeConformance } from './store-conformance.ts';

type Wrap = (store: MemoryStore) => Partial<Store>;

/** Runs the suite without any test framework and gives the names of the tests that failed. */
async function failuresOf(wrap: Wrap): Promise<string[]> {
  let time = 1_000;
  const cases: { name: string; body: () => Promise<void> }[] = [];
  const before: (() => Promise<void>)[] = [];
  const after: (() => Promise<void>)[] = [];
  storeConformance(
    {
      describe: (_, body) => body(),
      test: (name, body) => cases.push({ name, body }),
      beforeAll: (run) => before.push(run),
      afterAll: (run) => after.push(run),
    },
    'a store',
    async () => {
      const inner = createMemoryStore({ clock: () => time });
      const store: Store = {
        view: (keys, look) => inner.view(keys, look),
        transact: (keys, step) => inner.transact(keys, step),
        ping: () => inner.ping(),
        held: (prefix, signal) => inner.held(prefix, signal),
        close: () => inner.close(),
        ...wrap(inner),
      };
      return {
        store,
        close: () => inner.close(),
        elapse: async (ms) => {
          time += ms;
        },
      };
    },
    { parallel: 10, runs: 5 },
  );
  for (const run of before) await run();
  const failed: string[] = [];
  for (const { name, body } of cases) {
    await body().catch(() => failed.push(name));
  }
  for (const run of after) await run();
  expect(cases.length).toBeGreaterThan(20);
  return failed;
}

/** A store whose puts are changed on their way. */
const puts =
  (change: (retention: Retention) => Retention): Wrap =>
  (inner) => ({
    transact: (keys, step) =>
      inner.transact(keys, (records, now) =>
        step(
          {
            get: (key) => records.get(key),
            put: (key, value, retention) => records.put(key, value, change(retention)),
          },
          now,
        ),
      ),
  });

describe('the conformance suite', () => {
  test('passes a store that keeps the contract, with no framework at all', async () => {
    expect(await failuresOf(() => ({}))).toEqual([]);
  });

  test.each<[string, Wrap, string]>([
    [
      'keeps records for ever',
      puts((retention) => ({ ...retention, keepMs: 1e12 })),
      'ends a record, for looks and for steps, in time of the store',
    ],
    [
      'forgets that a block runs',
      puts((retention) => ({ ...retention, hardMs: 0 })),
      'lists exactly the records whose last write left a block running',
    ],
    [
      'swallows what a step throws',
      (inner) => ({ transact: (keys, step) => inner.transact(keys, step).catch(() => undefined as never) }),
      'fail with what they throw, unchanged, and write nothing',
    ],
    [
      'takes a step over several groups',
      ({ immediate }) => ({ transact: async (keys, step) => immediate.transact(keys, step) }),
      'of several groups fail, and write nothing',
    ],
    [
      'lets a look put',
      (inner) => ({ view: (keys, look) => inner.transact(keys, look) }),
      'that only look may not put',
    ],
    [
      'knows nothing of the key before',
      (inner) => {
        const now = (keys: readonly Key[]) => keys.map((key) => ({ ...key, was: null }));
        const bare = (records: Records): Records => ({
          get: (key) => records.get({ ...key, was: null }),
          put: (key, value, retention) => records.put(key, value, retention),
        });
        return {
          view: (keys, look) => inner.view(now(keys), (records, at) => look(bare(records), at)),
          transact: (keys, step) => inner.transact(now(keys), (records, at) => step(bare(records), at)),
        };
      },
      'reads the old record until the new one is written, then never again',
    ],
    [
      'loses updates that come at once',
      (inner) => ({
        transact: async (keys, step) => {
          const puts: ((records: Records) => void)[] = [];
          const result = await inner.view(keys, (records, now) =>
            step(
              {
                get: (key) => records.get(key),
                put: (key, value, retention) => puts.push((later) => later.put(key, value, retention)),
              },
              now,
            ),
          );
          await inner.transact(keys, (records) => {
            for (const put of puts) put(records);
          });
          return result;
        },
      }),
      'many steps on one key are all counted, each on the outcome of another',
    ],
    [
      'answers when it is closed',
      () => ({ ping: async () => {} }),
      'ends with close: every later call fails with STORE_CLOSED',
    ],
  ])('fails a store that %s', async (_, wrap, noticed) => {
    expect(await failuresOf(wrap)).toContain(noticed);
  });
});
