import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCall, freshBudget, takeRetry } from './target-retry-budget.ts';

const policy = { share: 0.2, perSecond: 10 };

describe('the retry budget of a target', () => {
  it('never gives more than its share of the calls and its allowance, over any stretch', () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 400 }),
      calls: fc.integer({ min: 0, max: 20 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let budget = freshBudget(policy, 0);
        let now = 0;
        const log: { at: number; calls: number; retries: number }[] = [];
        for (const { waitMs, calls } of steps) {
          now += waitMs;
          let retries = 0;
          for (let i = 0; i < calls; i += 1) {
            budget = countCall(budget, policy, now);
            for (
              let left = takeRetry(budget, policy, now);
              left !== null;
              left = takeRetry(budget, policy, now)
            ) {
              budget = left;
              retries += 1;
            }
          }
          log.push({ at: now, calls, retries });
        }
        for (const [index, first] of log.entries()) {
          let calls = 0;
          let retries = 0;
          for (const { at, ...counts } of log.slice(index)) {
            calls += counts.calls;
            retries += counts.retries;
            const seconds = (at - first.at) / 1000;
            expect(retries).toBeLessThanOrEqual(10 + 10 * seconds + 0.2 * calls + 1e-6);
          }
        }
      }),
    );
  });

  it('saves up nothing beyond a second', () => {
    let budget = freshBudget(policy, 0);
    for (let i = 0; i < 10_000; i += 1) budget = countCall(budget, policy, i);
    let retries = 0;
    for (
      let left = takeRetry(budget, policy, 10_000);
      left !== null;
      left = takeRetry(budget, policy, 10_000)
    ) {
      budget = left;
      retries += 1;
    }
    expect(retries).toBe(10);
  });

  it('lets a quiet target be retried', () => {
    const budget = countCall(freshBudget(policy, 0), policy, 0);
    expect(takeRetry(budget, policy, 0)?.tokens).toBe(9);
  });

  it('does not refill when time goes backwards', () => {
    const empty = { tokens: 0, at: 1_000 };
    expect(takeRetry(empty, policy, 0)).toBeNull();
    expect(countCall(empty, policy, 0)).toEqual({ tokens: 0.2, at: 1_000 });
  });

  it('has none without a share and an allowance', () => {
    const none = { share: 0, perSecond: 0 };
    const budget = countCall(freshBudget(none, 0), none, 0);
    expect(takeRetry(budget, none, 60_000)).toBeNull();
    expect(takeRetry(freshBudget(policy, 0), none, 60_000)).toBeNull();
  });

  it('has only the share of the calls without an allowance', () => {
    const strict = { share: 0.5, perSecond: 0 };
    let budget = { tokens: 0, at: 0 };
    budget = countCall(budget, strict, 0);
    expect(takeRetry(budget, strict, 60_000)).toBeNull();
    budget = countCall(budget, strict, 60_000);
    expect(takeRetry(budget, strict, 60_000)).toEqual({ tokens: 0, at: 60_000 });
  });
});
