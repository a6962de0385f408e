import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { assertCost, toAllowance } from './allowance.ts';

const faultOf = (run: () => unknown): Fault | null => {
  try {
    run();
    return null;
  } catch (error) {
    return error instanceof Fault ? error : null;
  }
};

describe('a limit', () => {
  it('holds burst × rate, three seconds of it unless said otherwise', () => {
    expect(toAllowance('x', { ratePerSecond: 10 })).toMatchObject({
      capacity: 30,
      windowSeconds: 3,
      blockAbove: 500,
    });
    expect(toAllowance('x', { ratePerSecond: 2.5, burst: 3 })).toMatchObject({
      capacity: 7,
      windowSeconds: 3,
    });
    expect(toAllowance('x', { ratePerSecond: 2.5, burst: 3 }).quota.capacity).toBe(7_500);
  });

  it('holds at least one unit, or nobody would ever get through', () => {
    expect(toAllowance('x', { ratePerSecond: 0.1, burst: 2 })).toMatchObject({
      capacity: 1,
      windowSeconds: 10,
    });
  });

  it.each([1.9, 4.1, 0, -3, Number.NaN, Number.POSITIVE_INFINITY])('refuses a burst of %d', (burst) => {
    const fault = faultOf(() => toAllowance('anonymous', { ratePerSecond: 10, burst }));
    expect(fault?.code).toBe('CONFIG_INVALID');
    expect(fault?.message).toContain('anonymous.burst must be a number from 2 to 4');
  });

  it.each([2, 3, 4])('takes a burst of %d', (burst) => {
    expect(toAllowance('x', { ratePerSecond: 1, burst }).capacity).toBe(burst);
  });

  it.each([0, -1, 0.0009, 100_001, Number.NaN])('refuses a rate of %d', (ratePerSecond) => {
    expect(faultOf(() => toAllowance('x', { ratePerSecond }))?.code).toBe('CONFIG_INVALID');
  });

  it('stays in the exact integers at its largest', () => {
    const { quota } = toAllowance('x', { ratePerSecond: 100_000, burst: 4 });
    expect(Number.isSafeInteger(quota.capacity * quota.periodMs * 2)).toBe(true);
  });
});

describe('a cost', () => {
  it.each([0, 1, 1_000_000])('of %d is one', (cost) => {
    expect(faultOf(() => assertCost('INPUT_INVALID', 'cost', cost))).toBeNull();
  });

  it.each([-1, 0.5, 1_000_001, Number.NaN])('of %d is none', (cost) => {
    expect(faultOf(() => assertCost('INPUT_INVALID', 'cost', cost))?.code).toBe('INPUT_INVALID');
  });
});
