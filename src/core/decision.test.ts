import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregate, allow, type Reason, rules, scopes } from './decision.ts';

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
