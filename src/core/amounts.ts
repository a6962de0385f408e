import { amountOf, Fault } from './fault.ts';

/** Whose mistake it is: of whoever set an option, or of whoever made a call. */
type Blame = 'CONFIG_INVALID' | 'INPUT_INVALID';

/** Whether it is a number from `least` to `most`; without `most`, any finite one. */
export function isNumber(value: unknown, least: number, most = Number.MAX_VALUE): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}

/** Whether it is a whole number from `least` to `most`; without `most`, any that is exact. */
export function isWhole(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && isNumber(value, least, most);
}

/** What {@link isNumber} takes: "a number from 2 to 4". */
export function numberWords(least?: number, most?: number): string {
  return `a number${rangeWords(least, most)}`;
}

/** What {@link isWhole} takes: "a whole number of at least 1". */
export function wholeWords(least?: number, most?: number): string {
  return `a whole number${rangeWords(least, most)}`;
}

/** @throws Fault that names the field, its range and what was given. */
export function assertNumber(
  blame: Blame,
  field: string,
  value: unknown,
  least: number,
  most?: number,
): asserts value is number {
  if (!isNumber(value, least, most)) throw outOfRange(blame, field, numberWords(least, most), value);
}

/** @throws Fault that names the field, its range and what was given. */
export function assertWhole(
  blame: Blame,
  field: string,
  value: unknown,
  least: number,
  most?: number,
): asserts value is number {
  if (!isWhole(value, least, most)) throw outOfRange(blame, field, wholeWords(least, most), value);
}

/** For ranges that need other words. */
export function outOfRange(blame: Blame, field: string, wanted: string, value: unknown): Fault {
  return new Fault(blame, `${field} must be ${wanted}, got ${amountOf(value)}`);
}

/** A bound that no number can pass is none. */
function rangeWords(least: number | undefined, most = Number.POSITIVE_INFINITY): string {
  if (most >= Number.MAX_SAFE_INTEGER) return least === undefined ? '' : ` of at least ${least}`;
  return least === undefined ? ` of at most ${most}` : ` from ${least} to ${most}`;
}
