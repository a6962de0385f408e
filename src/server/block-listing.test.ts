import { describe, expect, it } from 'vitest';
import type { RunningBlock } from './block-book.ts';
import { listBlocks } from './block-listing.ts';

const never = new Promise<void>(() => {});
const blockOf = (index: number, level = 1): RunningBlock => ({
  id: `login:K4:${index}`,
  policy: 'login',
  scope: 'K4',
  outcome: 'HARD_BLOCK',
  level,
  until: 1_000 + index,
});

/** A book whose walk may take its time. */
const bookOf = (running: () => AsyncGenerator<RunningBlock>) => ({ running, now: async () => 1_000 });

describe('a list of blocks', () => {
  it('comes to the end of a walk that is in time', async () => {
    const book = bookOf(async function* () {
      for (let index = 1; index <= 5; index += 1) yield blockOf(index, index);
    });
    const { blocks, more, whole } = await listBlocks(book, 2, never);
    expect(blocks.map(({ level }) => level)).toEqual([5, 4]);
    expect([more, whole]).toEqual([true, true]);
    expect(await listBlocks(book, 5, never)).toMatchObject({ more: false, whole: true });
  });

  it('has what was found when the time is up, says so, and ends the walk', async () => {
    let isUp = () => {};
    const up = new Promise<void>((resolve) => {
      isUp = resolve;
    });
    let walked = 0;
    let hasEnded = () => {};
    const ended = new Promise<void>((resolve) => {
      hasEnded = resolve;
    });
    const book = bookOf(async function* () {
      try {
        for (;;) {
          walked += 1;
          if (walked === 3_000) isUp();
          yield blockOf(walked);
        }
      } finally {
        hasEnded();
      }
    });
    const listing = await listBlocks(book, 10_000, up);
    expect(listing).toMatchObject({ more: true, whole: false });
    expect(listing.blocks.length).toBeGreaterThanOrEqual(2_999);
    await ended;
    expect(walked).toBeLessThan(10_000);
  });

  it('does not wait for a store that finds nothing for long', async () => {
    const book = bookOf(async function* () {
      yield blockOf(1);
      await never;
    });
    expect(await listBlocks(book, 10, Promise.resolve())).toMatchObject({ more: true, whole: false });
  });

  it('fails where the store does', async () => {
    const book = bookOf(async function* () {
      yield blockOf(1);
      throw new Error('the store is away');
    });
    await expect(listBlocks(book, 10, never)).rejects.toThrow('the store is away');
  });
});
