import { describe, expect, it } from 'vitest';
import { LineBudget } from './line-budget.ts';

function budgetOf(perSecond: number) {
  const time = { now: 5_000 };
  return { time, budget: new LineBudget(perSecond, () => time.now) };
}

const allowed = (budget: LineBudget, isGrave: boolean, tries: number) =>
  Array.from({ length: tries }, () => budget.allows(isGrave)).filter(Boolean).length;

describe('LineBudget', () => {
  it('keeps room for what is grave, however many lesser lines come', () => {
    const { budget } = budgetOf(3);
    expect(allowed(budget, false, 1_000)).toBe(3);
    expect(allowed(budget, true, 1_000)).toBe(3);
  });

  it('keeps room for lesser lines, however many grave ones come', () => {
    const { budget } = budgetOf(3);
    expect(allowed(budget, true, 1_000)).toBe(3);
    expect(allowed(budget, false, 1_000)).toBe(3);
  });

  it('has all its room again in the next second', () => {
    const { budget, time } = budgetOf(3);
    allowed(budget, false, 10);
    time.now += 1_000;
    expect(allowed(budget, false, 10)).toBe(3);
  });

  it('counts what it left out until that is told', () => {
    const { budget } = budgetOf(3);
    allowed(budget, false, 10);
    expect(budget.hidden).toBe(7);
    budget.toldHidden();
    expect(budget.hidden).toBe(0);
  });
});
