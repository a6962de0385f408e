import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Fault } from '../../core/fault.ts';
import { Deadlines } from '../deadlines.ts';
import { ClockSync } from './clock-sync.ts';
import type { Driver } from './drivers/driver.ts';
import { Link } from './link.ts';
import { StoreClock } from './store-clock.ts';

const monotonicMs = () => performance.now();
const refusal = new Error("NOPERM User has no permissions to run the 'evalsha' command");

/** A server that tells its time, refuses to, or is silent. */
function openSync(isCluster: boolean) {
  const server = { answer: null as Error | string[] | null, asked: 0 };
  const driver: Driver = {
    isCluster,
    open: (events) => events.up(),
    send: async () => {
      server.asked += 1;
      if (server.answer === null) return new Promise(() => undefined);
      if (server.answer instanceof Error) throw server.answer;
      return server.answer;
    },
    masters: async () => [],
    doubt: () => undefined,
    reset: () => undefined,
    close: async () => undefined,
  };
  const link = new Link(driver, new Deadlines('Redis', 50, monotonicMs), monotonicMs);
  const clock = new StoreClock(monotonicMs);
  const sync = new ClockSync(link, clock, monotonicMs);
  return { server, clock, sync, open: () => link.open(() => sync.restart()) };
}

/** What became of a promise so far. */
function outcomeOf(promise: Promise<void>): { state: unknown } {
  const outcome: { state: unknown } = { state: 'pending' };
  promise.then(
    () => {
      outcome.state = 'resolved';
    },
    (fault: Fault) => {
      outcome.state = fault.code;
    },
  );
  return outcome;
}

describe('waiting for the time of the server', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('ends with the reason when the server refuses, and anew when it does not any more', async () => {
    const { server, sync, open, clock } = openSync(false);
    server.answer = refusal;
    const first = outcomeOf(sync.whenSet());
    open();
    await vi.advanceTimersByTimeAsync(1);
    expect(first.state).toBe('STORE_FAILED');
    await expect(sync.whenSet()).rejects.toMatchObject({ code: 'STORE_FAILED', cause: refusal });
    server.answer = ['1700000000', '0'];
    await vi.advanceTimersByTimeAsync(200);
    expect(clock.isSet).toBe(true);
    await sync.whenSet();
    sync.stop(new Fault('STORE_CLOSED', 'closed'));
  });

  test('goes on while the server is only silent', async () => {
    const { server, sync, open } = openSync(false);
    const waiting = outcomeOf(sync.whenSet());
    open();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(server.asked).toBeGreaterThan(2);
    expect(waiting.state).toBe('pending');
    server.answer = ['1700000000', '0'];
    await vi.advanceTimersByTimeAsync(200);
    expect(waiting.state).toBe('resolved');
    sync.stop(new Fault('STORE_CLOSED', 'closed'));
  });

  test('goes on over a cluster until no stand-in answers either', async () => {
    const { server, sync, open } = openSync(true);
    server.answer = refusal;
    const waiting = outcomeOf(sync.whenSet());
    open();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(waiting.state).toBe('pending');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(server.asked).toBeGreaterThanOrEqual(16);
    expect(waiting.state).toBe('STORE_FAILED');
    sync.stop(new Fault('STORE_CLOSED', 'closed'));
  });

  test('ends with the store', async () => {
    const { sync, open } = openSync(false);
    const waiting = outcomeOf(sync.whenSet());
    open();
    await vi.advanceTimersByTimeAsync(10);
    sync.stop(new Fault('STORE_CLOSED', 'closed'));
    await vi.advanceTimersByTimeAsync(0);
    expect(waiting.state).toBe('STORE_CLOSED');
  });
});
