import { describe, expect, it } from 'vitest';
import type { WalkOptions } from '../stores/store.ts';
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
const bookOf = (running: (options?: WalkOptions) => AsyncGenerator<RunningBlock>) => ({
  running,
  now: async () => 1_000,
});

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

  it('ends the walk of a store that finds nothing, in time or not, found or failed', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const walkOf = (find: () => Promise<void>) =>
      bookOf(async function* ({ signal } = {}) {
        signals.push(signal);
        await find();
        yield blockOf(1);
      });
    await listBlocks(
      walkOf(() => never),
      10,
      Promise.resolve(),
    );
    await listBlocks(
      walkOf(async () => {}),
      10,
      never,
    );
    const failing = walkOf(() => Promise.reject(new Error('the store is away')));
    await expect(listBlocks(failing, 10, never)).rejects.toThrow('the store is away');
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true]);
  });

  it('fails where the store does', async () => {
    const book = bookOf(async function* () {
      yield blockOf(1);
      throw new Error('the store is away');
    });
    await expect(listBlocks(book, 10, never)).rejects.toThrow('the store is away');
  });
});
