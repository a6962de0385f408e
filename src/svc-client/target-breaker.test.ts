import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  closedBreaker,
  type Evidence,
  type Passage,
  passBreaker,
  recordEvidence,
  type TargetBreaker,
} from './target-breaker.ts';

const policy = {
  threshold: 5,
  windowMs: 30_000,
  cooldownMs: 10_000,
  maxCooldownMs: 120_000,
  goodProbes: 3,
};

function record(breaker: TargetBreaker, passage: Passage, evidence: Evidence, now: number): TargetBreaker {
  return recordEvidence(breaker, policy, passage, evidence, now);
}

function openedAt(now: number): TargetBreaker {
  let breaker = closedBreaker;
  for (let i = 0; i < 5; i += 1) breaker = record(breaker, 'normal', 'bad', now);
  return breaker;
}

/** Lets a probe pass and gives the breaker while it runs. */
function probing(breaker: TargetBreaker, now: number): TargetBreaker {
  const passing = passBreaker(breaker, now);
  if (!passing.passes) throw new TypeError('no probe passes');
  expect(passing.passage).toBe('probe');
  return passing.breaker;
}

describe('a closed breaker', () => {
  it('opens at the fifth failure within half a minute', () => {
    let breaker = closedBreaker;
    for (const at of [0, 7_000, 14_000, 21_000]) breaker = record(breaker, 'normal', 'bad', at);
    expect(breaker.state).toBe('closed');
    expect(record(breaker, 'normal', 'bad', 29_999)).toEqual({
      state: 'open',
      until: 39_999,
      cooldownMs: 10_000,
    });
  });

  it('forgets failures after half a minute', () => {
    let breaker = closedBreaker;
    for (const at of [0, 1, 2, 3, 30_000]) breaker = record(breaker, 'normal', 'bad', at);
    expect(breaker).toEqual({ state: 'closed', failures: [1, 2, 3, 30_000] });
  });

  it('does not count what says nothing, and good answers pardon nothing', () => {
    let breaker = closedBreaker;
    for (let i = 0; i < 4; i += 1) {
      breaker = record(breaker, 'normal', 'bad', i);
      breaker = record(breaker, 'normal', 'good', i);
      breaker = record(breaker, 'normal', 'none', i);
    }
    expect(breaker.state).toBe('closed');
    expect(record(breaker, 'normal', 'bad', 4).state).toBe('open');
  });
});

describe('an open breaker', () => {
  it('fails fast and says for how long', () => {
    expect(passBreaker(openedAt(0), 4_000)).toEqual({ passes: false, retryAfterMs: 6_000 });
  });

  it('lets one probe pass after the cooldown, and nobody else meanwhile', () => {
    const half = probing(openedAt(0), 10_000);
    expect(passBreaker(half, 10_001)).toEqual({ passes: false, retryAfterMs: 1_000 });
  });

  it('ignores results of calls that passed before it opened', () => {
    const open = openedAt(0);
    expect(record(open, 'normal', 'good', 1)).toBe(open);
    expect(record(open, 'normal', 'bad', 1)).toBe(open);
    const half = probing(open, 10_000);
    expect(record(half, 'normal', 'bad', 10_001)).toBe(half);
    expect(record(half, 'normal', 'good', 10_001)).toBe(half);
  });

  it('closes after three good probes, one after the other', () => {
    let breaker = openedAt(0);
    for (let i = 0; i < 3; i += 1) {
      expect(breaker.state).not.toBe('closed');
      breaker = record(probing(breaker, 10_000 + i), 'probe', 'good', 10_000 + i);
    }
    expect(breaker).toBe(closedBreaker);
  });

  it('opens again for twice as long after a bad probe, up to two minutes', () => {
    let breaker = openedAt(0);
    let now = 0;
    const cooldowns: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      if (breaker.state !== 'open') throw new TypeError('not open');
      cooldowns.push(breaker.cooldownMs);
      now = breaker.until;
      breaker = record(probing(breaker, now), 'probe', 'bad', now);
    }
    expect(cooldowns).toEqual([10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
  });

  it('probes again at once when a probe says nothing', () => {
    const breaker = record(probing(openedAt(0), 10_000), 'probe', 'none', 10_000);
    expect(probing(breaker, 10_000).state).toBe('half-open');
  });

  it('starts with the first cooldown again once it has been closed', () => {
    let breaker = openedAt(0);
    breaker = record(probing(breaker, 10_000), 'probe', 'bad', 10_000);
    for (let i = 0; i < 3; i += 1) breaker = record(probing(breaker, 30_000), 'probe', 'good', 30_000);
    expect(openedAt(40_000)).toEqual({ state: 'open', until: 50_000, cooldownMs: 10_000 });
    expect(breaker).toBe(closedBreaker);
  });
});

describe('any course of events', () => {
  const event = fc.record({
    waitMs: fc.integer({ min: 0, max: 15_000 }),
    evidence: fc.constantFrom<Evidence>('good', 'bad', 'none'),
    late: fc.boolean(),
  });

  it('never has two probes at once, never passes while the cooldown runs, never waits over two minutes', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        let breaker: TargetBreaker = closedBreaker;
        let now = 0;
        let running: Passage[] = [];
        for (const { waitMs, evidence, late } of events) {
          now += waitMs;
          const before = breaker;
          const passing = passBreaker(breaker, now);
          if (before.state === 'open') expect(passing.passes).toBe(now >= before.until);
          if (passing.passes) {
            running.push(passing.passage);
            breaker = passing.breaker;
          }
          expect(running.filter((passage) => passage === 'probe').length).toBeLessThanOrEqual(1);
          if (late) continue;
          for (const passage of running) breaker = record(breaker, passage, evidence, now);
          running = [];
          if (breaker.state === 'open') expect(breaker.until - now).toBeLessThanOrEqual(120_000);
          if (breaker.state === 'half-open') expect(breaker.probing).toBe(false);
        }
      }),
    );
  });

  it('always passes again: two minutes after the last call a call passes', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 100 }), (events) => {
        let breaker: TargetBreaker = closedBreaker;
        let now = 0;
        for (const { waitMs, evidence } of events) {
          now += waitMs;
          const passing = passBreaker(breaker, now);
          if (passing.passes) breaker = record(passing.breaker, passing.passage, evidence, now);
        }
        expect(passBreaker(breaker, now + 120_000).passes).toBe(true);
      }),
    );
  });
});
