import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Draft, Key, Records, Retention, StoredRecord } from '../../core/records.ts';
import type { HeldRecord } from '../store.ts';
import { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './index.ts';

const kept: Retention = { keepMs: 1_000_000, softMs: 0, hardMs: 0 };
const never = () => Number.NEGATIVE_INFINITY;

test('a memory store that was listed forgets no block, also when its clock runs backwards', async () => {
  let now = 1_000_000;
  const store = createMemoryStore({ clock: () => now });
  const key: Key = { text: 'k:{t}', was: null };
  await store.transact([key], (records) => records.put(key, { at: now }, { ...kept, hardMs: 1_000 }));
  const listed = async () => {
    let count = 0;
    for await (const _ of store.held('k:')) count += 1;
    return count;
  };
  expect(await listed()).toBe(1);
  now += 1_000;
  expect(await listed()).toBe(0);
  now -= 500;
  expect(await listed()).toBe(1);
});

test('a memory store takes whole milliseconds from a clock that has fractions', () => {
  const { immediate } = createMemoryStore({ clock: () => 7.9 });
  expect(immediate.view([], (_, now) => now)).toBe(7);
  expect(immediate.transact([], (_, now) => now)).toBe(7);
});

test('a memory store goes by a time that is faked after it was made, as tests of an application do', () => {
  const { immediate } = createMemoryStore();
  vi.useFakeTimers({ toFake: ['Date'], now: 7 });
  onTestFinished(() => void vi.useRealTimers());
  expect(immediate.view([], (_, now) => now)).toBe(7);
});

describe('a full memory store', () => {
  test('drops the least recently written record first', () => {
    const { store, put, present } = storeAt(0, { maxRecords: 3 });
    for (const name of ['a', 'b', 'c', 'a', 'd']) put(name, kept);
    expect(present('a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
    expect(store.usage()).toMatchObject({ records: 3, evicted: 1, evictedBlocks: 0 });
  });

  test('drops what has expired before anything else', () => {
    const { put, present, time, store } = storeAt(0, { maxRecords: 3, sweptBy: never });
    put('old', kept);
    put('brief', { ...kept, keepMs: 10 });
    put('young', kept);
    time.now = 10;
    put('new', kept);
    expect(present('old', 'brief', 'young', 'new')).toEqual(['old', 'young', 'new']);
    expect(store.usage().evicted).toBe(0);
  });

  test('keeps blocked records, soft or hard, as long as there are others', () => {
    const { put, present, store } = storeAt(0, { maxRecords: 3 });
    put('hard', { ...kept, hardMs: 100 });
    put('soft', { ...kept, softMs: 100 });
    for (const name of ['a', 'b', 'c']) put(name, kept);
    expect(present('hard', 'soft', 'a', 'b', 'c')).toEqual(['hard', 'soft', 'c']);
    expect(store.usage().evictedBlocks).toBe(0);
  });

  test('gives up the block that ends soonest when all are blocked', () => {
    const { put, present, store } = storeAt(0, { maxRecords: 3 });
    put('long', { ...kept, hardMs: 300 });
    put('short', { ...kept, hardMs: 100 });
    put('middle', { ...kept, softMs: 200 });
    put('new', { ...kept, hardMs: 50 });
    expect(present('long', 'short', 'middle', 'new')).toEqual(['long', 'middle', 'new']);
    expect(store.usage().evictedBlocks).toBe(1);
  });

  test('does not drop what the step itself has written', () => {
    const { put, present } = storeAt(0, { maxRecords: 2 });
    put('a', { ...kept, hardMs: 100 });
    put('b', { ...kept, hardMs: 200 });
    put('free', kept);
    expect(present('a', 'b', 'free')).toEqual(['b', 'free']);
  });

  test('drops what the step has changed where it stood only where nothing else is left', () => {
    const { put, present, store } = storeAt(0, { maxRecords: 2 });
    const changeAndPut = (changed: string, made: string) =>
      store.immediate.transact([keyOf(changed), keyOf(made)], (records) => {
        const own = records.own?.(keyOf(changed)) ?? expect.unreachable();
        records.put(keyOf(changed), own, kept);
        records.put(keyOf(made), { at: 0 }, kept);
      });
    put('own', kept);
    // Written three times, so that the next write is made where the record stands.
    for (let time = 0; time < 2; time += 1) put('own', kept, {}, true);
    put('blocked', { ...kept, hardMs: 100 });
    changeAndPut('own', 'new');
    expect(present('own', 'blocked', 'new')).toEqual(['own', 'new']);
    expect(store.usage().evictedBlocks).toBe(1);
  });

  test('treats a record whose block has ended like any other', () => {
    const { put, present, time } = storeAt(0, { maxRecords: 2 });
    put('was blocked', { ...kept, hardMs: 10 });
    put('a', kept);
    put('b', kept);
    expect(present('was blocked', 'a', 'b')).toEqual(['was blocked', 'b']);
    time.now = 10;
    put('c', kept);
    expect(present('was blocked', 'b', 'c')).toEqual(['b', 'c']);
  });

  test('takes a record that was parked back into the order when it is written again', () => {
    const { put, present } = storeAt(0, { maxRecords: 2 });
    put('a', { ...kept, hardMs: 100 });
    put('b', kept);
    put('c', kept);
    put('a', kept);
    put('d', kept);
    expect(present('a', 'b', 'c', 'd')).toEqual(['a', 'd']);
  });

  test('is bounded in bytes', () => {
    const { store, put } = storeAt(0, { maxBytes: 10_000 });
    for (let index = 0; index < 100; index += 1) put(`record-${index}`, kept, { text: 'x'.repeat(500) });
    expect(store.usage().bytes).toBeLessThanOrEqual(10_000);
    expect(store.usage().records).toBeGreaterThan(5);
    expect(store.usage().records).toBeLessThan(20);
  });

  test('notices within 64 writes that a record written often has grown', () => {
    const { store, put } = storeAt(0);
    for (let index = 0; index < 100; index += 1) put('hot', kept, { text: 'x' });
    const before = store.usage().bytes;
    for (let index = 0; index < 64; index += 1) put('hot', kept, { text: 'x'.repeat(5_000) });
    expect(store.usage().bytes).toBeGreaterThan(before + 4_900);
  });

  test('refuses a step that could never fit, and writes nothing of it', () => {
    const { store, put, present } = storeAt(0, { maxRecords: 2, maxBytes: 5_000 });
    put('before', kept);
    const fault = expect.objectContaining({ code: 'STORE_FULL' });
    expect(() => put('large', kept, { text: 'x'.repeat(5_000) })).toThrow(fault);
    const keys = ['a', 'b', 'c'].map(keyOf);
    const three = () =>
      store.immediate.transact(keys, (records) => {
        for (const key of keys) records.put(key, { at: 0 }, kept);
      });
    expect(three).toThrow(fault);
    expect(present('before', 'large', 'a', 'b', 'c')).toEqual(['before']);
  });

  test('stands a flood of a million new keys, blocked and not', () => {
    const { store, put } = storeAt(0, { maxRecords: 10_000 });
    for (let index = 0; index < 1_000_000; index += 1) {
      put(`flood-${index}`, index % 2 === 0 ? kept : { ...kept, hardMs: 1 + (index % 977) });
    }
    expect(store.usage()).toMatchObject({ records: 10_000, evicted: 990_000 });
    expect(store.usage().evictedBlocks).toBeLessThan(500_000);
  }, 60_000);
});

describe('sweeping', () => {
  test('drops expired records as writes go by, without a look at them', () => {
    const { store, put, time } = storeAt(0);
    for (let index = 0; index < 100; index += 1) put(`early-${index}`, { ...kept, keepMs: 10 });
    put('renewed', { ...kept, keepMs: 10 });
    put('renewed', kept);
    time.now = 10;
    for (let index = 0; index < 60; index += 1) put('late', kept);
    expect(store.usage()).toMatchObject({ records: 2, evicted: 0 });
  });

  test('when off, lets a clock that runs backwards find again what it has passed by', () => {
    const { put, present, time } = storeAt(0, { sweptBy: never });
    put('a', { ...kept, keepMs: 10 });
    time.now = 50;
    put('b', kept);
    expect(present('a', 'b')).toEqual(['b']);
    time.now = 5;
    expect(present('a', 'b')).toEqual(['a', 'b']);
  });

  test('when put off, does so until then', () => {
    const { store, put, present, time } = storeAt(0, { sweptBy: () => time.now - 40 });
    put('a', { ...kept, keepMs: 10 });
    put('renewed', { ...kept, keepMs: 10 });
    time.now = 20;
    put('renewed', { ...kept, keepMs: 10 });
    time.now = 49;
    for (let index = 0; index < 3; index += 1) put('b', kept);
    time.now = 5;
    expect(present('a', 'renewed')).toEqual(['a', 'renewed']);
    time.now = 50;
    for (let index = 0; index < 3; index += 1) put('b', kept);
    time.now = 5;
    expect(present('a', 'renewed')).toEqual(['renewed']);
    expect(store.usage()).toMatchObject({ records: 2, evicted: 0 });
  });

  test('when put off, still makes room of what has expired', () => {
    const { store, put, present, time } = storeAt(0, { maxRecords: 2, sweptBy: () => time.now - 40 });
    put('lasting', kept);
    put('brief', { ...kept, keepMs: 10 });
    time.now = 10;
    put('new', kept);
    expect(present('lasting', 'brief', 'new')).toEqual(['lasting', 'new']);
    expect(store.usage().evicted).toBe(0);
  });
});

test.each([
  { what: 'records that are replaced', inPlace: false, names: 16 },
  { what: 'records that are changed where they stand', inPlace: true, names: 4 },
])('what a memory store drops and keeps of $what is what a plain model says', ({ inPlace, names }) => {
  const write = fc.record({
    name: fc.integer({ min: 0, max: names - 1 }),
    keepMs: fc.integer({ min: 1, max: 40 }),
    blockMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
    passMs: fc.integer({ min: 0, max: 6 }),
  });
  const bound = fc.integer({ min: 1, max: names / 2 });
  const sweptAfter = fc.constantFrom(0, 5, Number.POSITIVE_INFINITY);
  const many = fc.array(write, { minLength: 40, maxLength: 120 });
  fc.assert(
    fc.property(bound, sweptAfter, many, (maxRecords, afterMs, writes) => {
      const sweptBy = () => time.now - afterMs;
      const { store, put, present, time } = storeAt(0, { maxRecords, ...(afterMs > 0 && { sweptBy }) });
      const model = new Model(maxRecords);
      for (const { name, keepMs, blockMs, passMs } of writes) {
        time.now += passMs;
        put(String(name), { keepMs, softMs: 0, hardMs: blockMs }, {}, inPlace);
        model.put(String(name), time.now, keepMs, blockMs);
        expect(store.usage().records).toBeLessThanOrEqual(maxRecords);
        model.assertAgrees(present(...Array.from({ length: 16 }, (_, index) => String(index))), time.now);
      }
    }),
    { numRuns: 300 },
  );
});

test('records may not be used after their step has ended', () => {
  const { store } = storeAt(0);
  const key = keyOf('a');
  const escaped = store.immediate.transact([key], (records) => records);
  const fault = expect.objectContaining({ code: 'INVARIANT_BROKEN' });
  expect(() => escaped.get(key)).toThrow(fault);
  expect(() => escaped.put(key, { at: 0 }, kept)).toThrow(fault);
});

test.each([0, -1, Number.NaN])('a bound of %s is refused', (bound) => {
  const fault = expect.objectContaining({ code: 'CONFIG_INVALID' });
  expect(() => createMemoryStore({ maxRecords: bound })).toThrow(fault);
  expect(() => createMemoryStore({ maxBytes: bound })).toThrow(fault);
});

test.each<[unknown, string]>([
  [null, 'options of the memory store must be an object, got null'],
  [{ max: 5 }, 'max is no option of the memory store: there are maxRecords, maxBytes, clock, sweptBy'],
  [{ sweptBy: 5 }, 'sweptBy must be a function, got an integer of 1 digit'],
  [{ clock: 5 }, 'clock must be a function, got an integer of 1 digit'],
])('options are refused by name: %j', (options, message) => {
  expect(() => createMemoryStore(options as MemoryStoreOptions)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message }),
  );
});

interface Modelled {
  readonly name: string;
  readonly order: number;
  readonly expiresAt: number;
  readonly blockedUntil: number;
}

/**
 * The rule of dropping by full scans. Only among records whose block has ended does it leave the choice open: the
 * store may take any of those that are older than every record without a block.
 */
class Model {
  readonly #maxRecords: number;
  #possible: readonly (readonly Modelled[])[] = [[]];
  #order = 0;

  constructor(maxRecords: number) {
    this.#maxRecords = maxRecords;
  }

  put(name: string, now: number, keepMs: number, blockMs: number): void {
    this.#order += 1;
    const written = {
      name,
      order: this.#order,
      expiresAt: now + keepMs,
      blockedUntil: blockMs > 0 ? now + blockMs : 0,
    };
    const next = this.#possible.flatMap((records) => {
      const live = records.filter((record) => record.name !== name && record.expiresAt > now);
      return live.length < this.#maxRecords
        ? [[...live, written]]
        : droppable(live, now).map((gone) => [...live.filter((record) => record !== gone), written]);
    });
    this.#possible = next;
  }

  assertAgrees(present: readonly string[], now: number): void {
    const agreeing = this.#possible.filter(
      (records) => namesOf(records.filter((record) => record.expiresAt > now)) === [...present].sort().join(),
    );
    expect(agreeing.length).toBeGreaterThan(0);
    this.#possible = agreeing.slice(0, 1);
  }
}

function droppable(records: readonly Modelled[], now: number): readonly Modelled[] {
  const free = records
    .filter((record) => record.blockedUntil <= now)
    .sort((one, other) => one.order - other.order);
  if (free.length === 0) {
    const soonest = Math.min(...records.map((record) => record.blockedUntil));
    return records.filter((record) => record.blockedUntil === soonest);
  }
  const neverBlocked = free.findIndex((record) => record.blockedUntil === 0);
  return neverBlocked <= 0
    ? free.slice(0, neverBlocked === 0 ? 1 : free.length)
    : free.slice(0, neverBlocked);
}

describe('the face without promises', () => {
  test('is not copied into a store that wraps this one', () => {
    const { store } = storeAt(0);
    const wrapped: Partial<MemoryStore> = { ...store };
    expect([typeof store.immediate.view, wrapped.immediate]).toEqual(['function', undefined]);
  });

  test('lets a step change the record that stands, but none under a previous name, and no look', () => {
    const { store } = storeAt(0);
    const key: Key<StoredRecord & { n: number }> = { text: 'a', was: null };
    store.immediate.transact([key], (records) => records.put(key, { at: 0, n: 1 }, kept));
    const renamed: typeof key = { text: 'b', was: 'a' };
    const owned = (of: typeof key) => store.immediate.transact([of], (records) => records.own?.(of));
    const [own, again, under] = [owned(key), owned(key), owned(renamed)];
    expect([own, own === again, under]).toEqual([{ at: 0, n: 1 }, true, undefined]);
    expect(store.immediate.view([key], (records) => records.own?.(key))).toBe(undefined);
    const put = (records: Records) => records.put(key, { at: 0, n: 2 }, kept);
    expect(() => store.immediate.view([key], put)).toThrow(/look/);
  });
});

describe('a record amended without a step', () => {
  interface Tally extends StoredRecord {
    readonly count: number;
  }
  const key: Key<Tally> = { text: 'tally:{t}', was: null };
  const add = (tally: Draft<Tally>, now: number, by: number): boolean => {
    if (by === 0) return false;
    tally.count += by;
    tally.at = now;
    return true;
  };
  const countOf = (store: MemoryStore) => store.immediate.view([key], (records) => records.get(key)?.count);

  /** A store with the record, written often enough that its next write is not measured. */
  function tallyAt(now: number, retention: Retention = kept) {
    const time = { now };
    const store = createMemoryStore({ clock: () => time.now });
    for (let count = 1; count <= 3; count += 1) {
      store.immediate.transact([key], (records) => records.put(key, { at: now, count }, retention));
    }
    return {
      store,
      time,
      amend: (by: number, keepMs = kept.keepMs) => store.immediate.amend?.(key, keepMs, add, by),
    };
  }

  test('is changed where it stands and kept from then on', () => {
    const { store, time, amend } = tallyAt(0);
    time.now = 900_000;
    expect([amend(4), countOf(store)]).toEqual([true, 7]);
    time.now = 1_899_999;
    expect(countOf(store)).toBe(7);
    time.now = 1_900_000;
    expect(countOf(store)).toBeUndefined();
  });

  test('is written as if by a step: the next to go when room is made is another one', () => {
    const store = createMemoryStore({ maxRecords: 2, clock: () => 0 });
    const other: Key<Tally> = { text: 'other:{t}', was: null };
    const third: Key = { text: 'third:{t}', was: null };
    for (const each of [key, key, key, other]) {
      store.immediate.transact([each], (records) => records.put(each, { at: 0, count: 1 }, kept));
    }
    expect(store.immediate.amend?.(key, kept.keepMs, add, 1)).toBe(true);
    store.immediate.transact([third], (records) => records.put(third, { at: 0 }, kept));
    expect(countOf(store)).toBe(2);
  });

  test.each([
    ['there is none', () => createMemoryStore().immediate.amend?.(key, 1, add, 1)],
    ['it is left as it was', () => tallyAt(0).amend(0)],
    ['it would be kept for less long than before', () => tallyAt(0).amend(1, kept.keepMs - 1)],
    ['a block runs on it', () => tallyAt(0, { ...kept, hardMs: 1 }).amend(1)],
  ])('is left to a step where %s', (_, amended) => {
    expect(amended()).toBe(false);
  });

  test('is left to a step once it has expired, where it is measured, and after the store was closed', async () => {
    const { store, time, amend } = tallyAt(0);
    expect([amend(1), amend(1), countOf(store)]).toEqual([true, false, 4]);
    time.now = kept.keepMs;
    expect(amend(1)).toBe(false);
    time.now = 0;
    await store.close();
    expect(amend(1)).toBe(false);
  });
});

describe('a record changed in place', () => {
  type Counted = StoredRecord & { n?: number; text?: string };
  const counted = (name: string): Key<Counted> => keyOf(name);

  function change(store: MemoryStore, name: string, retention: Retention, by: (own: Draft<Counted>) => void) {
    const key = counted(name);
    store.immediate.transact([key], (records) => {
      const own = records.own?.(key);
      if (own === undefined) return;
      by(own);
      records.put(key, own, retention);
    });
  }

  test('counts as a write: of its order, its expiry and its block', async () => {
    const { store, put, present, time } = storeAt(0, { maxRecords: 2 });
    put('a', { ...kept, keepMs: 10 });
    put('b', kept);
    change(store, 'a', { ...kept, hardMs: 20 }, (own) => {
      own.n = 1;
    });
    put('c', kept);
    time.now = 15;
    expect(present('a', 'b', 'c')).toEqual(['a', 'c']);
    const held: HeldRecord[] = [];
    for await (const record of store.held('')) held.push(record);
    expect(held).toMatchObject([{ key: keyOf('a').text, value: { n: 1 } }]);
  });

  test('sweeps as any write does', () => {
    const { store, put, time } = storeAt(0);
    put('gone', { ...kept, keepMs: 10 });
    for (let written = 0; written < 6; written += 1) put('a', kept, {}, true);
    time.now = 10;
    put('a', kept, {}, true);
    expect(store.usage().records).toBe(1);
  });

  test('is not lent once it has expired', () => {
    const { store, put, time } = storeAt(0);
    put('a', { ...kept, keepMs: 10 });
    time.now = 10;
    const lent = store.immediate.transact([keyOf('a')], (records) => records.own?.(keyOf('a')));
    expect(lent).toBe(undefined);
  });

  test('that grows makes room for what it has grown by', () => {
    const { store, put, present } = storeAt(0, { maxBytes: 1_500 });
    for (const name of ['a', 'b', 'c']) put(name, kept);
    change(store, 'b', kept, (own) => {
      own.text = 'x'.repeat(600);
    });
    expect(present('a', 'b', 'c')).toEqual(['b', 'c']);
    expect(store.usage().bytes).toBeLessThan(1_500);
  });
});

function namesOf(records: readonly Modelled[]): string {
  return records
    .map((record) => record.name)
    .sort()
    .join();
}

function keyOf(name: string): Key {
  return { text: `portcullis:test:login:1:K1:{${name}}`, was: null };
}

function storeAt(
  now: number,
  options: { maxRecords?: number; maxBytes?: number; sweptBy?: () => number } = {},
) {
  const time = { now };
  const store: MemoryStore = createMemoryStore({ ...options, clock: () => time.now });
  return {
    store,
    time,
    put(name: string, retention: Retention, more: object = {}, inPlace = false): void {
      const key = keyOf(name);
      const record: StoredRecord = { ...more, at: time.now };
      store.immediate.transact([key], (records) => {
        const own = inPlace ? records.own?.(key) : undefined;
        records.put(key, own === undefined ? record : Object.assign(own, record), retention);
      });
    },
    present(...names: string[]): string[] {
      const keys = names.map(keyOf);
      return store.immediate.view(keys, (records) =>
        names.filter((_, index) => records.get(keys[index] ?? keyOf('')) !== undefined),
      );
    },
  };
}
