import { setImmediate } from 'node:timers/promises';
import type { BlockBook, RunningBlock } from './block-book.ts';
import { HighestBlocks } from './highest-blocks.ts';

/** The highest blocks that were found. */
export interface BlockListing {
  /** The store's time, ms. */
  readonly at: number;
  /** Highest level first. */
  readonly blocks: readonly RunningBlock[];
  /** Whether there are, or may be, others. */
  readonly more: boolean;
  /** Whether all blocks were looked at: if not, others may be as high. */
  readonly whole: boolean;
}

/** So many blocks are looked at in one go: a store in memory gives them without a pause in which others are served. */
const blocksPerTurn = 1_000;

/**
 * The highest of all blocks. Stores list them in no order, so that all have to be looked at, and some stores walk all
 * records to find them: how long that takes nobody knows, and whoever asks needs an answer all the same.
 *
 * @param over when the time for that is up; what was found until then is listed
 */
export async function listBlocks(
  book: Pick<BlockBook, 'running' | 'now'>,
  limit: number,
  over: Promise<void>,
): Promise<BlockListing> {
  const highest = new HighestBlocks(limit);
  const ending = new AbortController();
  const { signal } = ending;
  const walk = async () => {
    let seen = 0;
    for await (const block of book.running({ signal })) {
      if (signal.aborted) return false;
      highest.add(block);
      seen += 1;
      if (seen % blocksPerTurn === 0) await setImmediate();
    }
    return true;
  };
  // In a race the loser may still fail: nobody waits for it any more, and nothing is left unhandled.
  const racing = Promise.race([walk(), over.then(() => false)]);
  // However often somebody asks, no more walks are under way than lists that are waited for.
  const whole = await racing.finally(() => ending.abort());
  // After the walk, which may take its time: what has ended meanwhile does not run any more.
  const at = await book.now();
  const blocks = highest.inOrder().filter(({ until }) => until > at);
  return { at, blocks, more: highest.isMore || !whole, whole };
}
