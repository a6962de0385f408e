import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  closedGlobalBreaker,
  type GlobalBreaker,
  type GlobalCause,
  globalRetryAfterMs,
  judgeGlobal,
  type Priority,
  passGlobal,
} from './global-breaker.ts';

const policy = { holdMs: 10_000, closingMs: 20_000 };
const lingerMs = 5_000;
const open: GlobalBreaker = { state: 'open', cause: 'saturation', seenAt: 0 };

function judge(breaker: GlobalBreaker, cause: GlobalCause | null, now: number): GlobalBreaker {
  return judgeGlobal(breaker, policy, cause, now, lingerMs);
}

/** How many of a hundred calls pass. */
function passed(start: GlobalBreaker, priority: Priority, now: number): number {
  let breaker = start;
  let count = 0;
  for (let i = 0; i < 100; i += 1) {
    const passing = passGlobal(breaker, policy, priority, now);
    breaker = passing.breaker;
    if (passing.passes) count += 1;
  }
  return count;
}

describe('the global breaker', () => {
  it('opens at a cause and stays open while it is seen, and for the hold after it', () => {
    let breaker = judge(closedGlobalBreaker, 'partition', 1_000);
    expect(breaker).toEqual({ state: 'open', cause: 'partition', seenAt: 1_000 });
    breaker = judge(breaker, 'partition', 5_000);
    expect(judge(breaker, null, 14_999)).toBe(breaker);
    expect(judge(breaker, null, 15_000).state).toBe('closing');
  });

  it('is as far as it would be if somebody had asked all the while', () => {
    expect(judge(open, null, 16_000)).toMatchObject({ state: 'closing', since: 15_000 });
    expect(judge(open, null, 34_999).state).toBe('closing');
    expect(judge(open, null, 35_000)).toBe(closedGlobalBreaker);
  });

  it('stays closed without a cause', () => {
    expect(judge(closedGlobalBreaker, null, 1)).toBe(closedGlobalBreaker);
  });

  it('sheds ordinary and background calls while open, never critical ones or health checks', () => {
    expect(passed(open, 'health', 1)).toBe(100);
    expect(passed(open, 'critical', 1)).toBe(100);
    expect(passed(open, 'normal', 1)).toBe(0);
    expect(passed(open, 'background', 1)).toBe(0);
  });

  it('closes in four steps, background calls last', () => {
    const closing = judge(open, null, 10_000);
    const steps = [10_000, 15_000, 20_000, 25_000];
    expect(steps.map((now) => passed(closing, 'normal', now))).toEqual([25, 50, 75, 100]);
    expect(steps.map((now) => passed(closing, 'background', now))).toEqual([0, 0, 50, 100]);
    expect(judge(closing, null, 29_999).state).toBe('closing');
    expect(judge(closing, null, 30_000)).toBe(closedGlobalBreaker);
  });

  it('opens again when a cause comes back while it closes', () => {
    const closing = judge(open, null, 10_000);
    expect(judge(closing, 'latency', 12_000)).toEqual({ state: 'open', cause: 'latency', seenAt: 12_000 });
  });

  it('says when to come back', () => {
    expect(globalRetryAfterMs(closedGlobalBreaker, policy, 0)).toBe(0);
    expect(globalRetryAfterMs(open, policy, 4_000)).toBe(6_000);
    expect(globalRetryAfterMs(judge(open, null, 10_000), policy, 12_000)).toBe(5_000);
  });

  it('sheds a less important call whenever it sheds a more important one, in any course of events', () => {
    const cause = fc.option(fc.constantFrom<GlobalCause>('saturation', 'partition', 'latency'), { freq: 5 });
    const event = fc.record({ waitMs: fc.integer({ min: 0, max: 12_000 }), cause });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let breaker: GlobalBreaker = closedGlobalBreaker;
        let now = 0;
        for (const step of events) {
          now += step.waitMs;
          breaker = judge(breaker, step.cause, now);
          const shares = (['health', 'critical', 'normal', 'background'] as const).map((priority) =>
            passed(breaker, priority, now),
          );
          expect(shares[0]).toBe(100);
          for (const [index, share] of shares.entries()) {
            if (index > 0) expect(share).toBeLessThanOrEqual((shares[index - 1] ?? 0) + 1);
          }
        }
      }),
    );
  });
});
