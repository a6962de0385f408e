import { describe, expect, it } from 'vitest';
import { deal, plan, quickestFirst } from './plan.mjs';

const test = (file, over) => ({ file, ms: 1, loaded: [], hits: [], ...over });
const nobody = () => false;

describe('plan', () => {
  it('lets mutants share a run that only tests come by', () => {
    const tests = [
      test('a', {
        hits: [
          [7, 3],
          [8, 1],
        ],
      }),
      test('b', { hits: [[7, 1]] }),
    ];
    expect(plan([{ id: 7 }, { id: 8 }], tests, nobody)).toEqual({
      alone: [],
      together: [7, 8],
      uncovered: [],
    });
  });

  it('gives a mutant that loading comes by a run of its own, over all files that know it', () => {
    const tests = [test('c', { hits: [[7, 3]], ms: 20 }), test('a', { loaded: [[7, 1]] }), test('b', {})];
    expect(plan([{ id: 7 }], tests, nobody).alone).toEqual([
      { active: 7, hitLimit: 1_400, files: ['a', 'c'], limitMs: 60_420 },
    ]);
  });

  it('puts the tests beside the mutant first', () => {
    const tests = [test('a', { loaded: [[7, 1]] }), test('b', { loaded: [[7, 1]] })];
    const [order] = plan([{ id: 7 }], tests, (file) => file === 'b').alone;
    expect(order.files).toEqual(['b', 'a']);
  });

  it('names what no test comes by', () => {
    expect(plan([{ id: 7 }], [test('a', { hits: [[8, 1]] })], nobody).uncovered).toEqual([7]);
  });
});

describe('deal', () => {
  it('gives everything out, evenly', () => {
    expect(deal([1, 2, 3, 4, 5], 2)).toEqual([
      [1, 3, 5],
      [2, 4],
    ]);
  });
});

describe('quickestFirst', () => {
  it('orders files by the mean time of their tests', () => {
    const tests = [
      test('a', { ms: 90 }),
      test('a', { ms: 10 }),
      test('b', { ms: 40 }),
      test('c', { ms: 70 }),
    ];
    expect(quickestFirst(tests)).toEqual(['b', 'a', 'c']);
  });
});
