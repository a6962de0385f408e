import { describe, expect, it } from 'vitest';
import type { Key, Records, StoredRecord } from './records.ts';
import { isLive, readLive, retentionOf } from './retention.ts';

const key: Key = { text: 'portcullis:live:login:1:K4:{aa}', was: null };

/** A store that holds this under every key, expired or not. */
const holding = (record: StoredRecord | undefined): Records => ({
  get: <R extends StoredRecord>() => record as R | undefined,
  put: () => undefined,
});

describe('a record (§1, §3)', () => {
  it('is there until just before its time after the last write has passed', () => {
    expect([1_000, 1_499, 1_500].map((t) => isLive(1_000, t, 500))).toEqual([true, true, false]);
  });

  it('counts as absent from then on, although the store still holds it', () => {
    const record = { at: 1_000 };
    expect(readLive(holding(record), key, 1_499, 500)).toBe(record);
    expect(readLive(holding(record), key, 1_500, 500)).toBeUndefined();
  });

  it('is absent where the store has none and where the request has no such key', () => {
    expect(readLive(holding(undefined), key, 0, 500)).toBeUndefined();
    expect(readLive(holding({ at: 0 }), null, 0, 500)).toBeUndefined();
  });
});

describe('how long a record matters', () => {
  it('tells for how long each block still runs, and 0 for one that has ended', () => {
    expect(retentionOf(900, 1_020, 1_030, 1_000)).toEqual({ keepMs: 900, softMs: 20, hardMs: 30 });
    expect(retentionOf(900, 1_001, 970, 1_000)).toEqual({ keepMs: 900, softMs: 1, hardMs: 0 });
    expect(retentionOf(900, 980, 1_001, 1_000)).toEqual({ keepMs: 900, softMs: 0, hardMs: 1 });
    expect(retentionOf(900, 980, 970, 1_000)).toEqual({ keepMs: 900, softMs: 0, hardMs: 0 });
    expect(retentionOf(900, 1_000, 1_000, 1_000)).toEqual({ keepMs: 900, softMs: 0, hardMs: 0 });
  });

  it('is one and the same for writes without a block that are kept equally long', () => {
    const first = retentionOf(900, 1_000, 1_000, 1_000);
    expect(retentionOf(900, 999, 1_000, 1_000)).toBe(first);
    expect(retentionOf(900, 1_000, 999, 1_000)).toBe(first);
    expect(retentionOf(901, 1_000, 1_000, 1_000)).toEqual({ keepMs: 901, softMs: 0, hardMs: 0 });
    expect(first.keepMs).toBe(900);
  });
});
