import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance, type Breaker, freshBreaker, noteFailure, noteProbe, phaseOf } from './breaker.ts';
import { defaultBreaker } from './failure-policy.ts';

const policy = defaultBreaker;
const SECOND = 1_000;
const MINUTE = 60_000;

function failing(breaker: Breaker, ...times: number[]): Breaker {
  return times.reduce((state, now) => noteFailure(state, now, policy), breaker);
}

/** Probes every 5 s from just after `from` up to `to`; the store is healthy from `healthyFrom` on. */
function probed(breaker: Breaker, from: number, to: number, healthyFrom: number): Breaker {
  let state = breaker;
  for (let now = from + policy.probeEveryMs; now <= to; now += policy.probeEveryMs) {
    state = advance(noteProbe(state, now >= healthyFrom, now, policy), now, policy);
  }
  return state;
}

describe('a breaker', () => {
  test.each([
    ['two failures', [0, 1], 'closed'],
    ['three within 10 s', [0, 5_000, 9_999], 'open'],
    ['three over 10 s', [0, 5_000, 10_000], 'closed'],
    ['the last three of many within 10 s', [0, 8_000, 15_000, 17_999], 'open'],
  ] as const)('meets %s', (_, times, state) => {
    expect(failing(freshBreaker, ...times).state).toBe(state);
  });

  test('stays open for 5 min although the store is back at once', () => {
    const open = failing(freshBreaker, 0, 0, 0);
    expect(probed(open, 0, 5 * MINUTE - SECOND, 0).state).toBe('open');
    expect(probed(open, 0, 5 * MINUTE, 0).state).toBe('closed');
  });

  test('closes as soon as the probes of the last 2 min have all succeeded', () => {
    const open = failing(freshBreaker, 0, 0, 0);
    const lastFailed = 7 * MINUTE;
    const healthyFrom = lastFailed + policy.probeEveryMs;
    expect(probed(open, 0, lastFailed + 2 * MINUTE - policy.probeEveryMs, healthyFrom).state).toBe('open');
    expect(probed(open, 0, lastFailed + 2 * MINUTE, healthyFrom).state).toBe('closed');
  });

  test('takes a gap between probes for no proof of health', () => {
    const open = probed(failing(freshBreaker, 0, 0, 0), 0, MINUTE, 0);
    const afterPause = 20 * MINUTE;
    expect(advance(open, afterPause, policy).state).toBe('open');
    const again = advance(noteProbe(open, true, afterPause, policy), afterPause, policy);
    expect(again.state).toBe('open');
    expect(probed(again, afterPause, afterPause + 2 * MINUTE, 0).state).toBe('closed');
  });

  test('does not close without a probe that succeeded, however seldom there is one', () => {
    const seldom = { ...policy, probeEveryMs: MINUTE, healthyMs: 10 * SECOND, minOpenMs: 30 * SECOND };
    const open = failing(freshBreaker, 0, 0, 0);
    expect(advance(open, MINUTE, seldom).state).toBe('open');
    expect(advance(noteProbe(open, true, MINUTE, seldom), MINUTE, seldom).state).toBe('closed');
    const failed = noteProbe(open, false, MINUTE, seldom);
    expect(advance(failed, MINUTE + 20 * SECOND, seldom).state).toBe('open');
  });

  test('shuts its policy for 10 min at the third trip within 30 min', () => {
    const first = failing(freshBreaker, 0, 0, 0);
    const second = failing(probed(first, 0, 5 * MINUTE, 0), ...Array(3).fill(6 * MINUTE));
    const third = failing(probed(second, 6 * MINUTE, 11 * MINUTE, 0), ...Array(3).fill(29 * MINUTE));
    expect([first, second].map((state) => phaseOf(state, 6 * MINUTE))).toEqual(['degraded', 'degraded']);
    expect(phaseOf(third, 29 * MINUTE)).toBe('shut');
    expect(phaseOf(third, 39 * MINUTE - 1)).toBe('shut');
    expect(phaseOf(third, 39 * MINUTE)).toBe('degraded');
    const late = failing(probed(second, 6 * MINUTE, 11 * MINUTE, 0), ...Array(3).fill(30 * MINUTE));
    expect(phaseOf(late, 30 * MINUTE)).toBe('degraded');
  });

  test('closes a shut policy after 10 min if the store is well, else degrades it until it is', () => {
    const second = failing(
      probed(failing(freshBreaker, 0, 0, 0), 0, 5 * MINUTE, 0),
      ...Array(3).fill(5 * MINUTE),
    );
    const shut = failing(probed(second, 5 * MINUTE, 10 * MINUTE, 0), ...Array(3).fill(10 * MINUTE));
    expect(probed(shut, 10 * MINUTE, 20 * MINUTE, 0).state).toBe('closed');
    const sick = probed(shut, 10 * MINUTE, 20 * MINUTE, 30 * MINUTE);
    expect(phaseOf(sick, 20 * MINUTE)).toBe('degraded');
    expect(probed(sick, 20 * MINUTE, 23 * MINUTE, 0).state).toBe('closed');
  });

  /** A store that fails the moment its breaker closes. */
  function flap(minutes: number): { degradedAt: number[]; shutMs: number } {
    const degradedAt: number[] = [];
    let shutMs = 0;
    let breaker: Breaker = freshBreaker;
    for (let now = 0; now < minutes * MINUTE; now += policy.probeEveryMs) {
      breaker = advance(noteProbe(breaker, true, now, policy), now, policy);
      if (breaker.state === 'closed') {
        breaker = failing(breaker, now, now, now);
        if (phaseOf(breaker, now) === 'degraded') degradedAt.push(now);
      }
      if (phaseOf(breaker, now) === 'shut') shutMs += policy.probeEveryMs;
    }
    return { degradedAt, shutMs };
  }

  test('is no switch that keeps a policy shut for ever: a flapping store gets at most two thirds', () => {
    const { degradedAt, shutMs } = flap(600);
    expect(shutMs).toBeLessThanOrEqual(400 * MINUTE);
    expect(degradedAt.length).toBeGreaterThanOrEqual(2 * (600 / 30));
  });

  test('never enters a degraded epoch a third time within 30 min, whatever the store does', () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 2 * MINUTE }),
      what: fc.constantFrom('failure', 'healthy probe', 'failed probe', 'nothing'),
      times: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        let breaker: Breaker = freshBreaker;
        let now = 0;
        const entries: number[] = [];
        for (const { afterMs, what, times } of steps) {
          now += afterMs;
          for (let round = 0; round < times; round += 1) {
            now += what.endsWith('probe') ? policy.probeEveryMs : 0;
            const before = breaker;
            if (what === 'failure') breaker = noteFailure(breaker, now, policy);
            else if (what !== 'nothing') breaker = noteProbe(breaker, what === 'healthy probe', now, policy);
            breaker = advance(breaker, now, policy);
            if (before.state === 'closed' && phaseOf(breaker, now) === 'degraded') entries.push(now);
            if (before.state === 'open' && breaker.state === 'closed') {
              expect(now - before.trippedAt).toBeGreaterThanOrEqual(policy.minOpenMs);
              expect(now - before.unhealthyAt).toBeGreaterThanOrEqual(policy.healthyMs);
            }
          }
        }
        for (const [index, at] of entries.entries()) {
          const third = entries[index + 2];
          if (third !== undefined) expect(third - at).toBeGreaterThanOrEqual(policy.entryWindowMs);
        }
      }),
    );
  });
});
