import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Key, Records } from '../../src/core/records.ts';
import { anyRecord } from './any-record.ts';
import { countOf, group, kept, rejection, type UnderTest } from './under-test.ts';

/** What is put is what is got. */
export function testRecords(under: UnderTest): void {
  describe('records', () => {
    test('are absent until they are put', async () => {
      const { key } = group();
      expect(await under.store.view([key], (records) => records.get(key))).toBeUndefined();
      expect(await under.store.transact([key], (records) => records.get(key))).toBeUndefined();
    });

    test('are seen by every handle once their step has resolved', async () => {
      const { key } = group();
      await under.store.transact([key], (records, now) => records.put(key, countOf(7, now), kept));
      for (const handle of under.handles) {
        expect((await handle.view([key], (records) => records.get(key)))?.count).toBe(7);
        expect((await handle.transact([key], (records) => records.get(key)))?.count).toBe(7);
      }
    });

    test('are replaced whole by the next put', async () => {
      const { key } = group();
      const wide = { at: 1, count: 1, more: { nested: [1, 2, 3] } };
      await under.store.transact([key], (records) => records.put(key, wide, kept));
      await under.store.transact([key], (records) => records.put(key, { at: 2, count: 2 }, kept));
      expect(await under.store.view([key], (records) => records.get(key))).toEqual({ at: 2, count: 2 });
    });

    test('stay as they are when a step puts nothing', async () => {
      const { key } = group();
      await under.store.transact([key], (records) => records.put(key, { at: 1, count: 1 }, kept));
      await under.store.transact([key], (records) => records.get(key));
      expect(await under.store.view([key], (records) => records.get(key))).toEqual({ at: 1, count: 1 });
    });

    test('survive a round trip whatever plain data they hold', async () => {
      await fc.assert(
        fc.asyncProperty(anyRecord(), async (record) => {
          const key: Key = group().key;
          await under.store.transact([key], (records) => records.put(key, record, kept));
          for (const handle of under.handles) {
            expect(await handle.view([key], (records) => records.get(key))).toEqual(record);
          }
        }),
        { numRuns: under.runs },
      );
    });

    test('may be large', async () => {
      const key: Key = group().key;
      const record = { at: 1, list: Array.from({ length: 5_000 }, (_, index) => [`hash-${index}`, index]) };
      await under.store.transact([key], (records) => records.put(key, record, kept));
      expect(await under.store.view([key], (records) => records.get(key))).toEqual(record);
    });
  });
}

/** What a look or a step may do, and what becomes of what it returns or throws. */
export function testSteps(under: UnderTest): void {
  describe('looks and steps', () => {
    test('read what the same step has put, the last put of a key counts', async () => {
      const { key, sibling } = group();
      const seen = await under.store.transact([key, sibling], (records, now) => {
        records.put(key, countOf(1, now), kept);
        const first = records.get(key)?.count;
        records.put(key, countOf(2, now), kept);
        return [first, records.get(key)?.count, records.get(sibling)];
      });
      expect(seen).toEqual([1, 2, undefined]);
      expect((await under.store.view([key], (records) => records.get(key)))?.count).toBe(2);
    });

    test('are answered with what they return', async () => {
      const { key } = group();
      const value = { anything: [undefined, null, 'x'] };
      expect(await under.store.view([key], () => value)).toBe(value);
      expect(await under.store.transact([key], () => value)).toBe(value);
      expect(await under.store.transact([key], (): void => {})).toBeUndefined();
    });

    test('may have no keys and may name one twice', async () => {
      const { key } = group();
      expect(await under.store.view([], () => 'looked')).toBe('looked');
      expect(await under.store.transact([], () => 'stepped')).toBe('stepped');
      await under.store.transact([key, key], (records, now) => records.put(key, countOf(1, now), kept));
      expect((await under.store.view([key, key], (records) => records.get(key)))?.count).toBe(1);
    });

    test('know a key by its text', async () => {
      const { key } = group();
      await under.store.transact([key], (records, now) => records.put({ ...key }, countOf(3, now), kept));
      expect((await under.store.view([key], (records) => records.get({ ...key })))?.count).toBe(3);
    });

    test('are handed the time of the store in whole milliseconds, which goes on', async () => {
      const { key } = group();
      const before = await under.store.view([key], (_, now) => now);
      await under.elapse(20);
      const after = await under.store.transact([key], (_, now) => now);
      expect(Number.isSafeInteger(before)).toBe(true);
      expect(Number.isSafeInteger(after)).toBe(true);
      expect(after).toBeGreaterThan(before);
    });

    test('fail with what they throw, unchanged, and write nothing', async () => {
      const { key, sibling } = group();
      await under.store.transact([key], (records) => records.put(key, { at: 1, count: 1 }, kept));
      const thrown = new RangeError('the step itself');
      const step = (records: Records, now: number): never => {
        records.put(key, countOf(2, now), kept);
        records.put(sibling, countOf(2, now), kept);
        throw thrown;
      };
      expect(await rejection(under.store.transact([key, sibling], step))).toBe(thrown);
      const look = (): never => {
        throw thrown;
      };
      expect(await rejection(under.store.view([key], look))).toBe(thrown);
      const left = await under.store.view([key, sibling], (records) => [
        records.get(key),
        records.get(sibling),
      ]);
      expect(left).toEqual([{ at: 1, count: 1 }, undefined]);
    });

    test('may use no key that the call does not name', async () => {
      const { key, sibling } = group();
      const uses = [
        under.store.view([key], (records) => records.get(sibling)),
        under.store.transact([key], (records) => records.get(sibling)),
        under.store.transact([key], (records, now) => records.put(sibling, countOf(1, now), kept)),
      ];
      const faults = await Promise.all(uses.map(rejection));
      for (const fault of faults) expect(fault).toMatchObject({ code: 'INVARIANT_BROKEN' });
      expect(await under.store.view([sibling], (records) => records.get(sibling))).toBeUndefined();
    });

    test('that only look may not put', async () => {
      const { key } = group();
      const look = under.store.view([key], (records, now) => records.put(key, countOf(1, now), kept));
      expect(await rejection(look)).toMatchObject({ code: 'INVARIANT_BROKEN' });
      expect(await under.store.view([key], (records) => records.get(key))).toBeUndefined();
    });
  });
}
