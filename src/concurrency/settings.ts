import { amountOf, Fault } from '../core/fault.ts';

/** @throws Fault `CONFIG_INVALID` unless `value` is a whole number from `low` to `high`. */
export function assertWhole(name: string, value: number, low: number, high: number): void {
  if (Number.isInteger(value) && value >= low && value <= high) return;
  throw new Fault(
    'CONFIG_INVALID',
    `${name} must be a whole number from ${low} to ${high}, not ${amountOf(value)}.`,
  );
}

/** @throws Fault `CONFIG_INVALID` unless `value` is a finite number above `above` and at most `high`. */
export function assertAbove(name: string, value: number, above: number, high: number): void {
  if (typeof value === 'number' && value > above && value <= high) return;
  throw new Fault(
    'CONFIG_INVALID',
    `${name} must be above ${above} and at most ${high}, not ${amountOf(value)}.`,
  );
}

/** @throws Fault `CONFIG_INVALID` unless `value` is a number from 0 to 1. */
export function assertShare(name: string, value: number): void {
  if (typeof value === 'number' && value >= 0 && value <= 1) return;
  throw new Fault('CONFIG_INVALID', `${name} must be a number from 0 to 1, not ${amountOf(value)}.`);
}
