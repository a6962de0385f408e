import assert from 'node:assert/strict';
import type { Key, Records } from '../../core/records.ts';
import { Random } from '../random.ts';
import { anyRecord } from './any-record.ts';
import { assertFault, countOf, group, kept, rejection, type UnderTest } from './under-test.ts';

/** What is put is what is got. */
export function testRecords(under: UnderTest): void {
  const { describe, test } = under;
  describe('records', () => {
    test('are absent until they are put', async () => {
      const { key } = group();
      assert.equal(await under.store.view([key], (records) => records.get(key)), undefined);
      assert.equal(await under.store.transact([key], (records) => records.get(key)), undefined);
    });

    test('are seen by every handle once their step has resolved', async () => {
      const { key } = group();
      await under.store.transact([key], (records, now) => records.put(key, countOf(7, now), kept));
      for (const handle of under.handles) {
        assert.equal((await handle.view([key], (records) => records.get(key)))?.count, 7);
        assert.equal((await handle.transact([key], (records) => records.get(key)))?.count, 7);
      }
    });

    test('are replaced whole by the next put', async () => {
      const { key } = group();
      const wide = { at: 1, count: 1, more: { nested: [1, 2, 3] } };
      await under.store.transact([key], (records) => records.put(key, wide, kept));
      await under.store.transact([key], (records) => records.put(key, { at: 2, count: 2 }, kept));
      assert.deepEqual(await under.store.view([key], (records) => records.get(key)), { at: 2, count: 2 });
    });

    test('stay as they are when a step puts nothing', async () => {
      const { key } = group();
      await under.store.transact([key], (records) => records.put(key, { at: 1, count: 1 }, kept));
      await under.store.transact([key], (records) => records.get(key));
      assert.deepEqual(await under.store.view([key], (records) => records.get(key)), { at: 1, count: 1 });
    });

    test('survive a round trip whatever plain data they hold', async () => {
      for (let run = 0; run < under.runs; run += 1) {
        const record = anyRecord(new Random(`record ${run}`));
        const key: Key = group().key;
        await under.store.transact([key], (records) => records.put(key, record, kept));
        for (const handle of under.handles) {
          const found = await handle.view([key], (records) => records.get(key));
          assert.deepEqual(found, record, `run ${run}`);
        }
      }
    });

    test('may be large', async () => {
      const key: Key = group().key;
      const record = { at: 1, list: Array.from({ length: 5_000 }, (_, index) => [`hash-${index}`, index]) };
      await under.store.transact([key], (records) => records.put(key, record, kept));
      assert.deepEqual(await under.store.view([key], (records) => records.get(key)), record);
    });
  });
}

/** What a look or a step may do, and what becomes of what it returns or throws. */
export function testSteps(under: UnderTest): void {
  const { describe, test } = under;
  describe('looks and steps', () => {
    test('read what the same step has put, the last put of a key counts', async () => {
      const { key, sibling } = group();
      const seen = await under.store.transact([key, sibling], (records, now) => {
        records.put(key, countOf(1, now), kept);
        const first = records.get(key)?.count;
        records.put(key, countOf(2, now), kept);
        return [first, records.get(key)?.count, records.get(sibling)];
      });
      assert.deepEqual(seen, [1, 2, undefined]);
      assert.equal((await under.store.view([key], (records) => records.get(key)))?.count, 2);
    });

    test('are answered with what they return', async () => {
      const { key } = group();
      const value = { anything: [undefined, null, 'x'] };
      assert.equal(await under.store.view([key], () => value), value);
      assert.equal(await under.store.transact([key], () => value), value);
      assert.equal(await under.store.transact([key], (): void => {}), undefined);
    });

    test('may have no keys and may name one twice', async () => {
      const { key } = group();
      assert.equal(await under.store.view([], () => 'looked'), 'looked');
      assert.equal(await under.store.transact([], () => 'stepped'), 'stepped');
      await under.store.transact([key, key], (records, now) => records.put(key, countOf(1, now), kept));
      assert.equal((await under.store.view([key, key], (records) => records.get(key)))?.count, 1);
    });

    test('know a key by its text', async () => {
      const { key } = group();
      await under.store.transact([key], (records, now) => records.put({ ...key }, countOf(3, now), kept));
      assert.equal((await under.store.view([key], (records) => records.get({ ...key })))?.count, 3);
    });

    test('are handed the time of the store in whole milliseconds, which goes on', async () => {
      const { key } = group();
      const before = await under.store.view([key], (_, now) => now);
      await under.elapse(20);
      const after = await under.store.transact([key], (_, now) => now);
      assert.ok(Number.isSafeInteger(before), `${before} is not whole`);
      assert.ok(Number.isSafeInteger(after), `${after} is not whole`);
      assert.ok(after > before, `${after} does not come after ${before}`);
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
      assert.equal(await rejection(under.store.transact([key, sibling], step)), thrown);
      const look = (): never => {
        throw thrown;
      };
      assert.equal(await rejection(under.store.view([key], look)), thrown);
      const left = await under.store.view([key, sibling], (records) => [
        records.get(key),
        records.get(sibling),
      ]);
      assert.deepEqual(left, [{ at: 1, count: 1 }, undefined]);
    });

    test('may use no key that the call does not name', async () => {
      const { key, sibling } = group();
      await assertFault(
        under.store.view([key], (records) => records.get(sibling)),
        'INVARIANT_BROKEN',
      );
      await assertFault(
        under.store.transact([key], (records) => records.get(sibling)),
        'INVARIANT_BROKEN',
      );
      await assertFault(
        under.store.transact([key], (records, now) => records.put(sibling, countOf(1, now), kept)),
        'INVARIANT_BROKEN',
      );
      assert.equal(await under.store.view([sibling], (records) => records.get(sibling)), undefined);
    });

    test('of several groups fail, and write nothing', async () => {
      const [{ key }, { key: foreign }] = [group(), group()];
      const step = (records: Records, now: number) => {
        for (const each of [key, foreign]) records.put(each, countOf(1, now), kept);
      };
      await assertFault(under.store.transact([key, foreign], step), 'INVARIANT_BROKEN');
      const left = await under.store.view([key, foreign], (records) => [
        records.get(key),
        records.get(foreign),
      ]);
      assert.deepEqual(left, [undefined, undefined]);
    });

    test('that only look may not put', async () => {
      const { key } = group();
      const look = under.store.view([key], (records, now) => records.put(key, countOf(1, now), kept));
      await assertFault(look, 'INVARIANT_BROKEN');
      assert.equal(await under.store.view([key], (records) => records.get(key)), undefined);
    });
  });
}
