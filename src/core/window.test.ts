import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Token } from './subject.ts';
import { emptyWatchedWindow, observeWatched } from './watch.ts';
import { observe, trim, type Window } from './window.ts';

const token = (hash: string, was: string | null = null): Token => ({ hash, was });

describe('observe', () => {
  it('drops what is exactly as old as the window, keeps what is a millisecond younger', () => {
    const window: Window = [
      { id: 'a', at: 0 },
      { id: 'b', at: 1 },
    ];
    expect(observe(window, token('c'), 100, 100).window.map(({ id }) => id)).toEqual(['b', 'c']);
  });

  it('refreshes in place and says so', () => {
    const window: Window = [
      { id: 'a', at: 1 },
      { id: 'b', at: 2 },
    ];
    expect(observe(window, token('a'), 9, 100)).toEqual({
      window: [
        { id: 'a', at: 9 },
        { id: 'b', at: 2 },
      ],
      added: false,
    });
  });

  it('takes an entry under the previous secret for the same and renames it', () => {
    const { window, added } = observe([{ id: 'old', at: 1 }], token('new', 'old'), 5, 100);
    expect({ window, added }).toEqual({ window: [{ id: 'new', at: 5 }], added: false });
  });

  it('counts what was seen within the window, each once', () => {
    const sightings = fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 40 })),
    );
    fc.assert(
      fc.property(sightings, (list) => {
        let window: Window = [];
        let now = 0;
        const last = new Map<string, number>();
        for (const [id, waitMs] of list) {
          now += waitMs;
          window = observe(window, token(id), now, 50).window;
          last.set(id, now);
        }
        const expected = [...last].filter(([, at]) => at > now - 50).map(([id]) => id);
        expect(window.map(({ id }) => id).sort()).toEqual(expected.sort());
      }),
    );
  });
});

describe('trim', () => {
  it('drops the stalest, of equals the first added', () => {
    const window: Window = [
      { id: 'a', at: 5 },
      { id: 'b', at: 3 },
      { id: 'c', at: 3 },
      { id: 'd', at: 9 },
    ];
    expect(trim(window, 3).map(({ id }) => id)).toEqual(['a', 'c', 'd']);
    expect(trim(window, 1).map(({ id }) => id)).toEqual(['d']);
    expect(trim(window, 4)).toBe(window);
  });
});

describe('observeWatched', () => {
  const rule = { count: 3, windowMs: 100 };
  const seeing = (ids: string, now = 1) =>
    [...ids].reduce(
      (last, id) => observeWatched(last.next, token(id), now, rule, 1_000),
      observeWatched(emptyWatchedWindow, token('-'), -1_000, rule, 1_000),
    );

  it('fires at N and clears its window and flag', () => {
    const fired = seeing('abc');
    expect([fired.fired, fired.next]).toEqual([true, emptyWatchedWindow]);
    expect(fired.seen.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('sets a flag at N − 1 and fires there the next time while the flag runs', () => {
    const near = seeing('ab');
    expect([near.fired, near.next.watchUntil]).toEqual([false, 1_001]);
    const again = (at: number) => {
      const first = observeWatched(near.next, token('c'), at - 1, { ...rule, windowMs: 2 }, 1_000);
      return observeWatched(first.next, token('d'), at, { ...rule, windowMs: 2 }, 1_000).fired;
    };
    expect([again(1_000), again(1_001)]).toEqual([true, false]);
  });

  it('a refreshed entry neither sets the flag nor fires', () => {
    const near = seeing('ab');
    const refreshed = observeWatched(near.next, token('b'), 2, rule, 5_000);
    expect([refreshed.fired, refreshed.added, refreshed.next.watchUntil]).toEqual([false, false, 1_001]);
  });
});
