import { describe, expect, it } from 'vitest';
import { climb } from './layered-beam.ts';

/** Numbers from 1 on: doubling goes up one layer, adding one does too. The aim is the largest within the layers. */
const doubling = (width: number) => ({
  start: 1,
  width,
  isOver: () => false,
  bucketOf: (value: number) => `${value}`,
  rank: (value: number) => -value,
  *expand(value: number) {
    if (value > 500) return;
    yield { to: value + 1, up: 1 };
    yield { to: value * 2, up: 1 };
    yield { to: value * 5, up: 2 };
  },
});

describe('climb', () => {
  it('gives each layer with its best candidates first, no more than the width', () => {
    const layers = [...climb(doubling(3))].slice(0, 4);
    expect(layers).toEqual([
      { layer: 0, candidates: [1] },
      { layer: 1, candidates: [2] },
      { layer: 2, candidates: [5, 4, 3] },
      { layer: 3, candidates: [10, 8, 6] },
    ]);
  });

  it('finds what a narrow one misses when the way leads through what looks worse', () => {
    const trap = (width: number) => ({
      ...doubling(width),
      *expand(value: number) {
        if (value === 1) yield* [2, 3].map((to) => ({ to, up: 1 }));
        if (value === 2) yield { to: 100, up: 1 };
        if (value === 3) yield { to: 4, up: 1 };
      },
    });
    const best = (width: number) => [...climb(trap(width))].at(-1)?.candidates[0];
    expect(best(1)).toBe(4);
    expect(best(2)).toBe(100);
  });

  it('stops when it is over', () => {
    expect([...climb({ ...doubling(3), isOver: () => true })]).toEqual([{ layer: 0, candidates: [1] }]);
  });
});
