import assert from 'node:assert/strict';
import type { Key } from '../../core/records.ts';
import {
  addOne,
  brief,
  briefMs,
  type Count,
  countOf,
  group,
  kept,
  times,
  type UnderTest,
} from './under-test.ts';

/** A record moves to its new key with the first write, and nothing of it is lost. */
export function testRotation(under: UnderTest): void {
  const { describe, test } = under;
  const countAt = async (key: Key<Count>) =>
    (await under.store.view([key], (records) => records.get(key)))?.count;
  describe('key rotation', () => {
    test('reads the old record until the new one is written, then never again', async () => {
      const { key: old } = group();
      const key: Key<Count> = { text: group().key.text, was: old.text };
      await under.store.transact([old], (records, now) => records.put(old, countOf(5, now), kept));
      assert.equal(await countAt(key), 5);

      assert.equal(await under.store.transact([key], addOne(key)), 6);
      assert.equal(await countAt(key), 6);

      await under.store.transact([old], (records, now) => records.put(old, countOf(99, now), kept));
      assert.equal(await countAt(key), 6);
      assert.equal(await under.store.transact([key], addOne(key)), 7);
    });

    test('finds nothing where there is neither a new nor an old record', async () => {
      const key: Key<Count> = { text: group().key.text, was: group().key.text };
      assert.equal(await countAt(key), undefined);
      assert.equal(await under.store.transact([key], addOne(key)), 1);
    });

    test('loses no update when many steps move a record at once', async () => {
      const { key: old } = group();
      const key: Key<Count> = { text: group().key.text, was: old.text };
      await under.store.transact([old], (records, now) => records.put(old, countOf(1_000, now), kept));
      await Promise.all(
        times(under.parallel, (index) => under.handleFor(index).transact([key], addOne(key))),
      );
      assert.equal(await countAt(key), 1_000 + under.parallel);
    });
  });
}

/** A record ends when its last write says so. */
export function testRetention(under: UnderTest): void {
  const { describe, test } = under;
  describe('retention', () => {
    test('ends a record, for looks and for steps, in time of the store', async () => {
      const { key, sibling } = group();
      await under.store.transact([key, sibling], (records, now) => {
        records.put(key, countOf(1, now), brief);
        records.put(sibling, countOf(1, now), kept);
      });
      await under.elapse(briefMs + 100);
      for (const handle of under.handles) {
        assert.equal(await handle.view([key], (records) => records.get(key)), undefined);
        assert.equal((await handle.view([sibling], (records) => records.get(sibling)))?.count, 1);
      }
      assert.equal(await under.store.transact([key], addOne(key)), 1);
      assert.equal((await under.store.view([key], (records) => records.get(key)))?.count, 1);
    });

    test('counts from the last write, which may lengthen or shorten it', async () => {
      const { key: lengthened, sibling: shortened } = group();
      const keys = [lengthened, shortened];
      await under.store.transact(keys, (records, now) => {
        records.put(lengthened, countOf(1, now), brief);
        records.put(shortened, countOf(1, now), kept);
      });
      await under.store.transact(keys, (records, now) => {
        records.put(lengthened, countOf(2, now), kept);
        records.put(shortened, countOf(2, now), brief);
      });
      await under.elapse(briefMs + 100);
      const left = await under.store.view(keys, (records) => keys.map((key) => records.get(key)?.count));
      assert.deepEqual(left, [2, undefined]);
    });
  });
}
