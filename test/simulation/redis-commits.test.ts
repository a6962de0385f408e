import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/core/fault.ts';
import type { Key, Records } from '../../src/core/records.ts';
import { Deadlines } from '../../src/stores/deadlines.ts';
import { DrivenRedisStore } from '../../src/stores/redis/redis-store.ts';
import { type Count, countOf, kept, times } from '../conformance/under-test.ts';
import { FakeRedis, fakeDriver } from '../servers/fake-redis.ts';

/** Time stands still but where an operation lets it pass. The shorter, the sooner it is seen that it has come. */
const deadlineMs = 1;

const tags = ['x', 'y'] as const;

const textOf = (tag: string, rest: string): string => `portcullis:sim:login:1:K1:{${tag}}:${rest}`;
const keyOf = (tag: string, rest: string, isRotating: boolean): Key<Count> => ({
  text: textOf(tag, rest),
  was: isRotating ? textOf(`${tag} before`, rest) : null,
});

/** What stands in the records of before a rotation. */
const countBefore = 100;

/**
 * One operation of one process: a step that adds to both records of a group, alone or with further keys, or one for each
 * group together; a look, or one at once; a step that throws, perhaps in the middle of a change; or nothing arrives until
 * all deadlines have passed.
 */
const operation = fc.record({
  process: fc.nat(2),
  /** How often it lets others go first: those with none begin together. */
  waits: fc.constantFrom(0, 0, 2, 5, 10, 20, 40),
  tag: fc.constantFrom(...tags),
  kind: fc.constantFrom(
    ...(['add', 'add', 'add', 'change', 'change', 'change', 'wide', 'wide', 'both', 'both'] as const),
    ...(['look', 'glance', 'glance', 'throw', 'spoil', 'spoil', 'stall'] as const),
  ),
});

type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never;

/** What was told of the steps of a group. */
interface Tally {
  acknowledged: number;
  doubtful: number;
  /** The count that each acknowledged step started from. */
  readonly seen: number[];
  /** What looks at once have shown. */
  readonly glanced: number[];
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

/** Every process, and the network between them and the server. */
class World {
  readonly #stores: readonly DrivenRedisStore[];
  readonly #server = new FakeRedis();
  readonly #isCluster: boolean;
  readonly #isRotating: boolean;
  readonly #scheduler: fc.Scheduler;
  readonly #losesReply: () => boolean;
  readonly #tallies: Record<string, Tally> = Object.fromEntries(
    tags.map((tag) => [tag, { acknowledged: 0, doubtful: 0, seen: [], glanced: [] }]),
  );
  #isLossy = false;
  #nowMs = 0;
  #stalled: Promise<void> = Promise.resolve();

  constructor(isCluster: boolean, isRotating: boolean, scheduler: fc.Scheduler, losesReply: () => boolean) {
    this.#isCluster = isCluster;
    this.#isRotating = isRotating;
    this.#scheduler = scheduler;
    this.#losesReply = losesReply;
    this.#stores = [0, 1, 2].map(() => this.#open());
  }

  #open(): DrivenRedisStore {
    const network = {
      arrive: async (what: string) => {
        await this.#scheduler.schedule(Promise.resolve(), what);
        await this.#stalled;
      },
      losesReply: () => this.#isLossy && this.#losesReply(),
    };
    return new DrivenRedisStore(
      fakeDriver(this.#server, network, this.#isCluster),
      deadlineMs,
      () => this.#nowMs,
    );
  }

  #keysOf(tag: string): Key<Count>[] {
    return ['a', 'b'].map((rest) => keyOf(tag, rest, this.#isRotating));
  }

  async begin(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.ready()));
    const before = tags.flatMap((tag) => ['a', 'b'].map((rest) => keyOf(`${tag} before`, rest, false)));
    const [store] = this.#stores;
    if (this.#isRotating)
      for (const key of before)
        await store?.transact([key], (records, now) => records.put(key, countOf(countBefore, now), kept));
    this.#isLossy = true;
  }

  async run({ process, waits, tag, kind }: Operation): Promise<void> {
    for (let left = waits; left > 0; left -= 1)
      await this.#scheduler.schedule(Promise.resolve(), `${kind} waits`);
    const store = this.#stores[process] as DrivenRedisStore;
    if (kind === 'stall') await this.#stall();
    else if (kind === 'glance') this.#glance(store, tag);
    else if (kind === 'look') await this.#look(store, tag).catch(passOver);
    else await this.#write(store, kind, kind === 'both' ? tags : [tag]);
  }

  /** Until a deadline that began last is seen to have passed. */
  async #stall(): Promise<void> {
    const deadlines = new Deadlines('the network', deadlineMs, () => this.#nowMs);
    this.#stalled = new Promise((resolve) => deadlines.start({ expire: resolve }));
    this.#nowMs += deadlineMs;
    await this.#stalled;
  }

  #glance(store: DrivenRedisStore, tag: string): void {
    const seen = store.viewNow(this.#keysOf(tag), this.#counts(tag), { isWarm: true });
    if (seen === undefined) return;
    expect(seen[0]).toBe(seen[1]);
    this.#tallies[tag]?.glanced.push(seen[0] ?? -1);
  }

  async #look(store: DrivenRedisStore, tag: string): Promise<number> {
    const counts = await store.view(this.#keysOf(tag), this.#counts(tag));
    expect(counts[0]).toBe(counts[1]);
    return counts[0] ?? -1;
  }

  #counts(tag: string) {
    return (records: Records): number[] => this.#keysOf(tag).map((key) => records.get(key)?.count ?? 0);
  }

  async #write(store: DrivenRedisStore, kind: Operation['kind'], among: readonly string[]): Promise<void> {
    const steps = among.map((tag) => {
      const keys = this.#keysOf(tag);
      return { keys: kind === 'wide' ? [...this.#furtherKeys(tag), ...keys] : keys, run: stepOf(kind, keys) };
    });
    const [first] = steps;
    try {
      const befores =
        first !== undefined && steps.length === 1
          ? [await store.transact(first.keys, first.run)]
          : await store.transactEach(steps);
      for (const [place, tag] of among.entries()) {
        (this.#tallies[tag] as Tally).acknowledged += 1;
        this.#tallies[tag]?.seen.push(befores[place] ?? -1);
        this.#glance(store, tag);
      }
    } catch (error) {
      const isThrown = kind === 'throw' || kind === 'spoil';
      if (error instanceof RangeError && isThrown) return;
      passOver(error);
      if (!isThrown) for (const tag of among) (this.#tallies[tag] as Tally).doubtful += 1;
    }
  }

  /** So many that their places are not searched for. */
  #furtherKeys(tag: string): Key<Count>[] {
    return times(9, (index) => keyOf(tag, `further ${index}`, this.#isRotating));
  }

  /** Closes all stores, which waits for what is under way, and compares what is there with what was told. */
  async end(): Promise<void> {
    this.#isLossy = false;
    await Promise.all(this.#stores.map((store) => store.close()));
    const witness = this.#open();
    await witness.ready();
    const base = this.#isRotating ? countBefore : 0;
    for (const tag of tags) {
      const count = await this.#look(witness, tag);
      const { acknowledged, doubtful, seen, glanced } = this.#tallies[tag] as Tally;
      const written = count - base;
      expect(written).toBeGreaterThanOrEqual(acknowledged);
      expect(written).toBeLessThanOrEqual(acknowledged + doubtful);
      // No two steps started from the same state: each saw the outcome of another.
      expect(new Set(seen).size).toBe(seen.length);
      for (const glance of glanced) {
        expect(glance).toBeGreaterThanOrEqual(base);
        expect(glance).toBeLessThanOrEqual(count);
      }
    }
    await witness.close();
  }
}

/** What a network brings about is no bug. */
function passOver(error: unknown): void {
  if (!(error instanceof Fault && error.code.startsWith('STORE_'))) throw error;
}

describe('commits of several processes over a network that reorders, loses and stalls', () => {
  test.each([
    ['one server', false],
    ['a cluster', true],
  ])('count every step once, whole, in one order; %s', async (_, isCluster) => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.boolean(),
        fc.array(operation, { minLength: 1, maxLength: 25, size: 'max' }),
        fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
        async (scheduler, isRotating, operations, dice) => {
          const world = new World(isCluster, isRotating, scheduler, () => dice.next().value === 0);
          await scheduler.waitFor(world.begin());
          await scheduler.waitFor(Promise.all(operations.map((one) => world.run(one))));
          await scheduler.waitFor(world.end());
        },
      ),
      { numRuns: 150 },
    );
  });
});
