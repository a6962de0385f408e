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

/** One operation of one process: a step that adds to both records of a group, or a look, or a step that throws. */
const operation = fc.record({
  process: fc.nat(2),
  tag: fc.constantFrom('x', 'y'),
  kind: fc.constantFrom('add', 'add', 'add', 'look', 'throw'),
});

interface Tally {
  acknowledged: number;
  doubtful: number;
}

function addToAll(keys: readonly Key<Count>[], records: Records, now: number): number {
  const before = keys.map((key) => records.get(key)?.count ?? 0);
  for (const [index, key] of keys.entries()) records.put(key, countOf((before[index] ?? 0) + 1, now), kept);
  return before[0] ?? 0;
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
          const run = async ({
            process,
            tag,
            kind,
          }: {
            process: number;
            tag: string;
            kind: string;
          }): Promise<void> => {
            const store = stores[process] as DrivenRedisStore;
            const keys = keysOf(tag);
            const tally = tallies[tag] as Tally;
            try {
              if (kind === 'look') {
                const counts = await store.view(keys, (records) =>
                  keys.map((key) => records.get(key)?.count ?? 0),
                );
                expect(counts[0]).toBe(counts[1]);
                return;
              }
              const before = await store.transact(keys, (records, now) => {
                const count = addToAll(keys, records, now);
                if (kind === 'throw') throw new RangeError('the step itself');
                return count;
              });
              tally.acknowledged += 1;
              seen[tag]?.push(before);
            } catch (error) {
              if (error instanceof RangeError && kind === 'throw') return;
              if (!(error instanceof Fault)) throw error;
              if (kind === 'add') tally.doubtful += 1;
            }
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
