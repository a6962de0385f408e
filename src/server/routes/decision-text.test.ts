import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregate, allow, type Decision, rules, scopes } from '../../core/decision.ts';
import { decisionText } from './decision-text.ts';

const reasons = fc.array(
  fc.record({
    rule: fc.constantFrom(...rules),
    scope: fc.constantFrom(...scopes),
    outcome: fc.constantFrom('SOFT_BLOCK' as const, 'HARD_BLOCK' as const),
    level: fc.integer({ min: 1, max: 6 }),
    until: fc.integer({ min: 0, max: 2 ** 45 }),
  }),
  { maxLength: 8 },
);
const mode = fc.constantFrom(
  'NORMAL' as const,
  'FAIL_CLOSED' as const,
  'FAIL_OPEN' as const,
  'DEGRADED' as const,
);

describe('the text of a decision', () => {
  it('is what JSON.stringify makes of it', () => {
    fc.assert(
      fc.property(reasons, reasons, mode, fc.boolean(), (spoken, shadow, inMode, isShadowed) => {
        const decided: Decision = { ...aggregate(spoken, 1_000, inMode), ...(isShadowed ? { shadow } : {}) };
        expect(decisionText(decided)).toBe(JSON.stringify(decided));
      }),
    );
    expect(decisionText(allow())).toBe(JSON.stringify(allow()));
  });
});
