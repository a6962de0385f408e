import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Key } from '../../core/records.ts';
import { Snapshot } from './envelope.ts';
import { Reading } from './reading.ts';
import { WARM_MS, WarmRecords } from './warm-records.ts';

const keyOf = (text: string, was: string | null = null): Key => ({ text, was });
const retention = { keepMs: 1_000, softMs: 0, hardMs: 0 };
const version = 'abcdefgh00000001';

/** A record that is there, seen by a command that was sent at this time. */
function present(sentAtMs: number, answeredAtMs = sentAtMs): Snapshot {
  const snapshot = Snapshot.unwritten({ value: { at: 1 }, retention, form: undefined }, 0);
  snapshot.written(version, sentAtMs, answeredAtMs);
  return snapshot;
}

function readingOf(key: Key, snapshot: Snapshot, before?: Snapshot): Reading {
  const reading = Reading.of([key], (text) => (text === key.text ? snapshot : before));
  return reading ?? Reading.nothing;
}

describe('warm records', () => {
  let nowMs: number;
  let warm: WarmRecords;
  beforeEach(() => {
    nowMs = 1_000;
    warm = new WarmRecords(() => nowMs);
  });

  const seen = (key: Key): Snapshot | undefined => warm.reading([key], nowMs)?.snapshots[0];

  test('give the latest that was learned, until it is too old or forgotten, whatever came between', () => {
    const texts = ['a', 'b', 'c'];
    const use = fc.record({
      what: fc.constantFrom('learn', 'look', 'forget'),
      key: fc.nat(texts.length - 1),
      passMs: fc.nat(WARM_MS / 2),
      isThere: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(use, { maxLength: 100 }), (uses) => {
        const keys = texts.map((text) => keyOf(text));
        const known = new Map<Key, Snapshot>();
        const records = new WarmRecords(() => nowMs);
        for (const { what, key: place, passMs, isThere } of uses) {
          nowMs += passMs;
          const key = keys[place] as Key;
          if (what === 'forget') {
            records.forget([key]);
            known.delete(key);
          } else if (what === 'learn') {
            const snapshot = isThere ? present(nowMs) : Snapshot.absent(nowMs);
            records.learn(readingOf(key, snapshot));
            known.set(key, snapshot);
          }
          const expected = known.get(key);
          const isWarm = expected !== undefined && expected.seenAtMs >= nowMs - WARM_MS;
          expect(records.reading([key], nowMs)?.snapshots[0]).toBe(isWarm ? expected : undefined);
        }
      }),
    );
  });

  test('keep what is later, whichever comes last', () => {
    const key = keyOf('a');
    const written = present(nowMs - 20, nowMs);
    warm.learn(readingOf(key, written));
    warm.learn(readingOf(key, Snapshot.absent(nowMs - 10)));
    expect(seen(key)).toBe(written);
    const later = Snapshot.absent(nowMs + 1);
    warm.learn(readingOf(key, later));
    expect(seen(key)).toBe(later);
    expect(warm.size).toBe(1);
  });

  test('are found by another key of the same text where the record is there, and forgotten by it', () => {
    const snapshot = present(nowMs);
    const [key, other] = [keyOf('a'), keyOf('a')];
    warm.learn(readingOf(key, snapshot));
    expect(seen(other)).toBe(snapshot);
    warm.forget([other]);
    expect(seen(key)).toBeUndefined();
    expect(seen(keyOf('a'))).toBeUndefined();
  });

  test('are forgotten by any key of their text, whoever has seen them', () => {
    const [key, other] = [keyOf('a'), keyOf('a')];
    nowMs += WARM_MS / 2;
    for (const passMs of [0, WARM_MS / 2 + 1]) {
      const snapshot = present(nowMs);
      warm.learn(readingOf(key, Snapshot.absent(nowMs)));
      warm.learn(readingOf(other, snapshot));
      nowMs += passMs;
      warm.learn(readingOf(keyOf('b'), present(nowMs)));
      expect(seen(keyOf('a'))).toBe(snapshot);
      warm.forget([key]);
      for (const one of [key, other, keyOf('a')]) expect(seen(one)).toBeUndefined();
    }
  });

  test('tell nobody but the key itself that there is no record', () => {
    const key = keyOf('a');
    const absent = Snapshot.absent(nowMs);
    warm.learn(readingOf(key, absent));
    expect(seen(key)).toBe(absent);
    expect(seen(keyOf('a'))).toBeUndefined();
  });

  test('take what was under a previous text from no other key', () => {
    const [snapshot, before] = [present(nowMs), present(nowMs)];
    const key = keyOf('a', 'was');
    warm.learn(readingOf(key, snapshot, before));
    expect(warm.reading([key], nowMs)?.recordAt(0, 0)).toEqual({ at: 1 });
    expect(warm.reading([keyOf('a', 'other')], nowMs)).toBeUndefined();
    expect(seen(keyOf('a'))).toBe(snapshot);
    warm.learn(readingOf(key, snapshot, Snapshot.absent(nowMs - 1)));
    expect(
      warm
        .reading([key], nowMs)
        ?.with([Snapshot.absent(nowMs)])
        .recordAt(0, 0),
    ).toEqual({ at: 1 });
    warm.forget([key]);
    expect(warm.reading([key], nowMs)).toBeUndefined();
  });

  test('are those of their own store: a key that another one has marked is read anew', () => {
    const key = keyOf('a');
    warm.learn(readingOf(key, Snapshot.absent(nowMs)));
    const other = new WarmRecords(() => nowMs);
    expect(other.reading([key], nowMs)).toBeUndefined();
    other.learn(readingOf(key, Snapshot.absent(nowMs)));
    expect(seen(key)).toBeUndefined();
  });

  test('stay bounded under a flood of keys, which keep nothing of what was dropped', () => {
    const first = keyOf('first', 'was');
    const [snapshot, before] = [present(nowMs), present(nowMs)];
    warm.learn(readingOf(first, snapshot, before));
    for (let index = 0; index < 20_000; index += 1) {
      warm.learn(readingOf(keyOf(`${index}`), present(nowMs)));
      expect(warm.size).toBeLessThanOrEqual(8_192);
    }
    expect(seen(first)).toBeUndefined();
    for (const dropped of [snapshot, before]) expect(Object.values(first.mark ?? {})).not.toContain(dropped);
  });

  test('keep a record through the flood that is written again and again', () => {
    const key = keyOf('hot');
    let snapshot = present(nowMs);
    for (let index = 0; index < 20_000; index += 1) {
      if (index % 1_000 === 0) {
        snapshot = present(nowMs);
        warm.learn(readingOf(key, snapshot));
      }
      warm.learn(readingOf(keyOf(`${index}`), Snapshot.absent(nowMs)));
      expect(seen(key)).toBe(snapshot);
      expect(seen(keyOf('hot'))).toBe(snapshot);
    }
  });

  test('are dropped with time, however few there are', () => {
    const key = keyOf('a');
    const snapshot = present(nowMs);
    warm.learn(readingOf(key, snapshot));
    for (const text of ['b', 'c']) {
      nowMs += WARM_MS + 1;
      warm.learn(readingOf(keyOf(text), present(nowMs)));
    }
    expect(warm.size).toBe(2);
    expect(Object.values(key.mark ?? {})).not.toContain(snapshot);
  });
});
