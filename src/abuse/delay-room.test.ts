import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DelayRoom } from './delay-room.ts';

/** A room, the timers that run for it, and how many of its calls have gone on. */
function bench(most: number) {
  const timers = new Set<() => void>();
  const room = new DelayRoom(most, (_, run) => {
    const timer = () => {
      timers.delete(timer);
      run();
    };
    timers.add(timer);
    return () => timers.delete(timer);
  });
  const state = { gone: 0 };
  const wait = (signal?: AbortSignal) => {
    const waiting = room.wait(1_000, signal);
    void waiting?.then(() => {
      state.gone += 1;
    });
    return waiting;
  };
  return { room, timers, wait, state };
}

describe('a call that is held back', () => {
  it('goes on at once where its caller has gone before, and takes no place', async () => {
    const { room, timers, wait } = bench(1);
    const waiting = wait(AbortSignal.abort());
    expect([room.waiting, timers.size]).toEqual([0, 0]);
    await waiting;
    expect(wait()).not.toBeNull();
  });

  it('leaves neither timer nor listener behind, however it ended', async () => {
    const caller = new AbortController();
    const ears = new Set<unknown>();
    const { signal } = caller;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      ears.add(args[1]);
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      ears.delete(args[1]);
      removeEventListener.apply(signal, args);
    };
    const { room, timers, wait } = bench(2);
    const [inTime, left] = [wait(signal), wait(signal)];
    for (const timer of [...timers].slice(0, 1)) timer();
    await inTime;
    expect([room.waiting, timers.size, ears.size]).toEqual([1, 1, 1]);
    caller.abort();
    await left;
    expect([room.waiting, timers.size, ears.size]).toEqual([0, 0, 0]);
  });

  it('never is one of more than there is room for, and always goes on', async () => {
    const anyStep = fc.constantFrom('come', 'come', 'come gone', 'leave', 'time');
    await fc.assert(
      fc.asyncProperty(fc.nat(3), fc.array(anyStep, { maxLength: 40 }), async (most, steps) => {
        const { room, timers, wait, state } = bench(most);
        const callers: AbortController[] = [];
        let heldBack = 0;
        for (const step of steps) {
          const isFull = room.waiting === most;
          if (step === 'leave') callers.shift()?.abort();
          else if (step === 'time') for (const timer of [...timers].slice(0, 1)) timer();
          else {
            const caller = new AbortController();
            if (step === 'come gone') caller.abort();
            const waiting = wait(caller.signal);
            expect(waiting === null).toBe(isFull);
            if (waiting !== null) heldBack += 1;
            callers.push(caller);
          }
          expect(room.waiting).toBe(timers.size);
          expect(room.waiting).toBeLessThanOrEqual(most);
        }
        for (const timer of [...timers]) timer();
        await Promise.resolve();
        expect([room.waiting, state.gone]).toEqual([0, heldBack]);
      }),
    );
  });
});
