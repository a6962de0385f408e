import { assertNumber, assertWhole } from '../core/amounts.ts';
import type { Quota } from '../core/bucket.ts';
import { SECOND_MS } from '../core/duration.ts';
import type { OptionKinds } from '../core/options.ts';

/** How much a caller may do. */
export interface Limit {
  /** Units of cost per second that flow back, from 0.001 to 100,000. */
  readonly ratePerSecond: number;
  /** How many seconds of the rate may be spent at once, from 2 to 4. Default 3. */
  readonly burst?: number | undefined;
}

export const limitKinds: OptionKinds<Limit> = { ratePerSecond: 'checked', burst: 'checked' };

/** A limit, ready to charge against. */
export interface Allowance {
  readonly ratePerSecond: number;
  readonly quota: Quota;
  /** Whole units of cost that a full bucket holds. */
  readonly capacity: number;
  /** Whole seconds in which an empty bucket fills up. */
  readonly windowSeconds: number;
  /** Cost asked for within {@link askedWindowMs} above which the client is blocked. */
  readonly blockAbove: number;
}

/** Auto-block: more than this many times the steady rate … */
const blockFactor = 10;
/** … over this time. */
export const askedWindowMs = 5 * SECOND_MS;

/** What a limit may be. Rates, costs and debts in these bounds are exact as integers (see {@link milliCost}). */
export const limitBounds = {
  /** Units of cost per second. */
  leastRate: 0.001,
  mostRate: 100_000,
  leastBurst: 2,
  mostBurst: 4,
  /** Of one call. */
  mostCost: 1_000_000,
} as const;

/** What a signed-in user may do where nobody says otherwise. */
export const defaultLimit = { ratePerSecond: 10, burst: 3 } as const;

/**
 * The bucket counts thousandths of a unit of cost, so that a capacity of 7.5 is one, and refills per 1000 s, so that a
 * rate is exact to a millionth of a unit per second.
 */
export const milliCost = 1_000;
const periodMs = 1_000_000;
const perPeriod = periodMs;

/** The most that a settlement may leave owing, in thousandths. */
export const mostOwedMilli = 4_000_000 * milliCost;

/** @throws Fault `CONFIG_INVALID` when the rate or the burst is out of range; `name` says which limit it was. */
export function toAllowance(name: string, { ratePerSecond, burst = defaultLimit.burst }: Limit): Allowance {
  const { leastRate, mostRate, leastBurst, mostBurst } = limitBounds;
  assertNumber('CONFIG_INVALID', `${name}.ratePerSecond`, ratePerSecond, leastRate, mostRate);
  assertNumber('CONFIG_INVALID', `${name}.burst`, burst, leastBurst, mostBurst);
  // A bucket that cannot hold one unit would refuse every call for ever.
  const capacityMilli = Math.max(milliCost, Math.round(burst * ratePerSecond * milliCost));
  return Object.freeze({
    ratePerSecond,
    quota: Object.freeze({ limit: Math.round(ratePerSecond * perPeriod), periodMs, capacity: capacityMilli }),
    capacity: Math.floor(capacityMilli / milliCost),
    windowSeconds: Math.max(1, Math.ceil(capacityMilli / milliCost / ratePerSecond)),
    // Where the bucket holds its least, ten of it: nobody is blocked for one call or a double click.
    blockAbove: Math.max(
      (blockFactor * askedWindowMs * ratePerSecond) / SECOND_MS,
      (blockFactor * capacityMilli) / milliCost,
    ),
  });
}

/** Pressure never takes more than nine tenths of the refill. */
const leastScale = 0.1;

/** The quota while the refill is scaled; the capacity stays. A scale that is no number counts as 1. */
export function scaledQuota({ quota }: Allowance, scale: number): Quota {
  const bounded = scale >= 1 || Number.isNaN(scale) ? 1 : Math.max(leastScale, scale);
  return bounded === 1 ? quota : { ...quota, limit: Math.max(1, Math.round(quota.limit * bounded)) };
}

/** @throws Fault with `code` when the cost is not a whole number from 0 to 1,000,000. */
export function assertCost(code: 'CONFIG_INVALID' | 'INPUT_INVALID', name: string, cost: number): void {
  assertWhole(code, name, cost, 0, limitBounds.mostCost);
}
