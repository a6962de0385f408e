import { Fault } from '../core/fault.ts';
import { assertPart } from '../core/options.ts';
import type { ImmediateStore, Store } from './store.ts';

/** @throws Fault `CONFIG_INVALID` when it cannot be one. */
export function assertStore(store: Store): void {
  // Without the last, the immediate of a store would pass for it, and a breaker that has tripped would never close.
  assertPart('store', store, ['view', 'transact', 'ping'], 'a store');
}

/** @throws Fault `CONFIG_INVALID` when it cannot be one, or is a whole store, whose promises would be taken for answers. */
export function assertImmediateStore(store: ImmediateStore): void {
  const expected = 'a store that answers at once';
  assertPart('store', store, ['view', 'transact'], expected);
  if (!('ping' in store)) return;
  throw new Fault('CONFIG_INVALID', `store must be ${expected}, got one of promises: take its immediate`);
}
