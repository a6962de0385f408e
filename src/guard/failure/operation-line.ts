import { Fault } from '../../core/fault.ts';
import type { Key, Records } from '../../core/records.ts';
import type { Store, ViewOptions } from '../../stores/store.ts';
import type { OperationStore } from '../run.ts';

/**
 * The store as one operation sees it. Once the operation has been answered without the store, or the breaker has
 * tripped, nothing that is left of the operation reaches the store any more.
 */
export class OperationLine implements OperationStore {
  readonly #store: Store;
  readonly #mayCall: () => boolean;
  readonly #asked: (readonly Key[])[] = [];
  #hasEnded = false;

  constructor(store: Store, mayCall: () => boolean) {
    this.#store = store;
    this.#mayCall = mayCall;
  }

  view<T>(
    keys: readonly Key[],
    look: (records: Records, now: number) => T,
    options?: ViewOptions<T>,
  ): Promise<T> {
    if (!this.#isOpen()) return Promise.reject(ended());
    this.#asked.push(keys);
    return this.#store.view(keys, look, options);
  }

  transact<T>(keys: readonly Key[], step: (records: Records, now: number) => T): Promise<T> {
    if (!this.#isOpen()) return Promise.reject(ended());
    this.#asked.push(keys);
    return this.#store.transact(keys, step);
  }

  /** All that the operation has asked the store for: steps know keys that its view does not. */
  get keys(): readonly Key[] {
    return this.#asked.flat();
  }

  end(): void {
    this.#hasEnded = true;
  }

  #isOpen(): boolean {
    return !this.#hasEnded && this.#mayCall();
  }
}

const ended = (): Fault => new Fault('STORE_FAILED', 'The store is not called while the breaker is open.');
