import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Token } from './subject.ts';
import { clearWatched, makeWatchedWindow, observeWatched, seenIn } from './watch.ts';
import { hasSeen, observe, trim } from './window.ts';

const token = (hash: string, was: string | null = null): Token => ({ hash, was });

describe('observe', () => {
  it('drops what is exactly as old as the window, keeps what is a millisecond younger', () => {
    const window = [
      { id: 'a', at: 0 },
      { id: 'b', at: 1 },
    ];
    expect(observe(window, token('c'), 100, 100)).toEqual([
      { id: 'b', at: 1 },
      { id: 'c', at: 100 },
    ]);
  });

  it('refreshes in place, and drops around it', () => {
    const window = [
      { id: 'x', at: -95 },
      { id: 'a', at: 1 },
      { id: 'y', at: -91 },
      { id: 'b', at: 2 },
    ];
    expect(hasSeen(window, token('a'), 9, 100)).toBe(true);
    expect(observe(window, token('a'), 9, 100)).toEqual([
      { id: 'a', at: 9 },
      { id: 'b', at: 2 },
    ]);
  });

  it('takes an entry under the previous secret for the same and renames it', () => {
    expect(hasSeen([{ id: 'old', at: 1 }], token('new', 'old'), 5, 100)).toBe(true);
    expect(observe([{ id: 'old', at: 1 }], token('new', 'old'), 5, 100)).toEqual([{ id: 'new', at: 5 }]);
  });

  it('keeps its list where that has room', () => {
    const window = [{ id: 'a', at: 0 }];
    expect(observe(window, token('b'), 100, 100)).toBe(window);
    expect(window).toEqual([{ id: 'b', at: 100 }]);
  });

  it('counts what was seen within the window, each once', () => {
    const sightings = fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 40 })),
    );
    fc.assert(
      fc.property(sightings, (list) => {
        let window: { id: string; at: number }[] = [];
        let now = 0;
        const last = new Map<string, number>();
        for (const [id, waitMs] of list) {
          now += waitMs;
          const before = last.get(id);
          expect(hasSeen(window, token(id), now, 50)).toBe(before !== undefined && before > now - 50);
          window = observe(window, token(id), now, 50);
          last.set(id, now);
        }
        const expected = [...last].filter(([, at]) => at > now - 50).map(([id, at]) => ({ id, at }));
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        expect([...window].sort(byId)).toEqual(expected.sort(byId));
      }),
    );
  });
});

describe('trim', () => {
  it('drops the stalest, of equals the first added', () => {
    const window = [
      { id: 'a', at: 5 },
      { id: 'b', at: 3 },
      { id: 'c', at: 3 },
      { id: 'd', at: 9 },
    ];
    expect(trim(window, 3).map(({ id }) => id)).toEqual(['a', 'c', 'd']);
    expect(trim(window, 1).map(({ id }) => id)).toEqual(['d']);
    expect(trim(window, 4)).toBe(window);
  });

  it('of entries that are all equally stale drops the first added', () => {
    const window = [...'abc'].map((id) => ({ id, at: 5 }));
    expect(trim(window, 2).map(({ id }) => id)).toEqual(['b', 'c']);
  });
});

describe('observeWatched', () => {
  const rule = { count: 3, windowMs: 100 };
  const narrow = { ...rule, windowMs: 2 };
  /** A window that has seen these, all at 1, and what the last sight came to. */
  const seeing = (ids: string) => {
    const watched = makeWatchedWindow();
    const sights = [...ids].map((id) => observeWatched(watched, token(id), 1, rule, 1_000));
    return { watched, last: sights.at(-1) };
  };

  it('fires at N, with everybody there, until it is cleared', () => {
    const { watched, last } = seeing('abc');
    expect([last, seenIn(watched).map(({ id }) => id)]).toEqual(['fired', ['a', 'b', 'c']]);
    clearWatched(watched);
    expect(watched).toEqual(makeWatchedWindow());
  });

  it('sets a flag at N − 1 and fires there the next time while the flag runs', () => {
    const again = (at: number) => {
      const { watched, last } = seeing('ab');
      expect([last, watched.watchUntil]).toEqual(['added', 1_001]);
      observeWatched(watched, token('c'), at - 1, narrow, 1_000);
      return observeWatched(watched, token('d'), at, narrow, 1_000);
    };
    expect([again(1_000), again(1_001)]).toEqual(['fired', 'added']);
  });

  it('sees what a plain list of all sightings tells, for any N', () => {
    const sightings = fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 0, max: 60 })),
    );
    fc.assert(
      fc.property(sightings, fc.integer({ min: 1, max: 5 }), (list, count) => {
        const watched = makeWatchedWindow();
        let [seen, watchUntil, now] = [new Map<string, number>(), 0, 0];
        for (const [id, waitMs] of list) {
          now += waitMs;
          seen = new Map([...seen].filter(([, at]) => at > now - 50));
          const isAdded = !seen.has(id);
          seen.set(id, now);
          const isNear = isAdded && seen.size === count - 1;
          const fires = seen.size >= count || (isNear && now < watchUntil);
          const expected = fires ? 'fired' : isAdded ? 'added' : 'refreshed';
          expect(observeWatched(watched, token(id), now, { count, windowMs: 50 }, 90)).toBe(expected);
          if (isNear && !fires) watchUntil = now + 90;
          expect(seenIn(watched)).toEqual([...seen].map(([name, at]) => ({ id: name, at })));
          if (!fires) continue;
          clearWatched(watched);
          [seen, watchUntil] = [new Map(), 0];
        }
      }),
      { numRuns: 500 },
    );
  });

  it('makes the one entry anew under the present secret', () => {
    const watched = makeWatchedWindow();
    observeWatched(watched, token('old'), 1, rule, 1_000);
    expect(observeWatched(watched, token('new', 'old'), 5, rule, 1_000)).toBe('refreshed');
    expect(seenIn(watched)).toEqual([{ id: 'new', at: 5 }]);
  });

  it('a refreshed entry neither sets the flag nor fires', () => {
    const { watched } = seeing('ab');
    expect(observeWatched(watched, token('b'), 2, rule, 5_000)).toBe('refreshed');
    expect(watched.watchUntil).toBe(1_001);
  });
});
