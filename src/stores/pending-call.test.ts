import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Records } from '../core/records.ts';
import { Deadlines } from './deadlines.ts';
import { PendingCall } from './pending-call.ts';

const records: Records = { get: () => undefined, put: () => undefined };

describe('PendingCall', () => {
  let deadlines: Deadlines;
  beforeEach(() => {
    vi.useFakeTimers();
    deadlines = new Deadlines('The store', 50, () => Date.now());
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('answers with what its last run returned, when it is told to', async () => {
    const call = new PendingCall([], (_, now) => `at ${now}`, deadlines);
    call.run(records, 10);
    const answer = call.run(records, 20);
    expect(call.isOver).toBe(false);
    answer();
    expect(call.isOver).toBe(true);
    await expect(call.promise).resolves.toBe('at 20');
  });

  test('is over with its first answer', async () => {
    const call = new PendingCall([], () => 'value', deadlines);
    const answer = call.run(records, 0);
    const refused = new RangeError('refused');
    call.reject(refused);
    answer();
    await expect(call.promise).rejects.toBe(refused);
  });

  test('is over at its deadline', async () => {
    const call = new PendingCall([], () => 'value', deadlines);
    const ended = expect(call.promise).rejects.toMatchObject({ code: 'STORE_TIMEOUT' });
    await vi.advanceTimersByTimeAsync(60);
    expect(call.isOver).toBe(true);
    call.run(records, 0)();
    await ended;
  });
});
