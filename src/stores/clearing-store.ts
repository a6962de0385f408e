import type { Key } from '../core/records.ts';
import type { Store } from './store.ts';
import { isUnreadable } from './unreadable.ts';

/** Told that a call met a record which cannot be read, and how many were set aside: 0 where that could not be done now. */
export type ClearingListener = (setAside: number) => void;

/**
 * The same store, which sets a record aside as soon as a call meets it and cannot read it. That call still rejects with
 * `RECORD_CORRUPT`: nothing of the record is trusted. The next one finds none there, so that nobody is stopped for good.
 *
 * Setting aside takes a promise, so there is no face without one. A store whose records cannot be corrupt is given back as
 * it is.
 */
export function clearingStore(store: Store, listen: ClearingListener = () => {}): Store {
  if (store.setAside === undefined) return store;
  const clear = async (cause: unknown, keys: readonly Key[]): Promise<never> => {
    if (isUnreadable(cause)) listen(await setAsideAmong(store, keys));
    throw cause;
  };
  return {
    view: (keys, look, options) => store.view(keys, look, options).catch((cause) => clear(cause, keys)),
    transact: (keys, step) => store.transact(keys, step).catch((cause) => clear(cause, keys)),
    setAside: (keys) => setAsideAmong(store, keys),
    ping: () => store.ping(),
    held: (prefix, signal) => store.held(prefix, signal),
    heldOfAny: store.heldOfAny?.bind(store),
    close: () => store.close(),
  };
}

/** Sets aside those of these records that cannot be read; gives how many. Never rejects. */
export async function setAsideAmong(store: Pick<Store, 'setAside'>, keys: readonly Key[]): Promise<number> {
  try {
    return (await store.setAside?.(keys)) ?? 0;
  } catch {
    // A store that cannot do it now will be asked again by the next call that meets the record.
    return 0;
  }
}
