import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClientRecord } from '../../core/client-state.ts';
import type { Key } from '../../core/records.ts';
import { cleanStanding } from '../../core/standing.ts';
import type { Put } from '../step-records.ts';
import { Snapshot } from './envelope.ts';
import { RecordCache } from './record-cache.ts';

const version = { writer: 'abcdefgh', count: 10_000_001 };

const keyOf = (text: string): Key => ({ text, was: null });

describe('a cache of records', () => {
  test('never holds more than its bound, and never gives what is too old', () => {
    const use = fc.record({ key: fc.nat(40), passMs: fc.nat(30) });
    fc.assert(
      fc.property(fc.array(use, { maxLength: 200 }), (uses) => {
        let nowMs = 0;
        const cache = new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => nowMs);
        const seenAt = new Map<string, number>();
        for (const { key, passMs } of uses) {
          nowMs += passMs;
          cache.tidy();
          cache.set(`${key}`, Snapshot.absent(nowMs));
          seenAt.set(`${key}`, nowMs);
          expect(cache.size).toBeLessThanOrEqual(10);
          for (const [text, atMs] of seenAt) {
            const found = cache.get(text, cache.oldestMs());
            if (found !== undefined) expect(found.seenAtMs).toBe(atMs);
            if (nowMs - atMs > 50) expect(found).toBeUndefined();
          }
          expect(cache.get(`${key}`, cache.oldestMs())?.seenAtMs).toBe(nowMs);
        }
      }),
    );
  });

  test('keeps the fresher of two snapshots, whichever comes last', () => {
    const cache = new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => 20);
    cache.set('key', Snapshot.absent(20));
    cache.set('key', Snapshot.absent(10));
    expect(cache.get('key', 0)?.seenAtMs).toBe(20);
  });

  test('keeps what was written over what was asked for before the reply to that, and not over what was asked for after it', () => {
    const cache = new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => 20);
    const retention = { keepMs: 1_000, softMs: 0, hardMs: 0 };
    const written = Snapshot.unwritten({ value: { at: 1 }, retention, form: undefined }, 0);
    written.written(version, 10, 20);
    cache.set('key', Snapshot.absent(15));
    cache.set('key', written);
    expect(cache.get('key', 0)).toBe(written);
    cache.set('key', Snapshot.absent(19));
    expect(cache.get('key', 0)).toBe(written);
    expect(cache.get('key', 11)).toBeUndefined();
    cache.set('key', Snapshot.absent(21));
    expect(cache.get('key', 0)?.seenAtMs).toBe(21);
  });

  test('keeps the fresher of two snapshots over the change of generations', () => {
    let nowMs = 0;
    const cache = new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => nowMs);
    nowMs = 40;
    cache.set('key', Snapshot.absent(40));
    nowMs = 60;
    cache.tidy();
    cache.set('key', Snapshot.absent(39));
    expect(cache.get('key', 0)?.seenAtMs).toBe(40);
    cache.set('key', Snapshot.absent(41));
    expect(cache.get('key', 0)?.seenAtMs).toBe(41);
  });

  test('forgets what it is told to', () => {
    const cache = new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => 0);
    cache.set('key', Snapshot.absent(0));
    cache.delete('key');
    expect(cache.has('key')).toBe(false);
    expect(cache.isEmpty).toBe(true);
  });

  test('is one and the same for all keys of a text, and for those who have none', () => {
    const cache = new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => 0);
    const [key, other] = [keyOf('key'), keyOf('key')];
    const [first, second] = [Snapshot.absent(0), Snapshot.absent(1)];
    cache.setBy(key, first);
    cache.setBy(other, second);
    for (const one of [key, other, keyOf('key')]) expect(cache.getBy(one, 0)).toBe(second);
    expect(cache.get('key', 0)).toBe(second);
    expect(cache.size).toBe(1);
    cache.delete('key');
    for (const one of [key, other, keyOf('key')]) expect(cache.getBy(one, 0)).toBeUndefined();
    cache.setBy(key, first);
    for (const one of [key, other, keyOf('key')]) expect(cache.getBy(one, 0)).toBe(first);
  });

  describe('of a record that was written', () => {
    const open = () => new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => 20);
    const written = (sentAtMs: number, answeredAtMs: number): Snapshot => {
      const snapshot = Snapshot.absent(sentAtMs);
      snapshot.written(version, sentAtMs, answeredAtMs);
      return snapshot;
    };
    const first = written(10, 12);
    const second = written(14, 16);

    test('keeps nothing the first time, nor what was read before it', () => {
      const cache = open();
      const key = keyOf('key');
      cache.setBy(key, Snapshot.absent(5));
      cache.setWritten(key, first, Snapshot.passed(12), false);
      expect(cache.getBy(key, 0)).toBeUndefined();
      cache.setBy(key, Snapshot.absent(11));
      expect(cache.getBy(key, 0)).toBeUndefined();
      const later = Snapshot.absent(13);
      cache.setBy(key, later);
      expect(cache.getBy(key, 0)).toBe(later);
    });

    test('keeps it from the second time on', () => {
      const cache = open();
      const [key, other] = [keyOf('key'), keyOf('key')];
      cache.setWritten(key, first, Snapshot.passed(12), false);
      cache.setWritten(other, second, Snapshot.passed(16), false);
      for (const one of [key, other]) expect(cache.getBy(one, 0)).toBe(second);
    });

    test('keeps it at once where somebody waits for it', () => {
      const cache = open();
      const key = keyOf('key');
      cache.setWritten(key, first, Snapshot.passed(12), true);
      expect(cache.getBy(key, 0)).toBe(first);
    });
  });

  describe('of a record that is written again and again', () => {
    const client = (): ClientRecord => ({
      at: 1,
      standing: cleanStanding,
      tatMs: 0,
      tatUnits: 0,
      limit: 1,
      asked: [],
      askingAt: 0,
      asking: 0,
      askedTotal: 0,
    });
    const put = (form: 'client' | null): Put => ({
      value: form === null ? { at: 1 } : client(),
      retention: { keepMs: 1_000, softMs: 0, hardMs: 0 },
      form: form ?? undefined,
    });
    const passed = Snapshot.passed(0);
    let atMs = 0;
    const write = (cache: RecordCache, key: Key, form: 'client' | null = 'client'): Snapshot => {
      atMs += 1;
      const snapshot = Snapshot.unwritten(put(form), 0);
      snapshot.written(version, atMs, atMs);
      cache.setWritten(key, snapshot, passed, true);
      return snapshot;
    };
    const open = () => {
      atMs = 0;
      return new RecordCache({ maxRecords: 4, maxAgeMs: 50 }, () => atMs);
    };

    test('lends what it was before, and nothing as long as it was nothing', () => {
      const cache = open();
      const key = keyOf('key');
      expect(cache.spareOf(key)).toBeNull();
      const first = write(cache, key);
      expect(cache.spareOf(key)).toBeNull();
      const second = write(cache, key);
      expect(cache.spareOf(key)).toBe(first);
      write(cache, key);
      expect(cache.spareOf(keyOf('key'))).toBe(second);
    });

    test('lends nothing that was read, that others have, or whose form is not copied', () => {
      const cache = open();
      const [read, shared, formless] = [keyOf('read'), keyOf('shared'), keyOf('formless')];
      cache.setBy(read, Snapshot.absent(0));
      write(cache, shared).isShared = true;
      write(cache, formless, null);
      for (const [key, form] of [[read], [shared], [formless, null]] as const) write(cache, key, form);
      for (const key of [read, shared, formless]) expect(cache.spareOf(key)).toBeNull();
    });

    test('lends nothing where it learns of its own writing later than of what came after it', () => {
      const cache = open();
      const key = keyOf('key');
      write(cache, key);
      const later = Snapshot.absent(10);
      cache.setBy(key, later);
      write(cache, key);
      expect(cache.getBy(key, 0)).toBe(later);
      expect(cache.spareOf(key)).toBeNull();
      atMs = 20;
      const latest = write(cache, key);
      atMs = 15;
      write(cache, key);
      expect(cache.getBy(key, 0)).toBe(latest);
      expect(cache.spareOf(key)).toBeNull();
    });

    test('never lends what it shows', () => {
      const use = fc.record({
        what: fc.constantFrom('write', 'write', 'write', 'read', 'delete', 'tidy', 'share'),
        key: fc.nat(5),
        passMs: fc.constantFrom(0, 1, 20, 60),
      });
      fc.assert(
        fc.property(fc.array(use, { maxLength: 100 }), (uses) => {
          const cache = open();
          const keys = Array.from({ length: 6 }, (_, place) => keyOf(`${place}`));
          for (const { what, key: place, passMs } of uses) {
            atMs += passMs;
            const key = keys[place] as Key;
            if (what === 'write') write(cache, key);
            else if (what === 'read') cache.setBy(key, Snapshot.absent(atMs - 5));
            else if (what === 'delete') cache.delete(key.text);
            else if (what === 'tidy') cache.tidy();
            else for (const one of keys) shareIfShown(cache, one);
            for (const one of keys) assertLent(cache, one);
          }
        }),
      );
    });

    function shareIfShown(cache: RecordCache, key: Key): void {
      const shown = cache.getBy(key, Number.NEGATIVE_INFINITY);
      if (shown !== undefined) shown.isShared = true;
    }

    function assertLent(cache: RecordCache, key: Key): void {
      const lent = cache.spareOf(key);
      if (lent === null) return;
      expect(lent.isShared).toBe(false);
      expect(cache.getBy(key, Number.NEGATIVE_INFINITY)).not.toBe(lent);
      expect(cache.has(key.text)).toBe(true);
    }
  });

  test('does not grow with a flood of keys in which no time passes', () => {
    const cache = new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => 0);
    for (let place = 0; place < 100; place += 1) {
      cache.setBy(keyOf(`${place}`), Snapshot.absent(0));
      expect(cache.size).toBeLessThanOrEqual(10);
    }
  });

  test('gives by keys what it gives by texts, whatever was between', () => {
    const use = fc.record({
      what: fc.constantFrom('set', 'setBy', 'delete', 'tidy'),
      key: fc.nat(23),
      passMs: fc.nat(9),
    });
    fc.assert(
      fc.property(fc.array(use, { maxLength: 200 }), (uses) => {
        let nowMs = 0;
        const cache = new RecordCache({ maxRecords: 8, maxAgeMs: 50 }, () => nowMs);
        // Two keys of each text.
        const keys = Array.from({ length: 24 }, (_, place) => keyOf(`${place % 12}`));
        for (const { what, key: place, passMs } of uses) {
          nowMs += passMs;
          const key = keys[place] as Key;
          if (what === 'set') cache.set(key.text, Snapshot.absent(nowMs));
          else if (what === 'setBy') cache.setBy(key, Snapshot.absent(nowMs));
          else if (what === 'delete') cache.delete(key.text);
          else cache.tidy();
          expect(cache.size).toBeLessThanOrEqual(8);
          for (const one of keys) expect(cache.getBy(one, 0)).toBe(cache.get(one.text, 0));
        }
      }),
    );
  });

  test('keeps what was set again in the younger generation when the elder is dropped', () => {
    let nowMs = 0;
    const cache = new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => nowMs);
    const key = keyOf('key');
    let snapshot = Snapshot.absent(0);
    for (let turn = 0; turn < 4; turn += 1) {
      cache.setBy(key, snapshot);
      nowMs += 51;
      cache.tidy();
      expect(cache.getBy(key, 0)).toBe(snapshot);
      snapshot = Snapshot.absent(nowMs);
    }
  });

  test('knows its own keys from those of another', () => {
    const [cache, other] = [1, 2].map(() => new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => 0));
    const key = keyOf('key');
    cache?.setBy(key, Snapshot.absent(0));
    expect(other?.getBy(key, 0)).toBeUndefined();
  });

  test('leaves nothing with a key of what it has dropped', () => {
    let nowMs = 0;
    const cache = new RecordCache({ maxRecords: 10, maxAgeMs: 50 }, () => nowMs);
    const [key, forgotten] = [keyOf('key'), keyOf('forgotten')];
    const snapshot = Snapshot.absent(0);
    const spare = Snapshot.absent(0);
    for (const one of [key, forgotten]) {
      cache.setBy(one, snapshot);
      Object.assign(one.mark ?? {}, { spare });
    }
    cache.delete('forgotten');
    for (let turn = 0; turn < 2; turn += 1) {
      nowMs += 51;
      cache.tidy();
    }
    for (const { mark = {} } of [key, forgotten])
      for (const gone of [snapshot, spare]) expect(Object.values(mark)).not.toContain(gone);
  });
});
