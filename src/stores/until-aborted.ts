import type { HeldRecord } from './store.ts';

/**
 * The records of a walk, until its signal is aborted. That is heard after every page, also an empty one, while a generator that
 * is told to end hears it only with its next record, which in a walk over many others may be long in coming.
 */
export async function* untilAborted(
  pages: AsyncIterable<readonly HeldRecord[]>,
  signal: AbortSignal | undefined,
): AsyncGenerator<HeldRecord> {
  for await (const page of pages) {
    for (const record of page) {
      if (signal?.aborted) return;
      yield record;
    }
    if (signal?.aborted) return;
  }
}
