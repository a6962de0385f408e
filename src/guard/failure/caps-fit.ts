import { shapeOf } from '../../core/fault.ts';
import type { Policy } from '../../core/policy.ts';
import type { DegradedCap } from './failure-policy.ts';

/** Caps that do not fit the policy they are for. */
export interface CapsMisfit {
  /** The name under which the caps are. */
  readonly policy: string;
  /** Where below it: nothing, or `[0].scope`. */
  readonly place: string;
  readonly message: string;
}

/**
 * Caps for a policy that there is not, and on accounts that its requests do not have. A cap that no request can meet would
 * be found out when the store is away, and stop what it was to bound.
 */
export function capsMisfits(
  caps: Readonly<Record<string, readonly DegradedCap[]>>,
  policies: readonly Policy[],
): CapsMisfit[] {
  return Object.entries(caps).flatMap(([name, policyCaps]) => {
    const policy = policies.find((candidate) => candidate.name === name);
    if (policy === undefined) {
      const names = policies.map((candidate) => candidate.name).join(', ');
      return [{ policy: name, place: '', message: `is for no policy: there are ${names}` }];
    }
    const at = policy.kind === 'rate' ? policyCaps.findIndex(({ scope }) => scope === 'K4') : -1;
    if (at === -1) return [];
    const message = `must be K2 or K1: the policy is about no accounts, got ${shapeOf('K4')}`;
    return [{ policy: name, place: `[${at}].scope`, message }];
  });
}
