import { describe, expect, test } from 'vitest';
import type { Key, Retention } from '../../src/core/records.ts';
import { briefMs, type Count, collect, countOf, group, kept, times, type UnderTest } from './under-test.ts';

/** Operators see the blocks that run, all of them and no others. */
export function testHeld(under: UnderTest): void {
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
          await under.store.transact([one], (records) =>
            records.put(one, { at: 1, count: rest.length }, retention),
          );
        }
      }
      for (const handle of under.handles) {
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
      await under.store.transact([key, sibling, third], (records, now) => {
        records.put(key, countOf(1, now), { ...kept, softMs: briefMs });
        records.put(sibling, countOf(1, now), { keepMs: briefMs, softMs: 0, hardMs: 60_000 });
        records.put(third, countOf(1, now), { ...kept, softMs: briefMs, hardMs: 60_000 });
      });
      expect(await collect(under.store.held(text))).toHaveLength(3);
      await under.elapse(briefMs + 100);
      expect((await collect(under.store.held(text))).map((record) => record.key)).toEqual([third.text]);
    });

    test('takes the prefix literally', async () => {
      const { text } = group();
      const rests = ['a_c', 'abc', 'a*c', 'a%c', 'a?c', 'a[bc]c', 'a\\c', "a'c"];
      for (const rest of rests) {
        const key: Key<Count> = { text: `${text}${rest}:{tag}`, was: null };
        await under.store.transact([key], (records, now) =>
          records.put(key, countOf(1, now), { ...kept, hardMs: 60_000 }),
        );
      }
      for (const rest of rests) {
        const held = await collect(under.store.held(`${text}${rest}`));
        expect(held.map((record) => record.key)).toEqual([`${text}${rest}:{tag}`]);
      }
      expect(await collect(under.store.held(text))).toHaveLength(rests.length);
    });

    test('lists many', async () => {
      const { text } = group();
      const keys = times(300, (index): Key<Count> => ({ text: `${text}K1:{${index}}`, was: null }));
      await Promise.all(
        keys.map((key) =>
          under.store.transact([key], (records, now) =>
            records.put(key, countOf(1, now), { ...kept, hardMs: 60_000 }),
          ),
        ),
      );
      const held = await collect(under.store.held(text));
      expect(held.map((record) => record.key).sort()).toEqual(keys.map((key) => key.text).sort());
    });
  });
}
