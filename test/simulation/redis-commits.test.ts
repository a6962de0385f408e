import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClientRecord } from '../../src/core/client-state.ts';
import { Fault } from '../../src/core/fault.ts';
import type { Draft, Key, Records, StoredRecord } from '../../src/core/records.ts';
import { clientRecord, emptyClient } from '../../src/limits/client-record.ts';
import { Deadlines } from '../../src/stores/deadlines.ts';
import { DrivenRedisStore } from '../../src/stores/redis/redis-store.ts';
import { type Count, countOf, kept, times } from '../conformance/under-test.ts';
import { FakeRedis, fakeDriver } from '../servers/fake-redis.ts';

/** Time stands still but where an operation lets it pass. The shorter, the sooner it is seen that it has come. */
const deadlineMs = 1;

const tags = ['x', 'y'] as const;

/** What the counts are kept in: a record of no form, or one of a form that the store writes over again and again. */
interface Counter<R extends StoredRecord> {
  readonly form: string | undefined;
  make(count: number, now: number): R;
  copy(record: R): Draft<R>;
  countIn(record: R): number;
  add(record: Draft<R>): void;
}

const plain: Counter<Count> = {
  form: undefined,
  make: countOf,
  copy: (record) => ({ ...record }),
  countIn: ({ count }) => count,
  add: (record) => {
    record.count += 1;
  },
};

const client: Counter<ClientRecord> = {
  form: 'client',
  make: (count, now) => emptyClient(now, count),
  copy: (record) =>
    clientRecord(record.at, record.standing, record, record.limit, record) as Draft<ClientRecord>,
  countIn: ({ limit }) => limit,
  add: (record) => {
    record.limit += 1;
  },
};

const counters = { plain, client } as Readonly<Record<'plain' | 'client', Counter<StoredRecord>>>;

const textOf = (tag: string, rest: string): string => `portcullis:sim:login:1:K1:{${tag}}:${rest}`;
const keyOf = (tag: string, rest: string, isRotating: boolean, form?: string): Key => ({
  text: textOf(tag, rest),
  was: isRotating ? textOf(`${tag} before`, rest) : null,
  form,
});

/** What stands in the records of before a rotation. */
const countBefore = 100;

/**
 * One operation of one process: a step that adds to both records of a group, alone or with further keys, or one for each
 * group together; a look, or one at once; a step that throws, perhaps in the middle of a change, or puts nothing of what it
 * has changed; or nothing arrives until all deadlines have passed.
 */
const operation = fc.record({
  process: fc.nat(2),
  /** How often it lets others go first: those with none begin together. */
  waits: fc.constantFrom(0, 0, 2, 5, 10, 20, 40),
  tag: fc.constantFrom(...tags),
  kind: fc.constantFrom(
    ...(['add', 'add', 'add', 'change', 'change', 'change', 'wide', 'wide', 'both', 'both'] as const),
    ...(['look', 'glance', 'glance', 'throw', 'spoil', 'spoil', 'forget', 'stall'] as const),
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

/** The steps of all kinds, by what they count in. */
class Steps {
  readonly #counter: Counter<StoredRecord>;

  constructor(counter: Counter<StoredRecord>) {
    this.#counter = counter;
  }

  get form(): string | undefined {
    return this.#counter.form;
  }

  countOf(records: Records, key: Key): number {
    const record = records.get(key);
    return record === undefined ? 0 : this.#counter.countIn(record);
  }

  put(records: Records, key: Key, count: number, now: number): void {
    records.put(key, this.#counter.make(count, now), kept);
  }

  of(kind: Operation['kind'], keys: readonly Key[]) {
    return (records: Records, now: number): number => {
      if (kind === 'spoil') {
        this.#changeOne(keys[0] as Key, records, now);
        throw new RangeError('the step itself, in the middle');
      }
      if (kind === 'forget') return this.#forgetAll(keys, records);
      const before =
        kind === 'change' ? this.#changeAll(keys, records, now) : this.#addToAll(keys, records, now);
      if (kind === 'throw') throw new RangeError('the step itself');
      return before;
    };
  }

  #addToAll(keys: readonly Key[], records: Records, now: number): number {
    const before = keys.map((key) => this.countOf(records, key));
    for (const [index, key] of keys.entries()) this.put(records, key, (before[index] ?? 0) + 1, now);
    return before[0] ?? 0;
  }

  /** The same, in place where the store allows it. */
  #changeAll(keys: readonly Key[], records: Records, now: number): number {
    const before = keys.map((key) => this.countOf(records, key));
    for (const key of keys) this.#changeOne(key, records, now);
    return before[0] ?? 0;
  }

  #changeOne(key: Key, records: Records, now: number): void {
    const counter = this.#counter;
    const stored = records.get(key);
    const copied = stored === undefined ? counter.make(0, now) : counter.copy(stored);
    const record = records.own?.(key) ?? copied;
    counter.add(record);
    records.put(key, record, kept);
  }

  /** Changes what it was lent, where it was, and then puts none of it: nothing has happened. */
  #forgetAll(keys: readonly Key[], records: Records): number {
    for (const key of keys) {
      const record = records.own?.(key);
      if (record !== undefined && !this.#isPut(records, key, record)) this.#counter.add(record);
    }
    return this.countOf(records, keys[0] as Key);
  }

  /** What earlier steps of the same commit have put is lent as it is, and changes to it stay. */
  #isPut(records: Records, key: Key, record: StoredRecord): boolean {
    return records.get(key) === record;
  }
}

interface WorldOptions {
  readonly isCluster: boolean;
  readonly isRotating: boolean;
  readonly counter: keyof typeof counters;
  readonly processes: number;
}

/** Every process, and the network between them and the server. */
class World {
  readonly #stores: readonly DrivenRedisStore[];
  readonly #server = new FakeRedis();
  readonly #isCluster: boolean;
  readonly #isRotating: boolean;
  readonly #steps: Steps;
  readonly #scheduler: fc.Scheduler;
  readonly #losesReply: () => boolean;
  readonly #tallies: Record<string, Tally> = Object.fromEntries(
    tags.map((tag) => [tag, { acknowledged: 0, doubtful: 0, seen: [], glanced: [] }]),
  );
  #isLossy = false;
  #nowMs = 0;
  #stalled: Promise<void> = Promise.resolve();

  constructor(
    { isCluster, isRotating, counter, processes }: WorldOptions,
    scheduler: fc.Scheduler,
    losesReply: () => boolean,
  ) {
    this.#isCluster = isCluster;
    this.#isRotating = isRotating;
    this.#steps = new Steps(counters[counter]);
    this.#scheduler = scheduler;
    this.#losesReply = losesReply;
    this.#stores = times(processes, () => this.#open());
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

  #keysOf(tag: string): Key[] {
    return ['a', 'b'].map((rest) => keyOf(tag, rest, this.#isRotating, this.#steps.form));
  }

  async begin(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.ready()));
    const { form } = this.#steps;
    const before = tags.flatMap((tag) => ['a', 'b'].map((rest) => keyOf(`${tag} before`, rest, false, form)));
    const [store] = this.#stores;
    if (this.#isRotating)
      for (const key of before)
        await store?.transact([key], (records, now) => this.#steps.put(records, key, countBefore, now));
    this.#isLossy = true;
  }

  async run({ process, waits, tag, kind }: Operation): Promise<void> {
    for (let left = waits; left > 0; left -= 1)
      await this.#scheduler.schedule(Promise.resolve(), `${kind} waits`);
    const store = this.#stores[process % this.#stores.length] as DrivenRedisStore;
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
    return (records: Records): number[] => this.#keysOf(tag).map((key) => this.#steps.countOf(records, key));
  }

  async #write(store: DrivenRedisStore, kind: Operation['kind'], among: readonly string[]): Promise<void> {
    const steps = among.map((tag) => {
      const keys = this.#keysOf(tag);
      return {
        keys: kind === 'wide' ? [...this.#furtherKeys(tag), ...keys] : keys,
        run: this.#steps.of(kind, keys),
      };
    });
    const [first] = steps;
    try {
      const befores =
        first !== undefined && steps.length === 1
          ? [await store.transact(first.keys, first.run)]
          : await store.transactEach(steps);
      for (const [place, tag] of among.entries()) {
        if (kind === 'forget') continue;
        (this.#tallies[tag] as Tally).acknowledged += 1;
        this.#tallies[tag]?.seen.push(befores[place] ?? -1);
        this.#glance(store, tag);
      }
    } catch (error) {
      const isThrown = kind === 'throw' || kind === 'spoil';
      if (error instanceof RangeError && isThrown) return;
      passOver(error);
      if (!isThrown && kind !== 'forget')
        for (const tag of among) (this.#tallies[tag] as Tally).doubtful += 1;
    }
  }

  /** So many that their places are not searched for. */
  #furtherKeys(tag: string): Key[] {
    return times(9, (index) => keyOf(tag, `further ${index}`, this.#isRotating, this.#steps.form));
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
        fc.constantFrom('plain', 'client', 'client'),
        fc.integer({ min: 1, max: 3 }),
        fc.array(operation, { minLength: 1, maxLength: 40, size: 'max' }),
        fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
        async (scheduler, isRotating, counter, processes, operations, dice) => {
          const options = { isCluster, isRotating, counter, processes };
          const world = new World(options, scheduler, () => dice.next().value === 0);
          await scheduler.waitFor(world.begin());
          await scheduler.waitFor(Promise.all(operations.map((one) => world.run(one))));
          await scheduler.waitFor(world.end());
        },
      ),
      { numRuns: 300 },
    );
  });
});
