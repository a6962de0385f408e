import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/core/decision.ts';
import { type Actor, DAY, HOUR, MINUTE, Scene, said } from './scene.ts';

/** Random but hostile traffic on few subjects: what every guarantee must survive. */
interface Move {
  readonly op: 'check' | 'fail' | 'succeed';
  readonly actor: Actor;
  readonly waitMs: number;
}

const actor = fc.record({
  action: fc.constantFrom('auth.login', 'auth.otp'),
  account: fc.constantFrom('a1', 'a2', 'a3', 'a4', 'a5', 'a6'),
  ip: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:2:1::1'),
  ua: fc.constantFrom('Firefox/1', 'Chrome/2', 'curl/8'),
  device: fc.constantFrom(null, 'd1', 'd2', 'd3', 'd4/LOW', 'd5/LOW', 'd6/HIGH', 'd1/HIGH', 'd7', 'd8'),
});

const move: fc.Arbitrary<Move> = fc.record({
  op: fc.constantFrom('fail', 'fail', 'fail', 'check', 'succeed'),
  actor,
  waitMs: fc.constantFrom(0, 1, 500, 15_000, MINUTE, 5 * MINUTE, 31 * MINUTE, HOUR, 6 * HOUR),
});

const moves = fc.array(move, { minLength: 1, maxLength: 120 });

/** Plays the moves, shows each decision. */
function play(scene: Scene, list: readonly Move[], see: (decision: Decision, move: Move) => void): void {
  for (const step of list) {
    scene.wait(step.waitMs);
    see(scene[step.op](step.actor), step);
  }
}

const holds = <T>(property: fc.IProperty<T>) => fc.assert(property, { numRuns: 150 });

describe('guarantees', () => {
  it('a success is never stopped by a SOFT block or a budget', () => {
    holds(
      fc.property(moves, (list) => {
        play(new Scene(), list, (decision, { op }) => {
          if (op === 'succeed') expect(decision.outcome).not.toBe('SOFT_BLOCK');
        });
      }),
    );
  });

  it('a deferred decision rests on budgets alone', () => {
    holds(
      fc.property(moves, (list) => {
        play(new Scene(), list, (decision) => {
          if (decision.deferred)
            expect(new Set(decision.reasons.map(({ rule }) => rule))).toEqual(new Set(['budget']));
        });
      }),
    );
  });

  it('failures while a HARD block runs never extend it', () => {
    let blocked = 0;
    holds(
      fc.property(moves, actor, (list, victim) => {
        const scene = new Scene();
        play(scene, list, () => {});
        for (let guess = 0; guess < 5; guess += 1) scene.fail(victim);
        const before = scene.check(victim);
        if (before.outcome !== 'HARD_BLOCK') return;
        blocked += 1;
        for (let guess = 0; guess < 20; guess += 1) scene.fail(victim);
        const after = scene.check(victim);
        for (const { scope, until } of before.reasons) {
          expect(after.reasons.find((reason) => reason.scope === scope)?.until).toBe(until);
        }
      }),
    );
    expect(blocked).toBeGreaterThan(75);
  });

  it('blocks that rest on an IP alone stay at level 3 or below', () => {
    holds(
      fc.property(moves, (list) => {
        play(new Scene(), list, ({ reasons }) => {
          for (const { scope, level } of reasons)
            if (/^(K1|P4)/.test(scope)) expect(level).toBeLessThanOrEqual(3);
        });
      }),
    );
  });

  it('a trusted device is stopped by its own keys only', () => {
    holds(
      fc.property(moves, (list) => {
        const scene = new Scene();
        const owner = { account: 'a1', device: 'mine/HIGH' };
        scene.succeed(owner);
        play(scene, list, () => {
          const { outcome, reasons } = scene.check(owner);
          if (outcome === 'HARD_BLOCK')
            expect(reasons.every(({ scope }) => ['K5', 'K3', 'D'].includes(scope))).toBe(true);
        });
      }),
    );
  });

  it('an owner on a trusted device gets in at every moment of any siege', () => {
    holds(
      fc.property(moves, (list) => {
        const scene = new Scene();
        const owner = { account: 'a1', device: 'mine/HIGH', ip: '203.0.113.77' };
        scene.succeed(owner);
        play(scene, list, () => {
          const checked = scene.check(owner);
          expect(checked.outcome === 'ALLOW' || checked.deferred).toBe(true);
          expect(scene.succeed(owner).outcome).toBe('ALLOW');
        });
      }),
    );
  });

  it('check and explain write nothing: the decisions are those of a run without them', () => {
    holds(
      fc.property(moves, (list) => {
        const plain = new Scene();
        const checked = new Scene();
        for (const step of list) {
          plain.wait(step.waitMs);
          checked.wait(step.waitMs);
          if (step.op === 'check') continue;
          checked.check(step.actor);
          expect(checked[step.op](step.actor)).toEqual(plain[step.op](step.actor));
        }
      }),
    );
  });

  it('the same events give the same decisions', () => {
    holds(
      fc.property(moves, (list) => {
        const first: Decision[] = [];
        const second: Decision[] = [];
        play(new Scene(), list, (decision) => first.push(decision));
        play(new Scene(), list, (decision) => second.push(decision));
        expect(second).toEqual(first);
      }),
    );
  });

  it('level, until and retryAfterMs agree with the reasons', () => {
    holds(
      fc.property(moves, (list) => {
        const scene = new Scene();
        play(scene, list, ({ outcome, level, until, retryAfterMs, reasons, rule, scope }) => {
          const winning = reasons.filter((reason) => reason.outcome === outcome);
          expect(level).toBe(Math.max(0, ...winning.map((reason) => reason.level)));
          expect(until).toBe(Math.max(0, ...winning.map((reason) => reason.until)));
          expect(retryAfterMs).toBe(Math.max(0, until - scene.t));
          expect(winning.some((reason) => reason.rule === rule && reason.scope === scope)).toBe(
            outcome !== 'ALLOW',
          );
        });
      }),
    );
  });
});

describe('budgets make no prison', () => {
  /** The most hostile drip: a failure whenever no HARD runs, for days. */
  const siege = fc.array(fc.constantFrom(MINUTE, 15 * MINUTE, 31 * MINUTE, HOUR, 3 * HOUR), {
    minLength: 40,
    maxLength: 200,
  });

  it('the budget is shown for at most one duration per cooldown, and never beyond its epoch', () => {
    fc.assert(
      fc.property(siege, (waits) => {
        const scene = new Scene();
        const shown: number[] = [];
        waits.forEach((waitMs, index) => {
          scene.wait(waitMs);
          const decision = scene.fail({ device: `d${index}`, ip: `198.51.100.${index % 250}` });
          for (const { rule, until } of decision.reasons) if (rule === 'budget') shown.push(until);
        });
        const ends = [...new Set(shown)].sort((a, b) => a - b);
        ends.slice(1).forEach((end, index) => {
          expect(end - (ends[index] ?? 0)).toBeGreaterThanOrEqual(HOUR - 4 * MINUTE);
        });
      }),
      { numRuns: 100 },
    );
  });

  it('a day after the last failure nothing of a budget is left', () => {
    fc.assert(
      fc.property(siege, (waits) => {
        const scene = new Scene();
        for (const [index, waitMs] of waits.entries()) {
          scene.wait(waitMs).fail({ device: `d${index}`, ip: '198.51.100.7' });
        }
        scene.wait(DAY);
        expect(said(scene.check({ device: 'x' })).filter((reason) => reason.startsWith('budget'))).toEqual(
          [],
        );
      }),
      { numRuns: 100 },
    );
  });

  it('nobody hovers at N − 1: every second approach within the watch is a firing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10 * MINUTE, max: 29 * MINUTE }), (pauseMs) => {
        const scene = new Scene();
        const approach = (round: number) =>
          scene.failTimes(4, (index) => ({
            account: `a${round}${index}`,
            device: `d${round}${index}`,
            ua: `Firefox/${index + 1}`,
          }));
        approach(1);
        scene.wait(pauseMs);
        expect(said(approach(2))).toContain('spray K1 HARD 2');
      }),
    );
  });
});
