import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregate, allow, conclude, type Reason, rules, scopes } from './decision.ts';

const reason: fc.Arbitrary<Reason> = fc.record({
  rule: fc.constantFrom(...rules),
  scope: fc.constantFrom(...scopes),
  outcome: fc.constantFrom('SOFT_BLOCK', 'HARD_BLOCK'),
  level: fc.integer({ min: 1, max: 6 }),
  until: fc.integer({ min: 0, max: 1_000 }),
});

describe('aggregate (§4)', () => {
  it('no reason is an ALLOW', () => {
    expect(aggregate([], 5)).toEqual(allow());
  });

  it('class first; level and until may come from two reasons', () => {
    const decision = aggregate(
      [
        { rule: 'blocked', scope: 'K1', outcome: 'HARD_BLOCK', level: 2, until: 900 },
        { rule: 'score', scope: 'K4', outcome: 'HARD_BLOCK', level: 3, until: 400 },
        { rule: 'budget', scope: 'K4', outcome: 'SOFT_BLOCK', level: 6, until: 5_000 },
      ],
      100,
    );
    expect(decision).toMatchObject({
      outcome: 'HARD_BLOCK',
      level: 3,
      until: 900,
      retryAfterMs: 800,
      rule: 'score',
      scope: 'K4',
    });
  });

  it('of equal levels the latest end names it, of those the first in order', () => {
    const at = (scope: Reason['scope'], until: number): Reason => ({
      rule: 'blocked',
      scope,
      outcome: 'HARD_BLOCK',
      level: 2,
      until,
    });
    expect(aggregate([at('K1', 5), at('K4', 5), at('K2', 9)], 0).scope).toBe('K2');
    expect(aggregate([at('K1', 5), at('K4', 5)], 0).scope).toBe('K4');
  });

  it('does not depend on the order in which the groups answered', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(reason, { selector: ({ rule, scope }) => `${rule} ${scope}`, maxLength: 12 }),
        (reasons) => {
          expect(aggregate([...reasons].reverse(), 0)).toEqual(aggregate(reasons, 0));
        },
      ),
    );
  });

  it('lists reasons by scope, then by rule', () => {
    fc.assert(
      fc.property(fc.array(reason, { maxLength: 12 }), (reasons) => {
        const order = aggregate(reasons, 0).reasons.map(
          ({ scope, rule }) => scopes.indexOf(scope) * 100 + rules.indexOf(rule),
        );
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }),
    );
  });
});

describe('the orders of the surface contract', () => {
  it('hold for scopes', () => {
    expect(scopes.join(' ')).toBe('K4 K5 K3 D K2 K1 P48 P40');
  });

  it('hold for rules', () => {
    expect(rules.join(' ')).toBe(
      'blocked score budget guard equilibrium spray rotation rotation.repeat dilution churn flood prefix minor moderate severe degraded store',
    );
  });
});

describe('a decision', () => {
  const soft: Reason = { rule: 'score', scope: 'K4', outcome: 'SOFT_BLOCK', level: 1, until: 0 };

  it('of ALLOW has nothing to tell, and is NORMAL unless said otherwise', () => {
    const plain = {
      outcome: 'ALLOW',
      level: 0,
      until: 0,
      retryAfterMs: 0,
      rule: null,
      scope: null,
      deferred: false,
      mode: 'NORMAL',
      reasons: [],
    };
    expect(allow()).toEqual(plain);
    expect(allow('DEGRADED')).toEqual({ ...plain, mode: 'DEGRADED' });
    expect(aggregate([], 5, 'FAIL_OPEN')).toEqual({ ...plain, mode: 'FAIL_OPEN' });
  });

  it('of ALLOW, which all share, cannot be changed by one of them', () => {
    expect([Object.isFrozen(allow()), Object.isFrozen(allow().reasons)]).toEqual([true, true]);
  });

  it('of a block tells its class, whom to blame and the mode, and is not deferred', () => {
    expect(aggregate([{ ...soft, until: 900 }], 100, 'FAIL_CLOSED')).toEqual({
      outcome: 'SOFT_BLOCK',
      level: 1,
      until: 900,
      retryAfterMs: 800,
      rule: 'score',
      scope: 'K4',
      deferred: false,
      mode: 'FAIL_CLOSED',
      reasons: [{ ...soft, until: 900 }],
    });
    expect(aggregate([{ ...soft, until: 900 }], 100).mode).toBe('NORMAL');
  });

  it('never asks to wait for a time that has passed', () => {
    expect(aggregate([{ ...soft, until: 99 }], 100)).toMatchObject({ until: 99, retryAfterMs: 0 });
    expect(aggregate([soft], 100)).toMatchObject({ until: 0, retryAfterMs: 0 });
  });

  it('leaves the list it was given as it was', () => {
    const reasons = [{ ...soft, scope: 'K1' as const }, soft];
    expect(aggregate(reasons, 0).reasons).toEqual([soft, reasons[0]]);
    expect(reasons[1]).toBe(soft);
  });
});

describe('conclude', () => {
  const spray: Reason = { rule: 'spray', scope: 'K1', outcome: 'HARD_BLOCK', level: 2, until: 500 };
  const score: Reason = { rule: 'score', scope: 'K4', outcome: 'SOFT_BLOCK', level: 1, until: 300 };

  it('tells what a rule in shadow says beside a decision of the others', () => {
    const decision = conclude([spray, score], 100, { shadow: ['spray'] });
    expect(decision).toEqual({ ...aggregate([score], 100), shadow: [spray] });
    expect(decision.outcome).toBe('SOFT_BLOCK');
  });

  it('allows where only rules in shadow spoke', () => {
    expect(conclude([spray], 100, { shadow: ['flood', 'spray'] })).toEqual({ ...allow(), shadow: [spray] });
  });

  it('tells nothing of a shadow in which nobody spoke', () => {
    expect(conclude([spray, score], 100, { shadow: ['flood'] })).toEqual(aggregate([spray, score], 100));
    expect(conclude([spray], 100, {})).toEqual(aggregate([spray], 100));
    expect(conclude([], 100, { shadow: ['spray'] })).toEqual(allow());
    expect('shadow' in conclude([spray], 100, { shadow: ['flood'] })).toBe(false);
  });
});
