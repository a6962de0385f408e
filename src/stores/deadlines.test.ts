import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Deadlines } from './deadlines.ts';

const deadlineMs = 50;

describe('Deadlines', () => {
  let deadlines: Deadlines;
  beforeEach(() => {
    vi.useFakeTimers();
    deadlines = new Deadlines('The store', deadlineMs, () => Date.now());
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('end what takes too long, with a fault that says who did', async () => {
    const ended = deadlines.limit(new Promise(() => undefined));
    const fault = expect(ended).rejects.toMatchObject({
      code: 'STORE_TIMEOUT',
      message: 'The store did not answer within 50 ms.',
    });
    await vi.advanceTimersByTimeAsync(deadlineMs + 2);
    await fault;
  });

  test('say what was asked for, where that is told', async () => {
    const late = expect(deadlines.limit(new Promise(() => undefined), 'a question')).rejects.toMatchObject({
      message: 'The store did not answer a question within 50 ms.',
    });
    await vi.advanceTimersByTimeAsync(deadlineMs + 2);
    await late;
  });

  test('leave no timer behind once all are met', async () => {
    deadlines.start({ expire: () => undefined }).done();
    await vi.advanceTimersByTimeAsync(100);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('let what is in time settle as it does', async () => {
    const refused = new RangeError('refused');
    await expect(deadlines.limit(Promise.resolve('answer'))).resolves.toBe('answer');
    await expect(deadlines.limit(Promise.reject(refused))).rejects.toBe(refused);
    await vi.advanceTimersByTimeAsync(10 * deadlineMs);
  });

  test('end each at its own time and none that was stopped', async () => {
    const start = fc.record({ afterMs: fc.nat(40), stopAfterMs: fc.option(fc.nat(100)) });
    await fc.assert(
      fc.asyncProperty(fc.array(start, { minLength: 1, maxLength: 20 }), async (starts) => {
        const begunMs = Date.now();
        const expired: [number, number][] = [];
        const expected: [number, number][] = [];
        let atMs = 0;
        for (const [index, { afterMs, stopAfterMs }] of starts.entries()) {
          await vi.advanceTimersByTimeAsync(afterMs);
          atMs += afterMs;
          const expire = () => expired.push([index, Date.now() - begunMs]);
          const deadline = deadlines.start({ expire });
          if (stopAfterMs !== null && stopAfterMs < deadlineMs)
            setTimeout(() => deadline.done(), stopAfterMs);
          else expected.push([index, atMs + deadlineMs]);
        }
        await vi.advanceTimersByTimeAsync(2 * deadlineMs + 10);
        expect(expired.map(([index]) => index)).toEqual(expected.map(([index]) => index));
        for (const [place, [, endedMs]] of expired.entries()) {
          expect(endedMs - (expected[place]?.[1] ?? 0)).toBeGreaterThanOrEqual(0);
          expect(endedMs - (expected[place]?.[1] ?? 0)).toBeLessThanOrEqual(4);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('end those of a crowd that were not stopped, whichever those are', async () => {
    const start = fc.record({ isMet: fc.boolean(), turn: fc.nat() });
    const starts = fc.array(start, { minLength: 200, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(starts, fc.nat(300), fc.boolean(), async (crowd, metFirst, inOrder) => {
        const expired: number[] = [];
        const running = crowd.map(({ isMet, turn }, index) => ({
          deadline: deadlines.start({ expire: () => expired.push(index) }),
          isMet: isMet || index < metFirst,
          turn: inOrder ? index : turn,
        }));
        const left = running.flatMap(({ isMet }, index) => (isMet ? [] : [index]));
        const byTurn = [...running].sort((one, other) => one.turn - other.turn);
        for (const { deadline, isMet } of byTurn) if (isMet) deadline.done();
        await vi.advanceTimersByTimeAsync(deadlineMs / 2);
        const late = deadlines.start({ expire: () => expired.push(crowd.length) });
        await vi.advanceTimersByTimeAsync(deadlineMs / 2 + 2);
        expect(expired).toEqual(left);
        expect(late.isDone).toBe(false);
        await vi.advanceTimersByTimeAsync(deadlineMs);
        expect(expired).toEqual([...left, crowd.length]);
        await vi.advanceTimersByTimeAsync(deadlineMs);
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  test('keep nothing of those that were met while others are under way', () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const heapKb = () => {
      collect();
      return process.memoryUsage().heapUsed / 1_024;
    };
    const before = heapKb();
    let latest = deadlines.start({ expire: () => undefined });
    for (let count = 0; count < 50_000; count += 1) {
      const next = deadlines.start({ expire: () => undefined });
      latest.done();
      latest = next;
    }
    // They would be 5 MB.
    expect(heapKb() - before).toBeLessThan(1_000);
    latest.done();
  });

  test('do not count the time in which the process stood still', async () => {
    const expired: string[] = [];
    deadlines.start({ expire: () => expired.push('early') });
    await vi.advanceTimersByTimeAsync(30);
    deadlines.start({ expire: () => expired.push('late') });
    vi.setSystemTime(Date.now() + 10_000);
    await vi.advanceTimersByTimeAsync(deadlineMs);
    expect(expired).toEqual([]);
    await vi.advanceTimersByTimeAsync(deadlineMs);
    expect(expired).toEqual(['early', 'late']);
  });

  test('end also in a process that stands still all the time', async () => {
    const expire = vi.fn();
    deadlines.start({ expire });
    for (let round = 0; round < 3; round += 1) {
      vi.setSystemTime(Date.now() + 10_000);
      await vi.advanceTimersByTimeAsync(deadlineMs + 2);
    }
    expect(expire).toHaveBeenCalledOnce();
  });

  test('keep the process alive only while something is under way', () => {
    vi.useRealTimers();
    const real = new Deadlines('The store', 60_000, () => performance.now());
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const first = real.start({ expire: () => undefined });
    expect(timers()).toBe(before + 1);
    first.done();
    first.done();
    expect(timers()).toBe(before);
    const second = real.start({ expire: () => undefined });
    expect(timers()).toBe(before + 1);
    second.done();
    expect(timers()).toBe(before);
  });
});
