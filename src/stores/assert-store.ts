import { Fault, shapeOf } from '../core/fault.ts';
import type { Store } from './store.ts';

/** @throws Fault `CONFIG_INVALID` when it cannot be one. */
export function assertStore(store: Store): void {
  if (typeof store?.view === 'function' && typeof store.transact === 'function') return;
  throw new Fault('CONFIG_INVALID', `store must be a store, got ${shapeOf(store)}`);
}
