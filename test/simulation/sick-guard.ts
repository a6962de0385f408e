import { defaultPolicies } from '../../src/core/policy.ts';
import type { GuardEvents } from '../../src/guard/events.ts';
import { type FailureOptions, readFailureOptions } from '../../src/guard/failure/failure-options.ts';
import { assembleGuard, type Guard } from '../../src/guard/guard.ts';
import type { GuardRequest } from '../../src/guard/signals.ts';
import { createIdentifier } from '../../src/identity/identifier.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { createFaultyStore, type FaultyStore } from '../../src/testing/faulty-store.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

export const SECOND = 1_000;
export const MINUTE = 60_000;

/** A guard over a store that can be made sick, on virtual time. */
export interface SickGuard {
  readonly guard: Guard;
  readonly clock: VirtualClock;
  readonly store: FaultyStore;
  /** Everything the guard has told, in order, but decisions and store calls. */
  readonly told: { readonly name: keyof GuardEvents; readonly event: object }[];
}

const toldEvents = ['mode', 'breaker', 'critical', 'cap', 'degradedEpoch', 'corrupt'] as const;

export function openSickGuard(failure: FailureOptions = {}): SickGuard {
  const clock = new VirtualClock(1_700_000_000_000);
  const store = createFaultyStore(createMemoryStore({ clock: () => clock.now() }), clock);
  const guard = assembleGuard({
    store,
    identifier: createIdentifier({ secret: 'a secret for tests only' }),
    policies: defaultPolicies,
    environment: 'test',
    failure: readFailureOptions({ clock, ...failure }),
  });
  const told: SickGuard['told'] = [];
  for (const name of toldEvents) guard.on(name, (event) => told.push({ name, event }));
  return { guard, clock, store, told };
}

export const login = (account = 'a1', ip = '203.0.113.7'): GuardRequest => ({
  action: 'auth.login',
  account,
  ip,
});

export const otp = (account = 'a1', ip = '203.0.113.7'): GuardRequest => ({
  action: 'auth.otp',
  account,
  ip,
});

export const api = (ip = '203.0.113.7', ua = 'Mozilla/5.0 Firefox/130.0'): GuardRequest => ({
  action: 'api.heavy',
  ip,
  ua,
});

/** Three failures, from addresses and accounts of their own, trip the breaker of `login`. */
export async function tripLogin({ guard, store }: SickGuard): Promise<void> {
  store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
  for (let index = 0; index < 3; index += 1) {
    await guard.check(login(`nobody ${index}`, `198.51.100.${index}`));
  }
}
