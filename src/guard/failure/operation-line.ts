import { Fault } from '../../core/fault.ts';
import { noSteps } from '../../core/operation.ts';
import type { Key, Records } from '../../core/records.ts';
import type { GroupStep, Store, ViewOptions } from '../../stores/store.ts';
import { transactEach } from '../../stores/transact-each.ts';
import type { Call } from '../engine.ts';
import type { OperationStore } from '../run.ts';
import type { Spell } from './timed-breaker.ts';

/**
 * The store as one operation sees it. Once the operation has been answered without the store, or the breaker has
 * tripped, nothing that is left of the operation reaches the store any more.
 */
export class OperationLine implements OperationStore {
  readonly call: Call;
  /** The time that was handed in. */
  readonly at: number | undefined;
  /** By the clock of the node; null where nobody wants to know how long it took. */
  readonly startedAt: number | null;
  /** In which the operation began. */
  readonly spell: Spell;
  readonly #store: Store;
  #steps: readonly GroupStep<unknown>[] = noSteps;
  #hasEnded = false;

  constructor(store: Store, spell: Spell, call: Call, at: number | undefined, startedAt: number | null) {
    this.#store = store;
    this.spell = spell;
    this.call = call;
    this.at = at;
    this.startedAt = startedAt;
  }

  viewNow<T extends object>(
    keys: readonly Key[],
    look: (records: Records, now: number) => T,
    options?: ViewOptions<T>,
  ): T | undefined {
    return this.#isOpen() ? this.#store.viewNow?.(keys, look, options) : undefined;
  }

  view<T>(
    keys: readonly Key[],
    look: (records: Records, now: number) => T,
    options?: ViewOptions<T>,
  ): Promise<T> {
    return this.#isOpen() ? this.#store.view(keys, look, options) : Promise.reject(ended());
  }

  transactEach<T>(steps: readonly GroupStep<T>[]): Promise<readonly T[]> {
    if (!this.#isOpen()) return Promise.reject(ended());
    this.#steps = this.#steps.length === 0 ? steps : [...this.#steps, ...steps];
    return transactEach(this.#store, steps);
  }

  get hasPending(): Store['hasPending'] {
    return this.#store.hasPending?.bind(this.#store);
  }

  /** The keys of all steps so far: steps know keys that the view of their operation does not. */
  get stepKeys(): readonly Key[] {
    return this.#steps.flatMap(({ keys }) => keys);
  }

  end(): void {
    this.#hasEnded = true;
  }

  #isOpen(): boolean {
    return !(this.#hasEnded || this.spell.isOver);
  }
}

const ended = (): Fault => new Fault('STORE_FAILED', 'The store is not called while the breaker is open.');
