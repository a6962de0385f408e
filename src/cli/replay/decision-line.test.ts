import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aggregate, allow, type Reason, rules, scopes } from '../../core/decision.ts';
import { decisionLine } from './decision-line.ts';

const reason: fc.Arbitrary<Reason> = fc.record({
  rule: fc.constantFrom(...rules),
  scope: fc.constantFrom(...scopes),
  outcome: fc.constantFrom('SOFT_BLOCK', 'HARD_BLOCK'),
  level: fc.integer({ min: 1, max: 6 }),
  until: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
});

it('is what JSON.stringify would write, in the order of the contract', () => {
  const decisions = fc.oneof(
    fc.array(reason, { maxLength: 5 }).map((reasons) => aggregate(reasons, 7)),
    fc.constantFrom(allow(), allow('FAIL_OPEN')),
  );
  fc.assert(
    fc.property(fc.nat(), decisions, (t, decision) => {
      const { outcome, level, until, retryAfterMs, rule, scope, deferred, mode, reasons } = decision;
      const expected = { t, outcome, level, until, retryAfterMs, rule, scope, deferred, mode, reasons };
      expect(decisionLine(t, decision)).toBe(JSON.stringify(expected));
    }),
  );
});
