import { describe, expect, it } from 'vitest';
import { sumOf } from './sum-of-counts.ts';

describe('the sum of counts', () => {
  it('is that of every field, also where only one of them has it', () => {
    const before = { allowed: 2, refused: { limit: 1, blocked: 0 }, scenarios: { gone: { blocked: 3 } } };
    const now = { allowed: 5, refused: { limit: 1, blocked: 4 }, scenarios: { come: { blocked: 1 } } };
    expect(sumOf<object>(before, now)).toEqual({
      allowed: 7,
      refused: { limit: 2, blocked: 4 },
      scenarios: { gone: { blocked: 3 }, come: { blocked: 1 } },
    });
  });

  it('with nothing is the other one', () => {
    expect(sumOf(null, { allowed: 1 })).toEqual({ allowed: 1 });
    expect(sumOf({ allowed: 1 }, null)).toEqual({ allowed: 1 });
  });
});
