import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../testing/virtual-clock.ts';
import type { Clock } from './clock.ts';
import { withinDeadline } from './deadline.ts';

const deadlineMs = 50;

/** A process that stands still once while something is waited for, or each time. */
function lateClock(virtual: VirtualClock, lateMs: number, times: number): Clock {
  let left = times;
  return {
    now: () => virtual.now(),
    after(delayMs, run) {
      left -= 1;
      return virtual.after(left < 0 ? delayMs : delayMs + lateMs, run);
    },
  };
}

const answerIn = (virtual: VirtualClock, delayMs: number) =>
  new Promise<string>((resolve) => {
    virtual.after(delayMs, () => resolve('answer'));
  });

describe('a deadline', () => {
  test.each([
    ['ends what takes longer', 0, 60, 'STORE_TIMEOUT'],
    ['is kept by a timer that is a little late', 5, 60, 'STORE_TIMEOUT'],
    ['gives what a pause of the process held up its time once more', 1_000, 1_070, 'answer'],
    ['ends after that too', 1_000, 1_110, 'STORE_TIMEOUT'],
  ])('%s', async (_, lateMs, answersInMs, expected) => {
    const virtual = new VirtualClock();
    const work = withinDeadline(answerIn(virtual, answersInMs), deadlineMs, lateClock(virtual, lateMs, 1));
    const ended = work.catch((fault: { code: string }) => fault.code);
    expect(await virtual.complete(ended)).toBe(expected);
  });

  test('ends also in a process that stands still all the time', async () => {
    const virtual = new VirtualClock();
    const never = new Promise<never>(() => undefined);
    const work = withinDeadline(never, deadlineMs, lateClock(virtual, 1_000, Number.POSITIVE_INFINITY));
    await expect(virtual.complete(work)).rejects.toMatchObject({ code: 'STORE_TIMEOUT' });
    expect(virtual.now()).toBe(2 * (deadlineMs + 1_000));
  });
});
