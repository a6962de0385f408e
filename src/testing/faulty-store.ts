import { Fault, type FaultCode } from '../core/fault.ts';
import type { Clock } from '../guard/failure/clock.ts';
import type { Store } from '../stores/store.ts';

/** The calls of a store that can be made to fail. */
export type StoreCallName = 'view' | 'transact' | 'ping';

/**
 * What happens to a call. `lose-request`: the store never sees it, and nobody answers. `lose-reply`: the store runs it,
 * and nobody answers. A late one is run at once and answered after the delay.
 */
export type StoreTrouble =
  | { readonly kind: 'fault'; readonly code: FaultCode }
  | { readonly kind: 'lose-request' }
  | { readonly kind: 'lose-reply' }
  | { readonly kind: 'late'; readonly delayMs: number };

/** Decides what happens to each call; null: nothing. */
export type TroublePlan = (call: StoreCallName) => StoreTrouble | null;

/** A store with a switch. */
export interface FaultyStore extends Store {
  /** How many calls of each kind came, whatever became of them. */
  readonly calls: Readonly<Record<StoreCallName, number>>;
  /** From now on calls meet this trouble; null: the store is well again. */
  trouble(plan: StoreTrouble | TroublePlan | null): void;
}

/** Wraps a store so that its calls can be made to fail, to hang or to be late. */
export function createFaultyStore(store: Store, clock: Clock): FaultyStore {
  const calls = { view: 0, transact: 0, ping: 0 };
  const setAside = store.setAside?.bind(store);
  let planned: TroublePlan = () => null;

  function meet<T>(name: StoreCallName, call: () => Promise<T>): Promise<T> {
    calls[name] += 1;
    const trouble = planned(name);
    if (trouble === null) return call();
    switch (trouble.kind) {
      case 'fault':
        return Promise.reject(new Fault(trouble.code, 'The store was told to fail.'));
      case 'lose-request':
        return unanswered();
      case 'lose-reply':
        return call().then(() => unanswered<T>());
      case 'late':
        return call().then(
          (value) => new Promise((resolve) => clock.after(trouble.delayMs, () => resolve(value))),
        );
    }
  }

  return {
    calls,
    trouble(plan) {
      planned = typeof plan === 'function' ? plan : () => plan;
    },
    view: (keys, look, options) => meet('view', () => store.view(keys, look, options)),
    transact: (keys, step) => meet('transact', () => store.transact(keys, step)),
    hasPending: store.hasPending?.bind(store),
    ping: () => meet('ping', () => store.ping()),
    held: (prefix, signal) => store.held(prefix, signal),
    heldOfAny: store.heldOfAny?.bind(store),
    close: () => store.close(),
    ...(setAside === undefined ? {} : { setAside }),
  };
}

const unanswered = <T>(): Promise<T> => new Promise(() => {});
