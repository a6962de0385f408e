import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';

describe('a virtual clock', () => {
  test('stands still until it is told to go on', async () => {
    const clock = new VirtualClock(1_000);
    expect(clock.now()).toBe(1_000);
    await clock.advance(500);
    expect(clock.now()).toBe(1_500);
  });

  test('runs timers in the order of their time, and of one time in the order they were set', async () => {
    const timers = fc.array(fc.record({ delayMs: fc.nat(50), isCancelled: fc.boolean() }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(timers, async (planned) => {
        const clock = new VirtualClock();
        const ran: number[] = [];
        planned.forEach(({ delayMs, isCancelled }, index) => {
          const cancel = clock.after(delayMs, () => {
            expect(clock.now()).toBe(delayMs);
            ran.push(index);
          });
          if (isCancelled) cancel();
        });
        await clock.advance(100);
        const expected = [...planned.entries()]
          .filter(([, { isCancelled }]) => !isCancelled)
          .sort(([a, one], [b, other]) => one.delayMs - other.delayMs || a - b)
          .map(([index]) => index);
        expect(ran).toEqual(expected);
      }),
    );
  });

  test('lets promises settle between two timers', async () => {
    const clock = new VirtualClock();
    const story: string[] = [];
    clock.after(1, () => {
      void Promise.resolve()
        .then(() => undefined)
        .then(() => story.push('settled'));
    });
    clock.after(1, () => story.push('next'));
    await clock.advance(1);
    expect(story).toEqual(['settled', 'next']);
  });

  test('runs timers that timers set, if they are due', async () => {
    const clock = new VirtualClock();
    const ran: number[] = [];
    const again = () => {
      ran.push(clock.now());
      clock.after(10, again);
    };
    clock.after(10, again);
    await clock.advance(35);
    expect(ran).toEqual([10, 20, 30]);
  });

  test('goes on until some work is done, and no further', async () => {
    const clock = new VirtualClock();
    let isLate = false;
    clock.after(100, () => {
      isLate = true;
    });
    const work = new Promise<string>((resolve) => clock.after(40, () => resolve('done')));
    expect(await clock.complete(work)).toBe('done');
    expect([clock.now(), isLate]).toEqual([40, false]);
  });
});
