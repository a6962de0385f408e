import assert from 'node:assert/strict';
import type { Key, Retention } from '../../core/records.ts';
import type { HeldRecord, Store } from '../../stores/store.ts';
import { briefMs, type Count, collect, countOf, group, kept, times, type UnderTest } from './under-test.ts';

/** Operators see the blocks that run, all of them and no others. */
export function testHeld(under: UnderTest): void {
  const { describe, test } = under;
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
        assert.deepEqual(
          held.map((record) => record.key).sort(),
          expected.map((rest) => `${key.text}:${rest}`).sort(),
        );
        const both = held.find((record) => record.key.endsWith(':both'));
        assert.deepEqual(both?.value, { at: 1, count: 4 });
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
      assert.equal((await collect(under.store.held(text))).length, 3);
      await under.elapse(briefMs + 100);
      const left = await collect(under.store.held(text));
      assert.deepEqual(
        left.map((record) => record.key),
        [third.text],
      );
    });

    test('ends its walk without an error once its signal is aborted', async () => {
      const { key, sibling, text } = group();
      const hard = { ...kept, hardMs: 60_000 };
      await under.store.transact([key, sibling], (records, now) => {
        for (const one of [key, sibling]) records.put(one, countOf(1, now), hard);
      });
      for (const handle of under.handles) {
        const ending = new AbortController();
        const seen: string[] = [];
        for await (const record of handle.held(text, ending.signal)) {
          seen.push(record.key);
          ending.abort();
        }
        assert.equal(seen.length, 1);
        assert.deepEqual(await collect(handle.held(text, AbortSignal.abort())), []);
        assert.equal((await collect(handle.held(text, new AbortController().signal))).length, 2);
      }
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
        assert.deepEqual(
          held.map((record) => record.key),
          [`${text}${rest}:{tag}`],
        );
      }
      assert.equal((await collect(under.store.held(text))).length, rests.length);
    });

    test('lists those of several prefixes, in one walk where the store has one, and takes them literally', async () => {
      const { text } = group();
      const rests = ['login:1:', 'otp:', 'a[p]i:', 'a*:', 'a-z:', 'lógin:'];
      const others = ['limits:1:', 'otb:', 'api:', 'ab:', 'abz:', 'login:2:'];
      const keys = [...rests, ...others].map(
        (rest): Key<Count> => ({ text: `${text}${rest}K4:{tag}`, was: null }),
      );
      for (const key of keys) {
        await under.store.transact([key], (records, now) =>
          records.put(key, countOf(1, now), { ...kept, hardMs: 60_000 }),
        );
      }
      for (const asked of [rests, rests.slice(0, -1), rests.slice(0, 2), rests.slice(2, 3), []]) {
        const prefixes = asked.map((rest) => `${text}${rest}`);
        const held = await collect(heldOfAny(under.store, prefixes));
        assert.deepEqual(
          held.map((record) => record.key).sort(),
          prefixes.map((prefix) => `${prefix}K4:{tag}`).sort(),
        );
      }
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
      assert.deepEqual(held.map((record) => record.key).sort(), keys.map((key) => key.text).sort());
    });
  });
}

async function* heldOfAny(store: Store, prefixes: readonly string[]): AsyncGenerator<HeldRecord> {
  if (store.heldOfAny !== undefined) return yield* store.heldOfAny(prefixes);
  for (const prefix of prefixes) yield* store.held(prefix);
}
