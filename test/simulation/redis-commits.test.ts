import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/core/fault.ts';
import type { Key, Records } from '../../src/core/records.ts';
import { DrivenRedisStore } from '../../src/stores/redis/redis-store.ts';
import { type Count, countOf, kept } from '../conformance/under-test.ts';
import { FakeRedis, fakeDriver } from '../servers/fake-redis.ts';

/** Never reached: time stands still. */
const deadlineMs = 60_000;

const keysOf = (tag: string): Key<Count>[] =>
  ['a', 'b'].map((rest) => ({ text: `portcullis:sim:login:1:K1:{${tag}}:${rest}`, was: null }));

/**
 * One operation of one process: a step that adds to both records of a group, or one for each group together, or a look, or
 * a step that throws, perhaps in the middle of a change.
 */
const operation = fc.record({
  process: fc.nat(2),
  tag: fc.constantFrom('x', 'y'),
  kind: fc.constantFrom('add', 'add', 'change', 'change', 'both', 'look', 'throw', 'spoil'),
});

type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never;

interface Tally {
  acknowledged: number;
  doubtful: number;
}

function addToAll(keys: readonly Key<Count>[], records: Records, now: number): number {
  const before = keys.map((key) => records.get(key)?.count ?? 0);
  for (const [index, key] of keys.entries()) records.put(key, countOf((before[index] ?? 0) + 1, now), kept);
  return before[0] ?? 0;
}

/** The same, in place where the store allows it. */
function changeAll(keys: readonly Key<Count>[], records: Records, now: number): number {
  const before = keys.map((key) => records.get(key)?.count ?? 0);
  for (const key of keys) changeOne(key, records, now);
  return before[0] ?? 0;
}

function changeOne(key: Key<Count>, records: Records, now: number): void {
  const record = records.own?.(key) ?? { ...(records.get(key) ?? countOf(0, now)) };
  record.count += 1;
  records.put(key, record, kept);
}

function stepOf(kind: Operation['kind'], keys: readonly Key<Count>[]) {
  return (records: Records, now: number): number => {
    if (kind === 'spoil') {
      changeOne(keys[0] as Key<Count>, records, now);
      throw new RangeError('the step itself, in the middle');
    }
    const before = kind === 'change' ? changeAll(keys, records, now) : addToAll(keys, records, now);
    if (kind === 'throw') throw new RangeError('the step itself');
    return before;
  };
}

describe('commits of several processes over a network that reorders and loses', () => {
  test.each([
    ['one server', false],
    ['a cluster', true],
  ])('count every step once, whole, in one order; %s', async (_, isCluster) => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(operation, { minLength: 1, maxLength: 25 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
        async (scheduler, operations, dice) => {
          const server = new FakeRedis();
          let mayLose = false;
          const network = {
            arrive: (what: string) => scheduler.schedule(Promise.resolve(), what),
            losesReply: () => mayLose && dice.next().value === 0,
          };
          const stores = [0, 1, 2].map(
            () => new DrivenRedisStore(fakeDriver(server, network, isCluster), deadlineMs, () => 0),
          );
          await scheduler.waitFor(Promise.all(stores.map((store) => store.ready())));
          mayLose = true;

          const tallies: Record<string, Tally> = {
            x: { acknowledged: 0, doubtful: 0 },
            y: { acknowledged: 0, doubtful: 0 },
          };
          const seen: Record<string, number[]> = { x: [], y: [] };
          const look = async (store: DrivenRedisStore, keys: readonly Key<Count>[]): Promise<void> => {
            const counts = await store.view(keys, (records) =>
              keys.map((key) => records.get(key)?.count ?? 0),
            );
            expect(counts[0]).toBe(counts[1]);
          };
          const write = async (store: DrivenRedisStore, kind: Operation['kind'], tags: readonly string[]) => {
            const steps = tags.map((tag) => ({ keys: keysOf(tag), run: stepOf(kind, keysOf(tag)) }));
            const [first] = steps;
            try {
              const befores =
                first !== undefined && steps.length === 1
                  ? [await store.transact(first.keys, first.run)]
                  : await store.transactEach(steps);
              for (const [place, tag] of tags.entries()) {
                (tallies[tag] as Tally).acknowledged += 1;
                seen[tag]?.push(befores[place] ?? -1);
              }
            } catch (error) {
              const isThrown = kind === 'throw' || kind === 'spoil';
              if (error instanceof RangeError && isThrown) return;
              if (!(error instanceof Fault)) throw error;
              if (!isThrown) for (const tag of tags) (tallies[tag] as Tally).doubtful += 1;
            }
          };
          const run = async ({ process, tag, kind }: Operation): Promise<void> => {
            const store = stores[process] as DrivenRedisStore;
            if (kind !== 'look') return write(store, kind, kind === 'both' ? ['x', 'y'] : [tag]);
            await look(store, keysOf(tag)).catch((error: unknown) => {
              if (!(error instanceof Fault)) throw error;
            });
          };
          await scheduler.waitFor(Promise.all(operations.map(run)));

          mayLose = false;
          for (const tag of ['x', 'y']) {
            const keys = keysOf(tag);
            const witness = new DrivenRedisStore(
              fakeDriver(server, { arrive: async () => undefined, losesReply: () => false }, isCluster),
              deadlineMs,
              () => 0,
            );
            await witness.ready();
            const counts = await witness.view(keys, (records) =>
              keys.map((key) => records.get(key)?.count ?? 0),
            );
            const { acknowledged, doubtful } = tallies[tag] as Tally;
            expect(counts[0]).toBe(counts[1]);
            expect(counts[0]).toBeGreaterThanOrEqual(acknowledged);
            expect(counts[0]).toBeLessThanOrEqual(acknowledged + doubtful);
            // No two steps started from the same state: each saw the outcome of another.
            expect(new Set(seen[tag]).size).toBe(seen[tag]?.length);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
