import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Snapshot } from './envelope.ts';
import { RecordCache } from './record-cache.ts';

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
    written.written('abcdefgh00000001', 10, 20);
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
});
