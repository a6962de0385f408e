import { describe, expect, it } from 'vitest';
import type { RunningBlock } from './block-book.ts';
import { HighestBlocks } from './highest-blocks.ts';

const block = (id: string, level: number, fields: Partial<RunningBlock> = {}): RunningBlock => ({
  id,
  policy: 'login',
  scope: 'K4',
  outcome: 'HARD_BLOCK',
  level,
  until: 1_000,
  ...fields,
});

function highest(limit: number, ...blocks: readonly RunningBlock[]) {
  const kept = new HighestBlocks(limit);
  for (const each of blocks) kept.add(each);
  return { ids: kept.inOrder().map(({ id }) => id), isMore: kept.isMore };
}

describe('the highest of many blocks', () => {
  it('are kept wherever they come, and the lowest give way', () => {
    const crowd = Array.from({ length: 500 }, (_, n) => block(`low-${n}`, 1 + (n % 2)));
    const listed = highest(3, ...crowd, block('worst', 6), ...crowd, block('gateway', 4, { scope: 'U' }));
    expect(listed.ids.slice(0, 2)).toEqual(['worst', 'gateway']);
    expect(listed.ids).toHaveLength(3);
    expect(listed.isMore).toBe(true);
  });

  it('stand in order: by level, hard before soft, and what ends first before what ends later', () => {
    const { ids, isMore } = highest(
      10,
      block('soft', 3, { outcome: 'SOFT_BLOCK', until: 1 }),
      block('low', 1),
      block('late', 3, { until: 9_000 }),
      block('soon', 3),
    );
    expect(ids).toEqual(['soon', 'late', 'soft', 'low']);
    expect(isMore).toBe(false);
  });

  it('lets a soft block give way to a hard one of the same level', () => {
    expect(highest(1, block('soft', 2, { outcome: 'SOFT_BLOCK' }), block('hard', 2)).ids).toEqual(['hard']);
  });

  it('may be none at all, and then says whether there are some', () => {
    expect(highest(0)).toEqual({ ids: [], isMore: false });
    expect(highest(0, block('one', 1))).toEqual({ ids: [], isMore: true });
  });
});
