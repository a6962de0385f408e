import { describe, expect, it } from 'vitest';
import { blockWords, readBlockList, stillBlocked } from './block-list.ts';

const hard = {
  id: 'login:K4:a',
  policy: 'login',
  scope: 'K4',
  outcome: 'HARD_BLOCK',
  level: 3,
  until: 5_000,
};
const soft = { ...hard, outcome: 'SOFT_BLOCK', level: 1, until: 9_000 };
const other = { ...hard, id: 'limits.default:U:b', policy: 'limits.default', scope: 'U', level: 2 };

describe('the list of running blocks', () => {
  it('has one entry for a key, however many blocks it has: a lift ends them all', () => {
    const { at, keys, isMore } = readBlockList({ at: 1_000, blocks: [hard, other, soft], more: true });
    expect(keys.map(({ id, blocks }) => [id, blocks.length])).toEqual([
      [hard.id, 2],
      [other.id, 1],
    ]);
    expect(keys.map(blockWords)).toEqual(['hard block and soft block', 'hard block']);
    expect([at, isMore]).toEqual([1_000, true]);
  });

  it('may be one of which the service has not seen the end', () => {
    expect(readBlockList({ at: 1, blocks: [hard], more: true, whole: false }).isWhole).toBe(false);
    expect(readBlockList({ at: 1, blocks: [hard], more: true, whole: true }).isWhole).toBe(true);
  });

  it('leaves out what has ended by the time of the store', () => {
    const { keys } = readBlockList({ at: 1_000, blocks: [hard, other, soft], more: false });
    expect(stillBlocked(keys, 4_999)).toEqual(keys);
    expect(stillBlocked(keys, 5_000).map(blockWords)).toEqual(['soft block']);
    expect(stillBlocked(keys, 9_000)).toEqual([]);
  });

  it('survives an answer that says something else', () => {
    const nothing = { at: null, keys: [], isMore: false, isWhole: true };
    for (const answer of [null, [], { blocks: 3 }, { blocks: [null, { id: 'x' }] }])
      expect(readBlockList(answer)).toEqual(nothing);
  });
});
