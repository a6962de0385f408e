import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Deadlines } from './deadlines.ts';

describe('deadlines', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const deadlinesOf = (deadlineMs: number) => new Deadlines(deadlineMs, () => performance.now());

  test('end what takes longer, in order, and nothing else', async () => {
    const deadlines = deadlinesOf(100);
    const expired: string[] = [];
    const start = (name: string) => deadlines.start({ expire: () => expired.push(name) });
    start('first');
    const met = start('met');
    await vi.advanceTimersByTimeAsync(60);
    start('second');
    met.done();
    await vi.advanceTimersByTimeAsync(50);
    expect(expired).toEqual(['first']);
    await vi.advanceTimersByTimeAsync(60);
    expect(expired).toEqual(['first', 'second']);
    expect(met.isDone).toBe(true);
  });

  test('leave no timer behind once all are met', async () => {
    const deadlines = deadlinesOf(1_000);
    deadlines.start({ expire: () => undefined }).done();
    await vi.advanceTimersByTimeAsync(100);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('limit a promise', async () => {
    const deadlines = deadlinesOf(100);
    await expect(deadlines.limit(Promise.resolve(7), 'seven')).resolves.toBe(7);
    await expect(deadlines.limit(Promise.reject(new RangeError('own')), 'seven')).rejects.toThrow('own');
    const late = expect(deadlines.limit(new Promise(() => undefined), 'a question')).rejects.toMatchObject({
      code: 'STORE_TIMEOUT',
      message: 'Redis did not answer a question within 100 ms.',
    });
    await vi.advanceTimersByTimeAsync(110);
    await late;
  });
});
