import { attempt } from '../guard/attempt.ts';
import type { Guard } from '../guard/guard.ts';
import type { Store } from '../stores/store.ts';

/**
 * A guard that can be replaced while it is in use, when policies change. An operation under way ends on the guard it
 * began on; an attempt is several of them, and what it ends with goes by the policies of that moment. Listeners hear
 * both guards.
 */
export class LiveGuard implements Guard {
  #current: Guard;
  readonly #listeners = new Set<Listening>();

  constructor(first: Guard) {
    this.#current = first;
  }

  /** The guard in use. */
  get current(): Guard {
    return this.#current;
  }

  /** Uses another guard from now on. The one before ends what it has begun; its store has to be a lent one. */
  async replace(next: Guard): Promise<void> {
    const before = this.#current;
    for (const listening of this.#listeners) listening.stop = listening.attach(next);
    this.#current = next;
    await before.close();
  }

  readonly check: Guard['check'] = (request, time) => this.#current.check(request, time);
  readonly fail: Guard['fail'] = (request, time) => this.#current.fail(request, time);
  readonly succeed: Guard['succeed'] = (request, time) => this.#current.succeed(request, time);
  readonly recheck: NonNullable<Guard['recheck']> = (request) =>
    this.#current.recheck?.(request) ?? this.#current.check(request);
  readonly withdraw: NonNullable<Guard['withdraw']> = async (request) => this.#current.withdraw?.(request);
  readonly consume: Guard['consume'] = (request, cost, time) => this.#current.consume(request, cost, time);
  readonly attempt: Guard['attempt'] = (request, verify, options) => attempt(this, request, verify, options);
  readonly explain: Guard['explain'] = (request, time) => this.#current.explain(request, time);
  readonly blocks: Guard['blocks'] = (options) => this.#current.blocks(options);
  readonly lift: Guard['lift'] = (id, note) => this.#current.lift(id, note);
  readonly place: Guard['place'] = (request, placement) => this.#current.place(request, placement);
  readonly forgetDevice: Guard['forgetDevice'] = (account, deviceId, note) =>
    this.#current.forgetDevice(account, deviceId, note);
  readonly audit: Guard['audit'] = () => this.#current.audit();
  readonly modes: Guard['modes'] = () => this.#current.modes();
  readonly close: Guard['close'] = () => this.#current.close();

  readonly on: Guard['on'] = (name, listener) => {
    // What the guard before has under way may still tell somebody who has stopped listening since.
    const hear: typeof listener = (event) => (this.#listeners.has(listening) ? listener(event) : undefined);
    const attach = (guard: Guard) => guard.on(name, hear);
    const listening: Listening = { attach, stop: attach(this.#current) };
    this.#listeners.add(listening);
    return () => {
      this.#listeners.delete(listening);
      listening.stop();
    };
  };
}

interface Listening {
  readonly attach: (guard: Guard) => () => void;
  /** Of the present guard; those before it are held by nobody. */
  stop: () => void;
}

/** All of the contract, also what a store may do without: a call that is not passed on is one that nobody makes. */
type WholeStore = { readonly [Name in keyof Required<Store>]: Store[Name] };

/** The same store, which whoever borrows it cannot close. */
export function lentStore(store: Store): Store {
  const lent: WholeStore = {
    view: (keys, look, options) => store.view(keys, look, options),
    transact: (keys, step) => store.transact(keys, step),
    ping: () => store.ping(),
    held: (prefix, signal) => store.held(prefix, signal),
    heldOfAny: store.heldOfAny?.bind(store),
    close: () => Promise.resolve(),
    setAside: store.setAside?.bind(store),
    immediate: store.immediate,
    viewNow: store.viewNow?.bind(store),
    transactEach: store.transactEach?.bind(store),
    hasPending: store.hasPending?.bind(store),
  };
  return lent;
}
