import { beforeEach, describe, expect, test } from 'vitest';
import type { Key } from '../../core/records.ts';
import { Snapshot } from './envelope.ts';
import { KNOWN_BLOCK_MS, KnownBlocks } from './known-blocks.ts';
import { Reading } from './reading.ts';

const key = (text: string, was: string | null = null): Key => ({ text, was });
const now = 1_700_000_000_000;

describe('known blocks', () => {
  let nowMs: number;
  let blocks: KnownBlocks;
  beforeEach(() => {
    nowMs = 10_000;
    blocks = new KnownBlocks(() => nowMs);
  });

  const blocked = (hardMs = 60_000): Snapshot => {
    const retention = { keepMs: 86_400_000, softMs: 0, hardMs };
    const snapshot = Snapshot.unwritten({ value: { at: now }, retention, form: undefined }, now);
    snapshot.written({ writer: 'abcdefgh', count: 10_000_001 }, nowMs, nowMs);
    return snapshot;
  };
  const read = (snapshots: Record<string, Snapshot>): Reading => {
    const reading = Reading.of(
      Object.keys(snapshots).map((text) => key(text)),
      (text) => snapshots[text],
    );
    return reading ?? Reading.nothing;
  };
  const absent = (): Snapshot => Snapshot.absent(nowMs);

  test('answer a view that they have seen whole', () => {
    blocks.learn(read({ a: blocked(), b: absent() }), now);
    expect(blocks.answer([key('a'), key('b')], now)?.reading.keys).toEqual([key('a'), key('b')]);
    expect(blocks.answer([key('a')], now)).toMatchObject({ isAging: false });
  });

  test('answer nothing without a block, with an unknown record, or with a previous text that was not read', () => {
    blocks.learn(read({ a: blocked(), b: absent() }), now);
    expect(blocks.answer([key('b')], now)).toBeUndefined();
    expect(blocks.answer([key('a'), key('c')], now)).toBeUndefined();
    expect(blocks.answer([key('a', 'before')], now)).toBeUndefined();
  });

  test('have what they keep to share, and nothing else', () => {
    const [a, b, c] = [blocked(), absent(), absent()];
    blocks.learn(read({ a, b }), now);
    blocks.learn(read({ c }), now);
    const again = absent();
    blocks.learn(read({ b: again }), now);
    expect([a, b, again, c].map(({ isShared }) => isShared)).toEqual([true, true, true, false]);
  });

  test('end with the block', () => {
    blocks.learn(read({ a: blocked(500) }), now);
    expect(blocks.answer([key('a')], now + 499)?.reading.keys).toHaveLength(1);
    expect(blocks.answer([key('a')], now + 500)).toBeUndefined();
  });

  test('end two seconds after they were seen, and are renewed before', () => {
    blocks.learn(read({ a: blocked() }), now);
    nowMs += KNOWN_BLOCK_MS / 2 + 1;
    expect(blocks.answer([key('a')], now)?.isAging).toBe(true);
    nowMs += KNOWN_BLOCK_MS / 2;
    expect(blocks.answer([key('a')], now)).toBeUndefined();
  });

  test('do not answer with a record that was read before the block', () => {
    blocks.learn(read({ a: blocked(), b: absent() }), now);
    nowMs += 1;
    blocks.learn(read({ a: blocked() }), now);
    expect(blocks.answer([key('a'), key('b')], now)).toBeUndefined();
    blocks.learn(read({ b: absent() }), now);
    expect(blocks.answer([key('a'), key('b')], now)?.reading.keys).toHaveLength(2);
  });

  test('take in a lift, and forget what is in doubt', () => {
    blocks.learn(read({ a: blocked() }), now);
    nowMs += 1;
    blocks.learn(read({ a: blocked(0) }), now);
    expect(blocks.answer([key('a')], now)).toBeUndefined();
    nowMs += 1;
    blocks.learn(read({ a: blocked() }), now);
    blocks.forget([key('a')]);
    expect(blocks.answer([key('a')], now)).toBeUndefined();
  });

  test('take in nothing of views that met no block', () => {
    blocks.learn(read({ a: absent() }), now);
    expect(blocks.size).toBe(0);
  });

  test('are read once for all who ask at the same time, and again for those who ask later', async () => {
    let reads = 0;
    const readAgain = async () => {
      reads += 1;
      return read({ a: blocked() });
    };
    await Promise.all([blocks.share([key('a')], readAgain), blocks.share([key('a')], readAgain)]);
    expect(reads).toBe(1);
    await blocks.share([key('a')], readAgain);
    expect(reads).toBe(2);
  });

  test('are read again after a read that failed', async () => {
    const failing = blocks.share([key('a')], () => Promise.reject(new RangeError('lost')));
    await expect(failing).rejects.toThrow('lost');
    await expect(blocks.share([key('a')], async () => Reading.nothing)).resolves.toBe(Reading.nothing);
  });

  test('that are too old to be answered with still tell that a view may be blocked', () => {
    blocks.learn(read({ a: blocked() }), now);
    nowMs += KNOWN_BLOCK_MS + 1;
    expect(blocks.answer([key('a')], now)).toBeUndefined();
    expect(blocks.mayBlock([key('a')], now)).toBe(true);
    expect(blocks.mayBlock([key('a')], now + 60_000)).toBe(false);
    expect(blocks.mayBlock([key('b')], now)).toBe(false);
  });

  test('are known to have run under the previous text too: a block stays there while a key rotation runs', () => {
    blocks.learn(read({ new: absent(), old: blocked() }), now);
    nowMs += KNOWN_BLOCK_MS + 1;
    expect(blocks.mayBlock([key('new', 'old')], now)).toBe(true);
    expect(blocks.mayBlock([key('new', 'older')], now)).toBe(false);
  });
});
