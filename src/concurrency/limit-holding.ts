import { Fault } from '../core/fault.ts';
import type { Limit } from './limit.ts';

/** What a cap has of its limit. */
interface Holder {
  readonly limit: Limit;
}

/** Exclusive limits that a cap was made with. */
const held = new WeakSet<Limit>();

/**
 * Refuses an exclusive limit that another cap has: each would take the other's calls for its own, and neither would find the
 * limit of its dependency.
 *
 * @param beside those that are made together with this one
 * @throws Fault `CONFIG_INVALID` that names the option.
 */
export function assertLimitIsFree(limit: Limit, beside: readonly Holder[]): void {
  if (limit.exclusive !== true) return;
  if (!held.has(limit) && !beside.some((other) => other.limit === limit)) return;
  throw new Fault(
    'CONFIG_INVALID',
    'limit belongs to another cap: it cannot tell apart what two have running. Make one for each.',
  );
}

/** From here on the limit belongs to a cap, for good: a cap has no end that could free it. */
export function holdLimit(limit: Limit): void {
  if (limit.exclusive === true) held.add(limit);
}
