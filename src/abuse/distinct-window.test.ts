import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DistinctWindow, emptyDistinct, noteDistinct, shareOf } from './distinct-window.ts';

const bounds = { windowMs: 100, most: 5, countsNovelty: false };
const anySights = fc.array(
  fc.record({ id: fc.constantFrom(...'abcdefghij'), gap: fc.integer({ min: 0, max: 60 }) }),
  {
    maxLength: 80,
  },
);

/** All sights are remembered, and looked through each time. */
function naive(sights: readonly { id: string; at: number }[], now: number, windowMs: number): string[] {
  const latest = new Map<string, number>();
  for (const { id, at } of sights) if (at > now - windowMs) latest.set(id, at);
  return [...latest.keys()];
}

describe('a window of distinct values', () => {
  it('is exact as long as it is not full', () => {
    fc.assert(
      fc.property(anySights, (sights) => {
        let now = 0;
        let window: DistinctWindow = emptyDistinct;
        const seen: { id: string; at: number }[] = [];
        for (const { id, gap } of sights) {
          now += gap;
          seen.push({ id, at: now });
          window = noteDistinct(window, id, now, { ...bounds, most: 10 });
          expect([...window.ids].sort()).toEqual(naive(seen, now, bounds.windowMs).sort());
        }
      }),
    );
  });

  it('never holds more than its bound, each value once, the stalest first', () => {
    fc.assert(
      fc.property(anySights, (sights) => {
        let now = 0;
        let window: DistinctWindow = emptyDistinct;
        for (const { id, gap } of sights) {
          now += gap;
          const before = structuredClone(window);
          const next = noteDistinct(window, id, now, bounds);
          expect(window).toEqual(before);
          window = next;
          expect(window.ids.length).toBeLessThanOrEqual(bounds.most);
          expect(new Set(window.ids).size).toBe(window.ids.length);
          expect([...window.ats]).toEqual([...window.ats].sort((a, b) => a - b));
          expect(window.ids.at(-1)).toBe(id);
        }
      }),
    );
  });

  it('knows which share was new', () => {
    let window: DistinctWindow = emptyDistinct;
    for (const id of ['a', 'b', 'a', 'a'])
      window = noteDistinct(window, id, 10, { ...bounds, countsNovelty: true });
    expect(shareOf(window.novelty, 10, bounds.windowMs)).toBe(0.5);
    expect(shareOf(emptyDistinct.novelty, 10, bounds.windowMs)).toBe(1);
  });

  it('lets the previous window fade while the next goes by', () => {
    let window: DistinctWindow = emptyDistinct;
    const counting = { ...bounds, countsNovelty: true };
    for (let index = 0; index < 10; index += 1) window = noteDistinct(window, 'same', 0, counting);
    for (const id of ['a', 'b', 'c', 'd', 'e']) window = noteDistinct(window, id, 150, counting);
    expect(shareOf(window.novelty, 150, bounds.windowMs)).toBeCloseTo((5 + 0.5) / (5 + 5));
    window = noteDistinct(window, 'f', 1_000, counting);
    expect(shareOf(window.novelty, 1_000, bounds.windowMs)).toBe(1);
  });
});
