import type { Policy } from '../../core/policy.ts';
import type { Pins } from './pins.ts';

/**
 * Policies whose rules in shadow are those of the configuration and those that operators have pinned, at the time each
 * operation is decided.
 */
export function pinnedPolicies(policies: readonly Policy[], pins: Pick<Pins, 'current'>): readonly Policy[] {
  return policies.map((policy) => {
    const configured = policy.shadow ?? [];
    const shadow = { get: () => pins.current.shadowOf(policy.name, configured), enumerable: true };
    return Object.defineProperty({ ...policy }, 'shadow', shadow);
  });
}
