import { describe, expect, it } from 'vitest';
import type { HeldRecord } from './store.ts';
import { untilAborted } from './until-aborted.ts';

const record = (key: string): HeldRecord => ({ key, value: { at: 1 } });

async function keysOf(records: AsyncIterable<HeldRecord>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of records) keys.push(key);
  return keys;
}

describe('a walk until it is aborted', () => {
  it('shows all records of all pages where nobody aborts it', async () => {
    async function* pages() {
      yield [record('a'), record('b')];
      yield [];
      yield [record('c')];
    }
    expect(await keysOf(untilAborted(pages(), undefined))).toEqual(['a', 'b', 'c']);
  });

  it('ends while it finds nothing, and lets the walk go', async () => {
    const ending = new AbortController();
    let walked = 0;
    let isLeft = false;
    async function* pages() {
      try {
        for (;;) {
          walked += 1;
          if (walked === 3) ending.abort();
          yield [];
        }
      } finally {
        isLeft = true;
      }
    }
    expect(await keysOf(untilAborted(pages(), ending.signal))).toEqual([]);
    expect([walked, isLeft]).toEqual([3, true]);
  });

  it('shows nothing more of a page once it is aborted', async () => {
    const ending = new AbortController();
    async function* pages() {
      yield [record('a'), record('b')];
    }
    const seen: string[] = [];
    for await (const { key } of untilAborted(pages(), ending.signal)) {
      seen.push(key);
      ending.abort();
    }
    expect(seen).toEqual(['a']);
  });
});
