import type { Decision } from '../core/decision.ts';
import type { OperationName } from './engine.ts';

/** A decision was made. Carries no identifier. */
export interface DecisionEvent {
  readonly op: OperationName;
  readonly action: string;
  readonly policy: string;
  readonly decision: Decision;
}

/** An operator placed or lifted a block. `block` is the block's id, which holds hashes only. */
export interface AuditEvent {
  readonly at: number;
  readonly what: 'placed' | 'lifted';
  readonly block: string;
  readonly by: string;
  readonly why: string;
  /** When a placed block ends; null for a lift. */
  readonly until: number | null;
}

/** Everything a guard tells its host, by name. */
export interface GuardEvents {
  decision: DecisionEvent;
  audit: AuditEvent;
}

export type Listener<E> = (event: E) => void;

/** Typed listeners. What a listener throws reaches the caller of the operation: nothing is swallowed. */
export class EventHub<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** Adds a listener; the result takes it away again. */
  on<N extends keyof Events>(name: N, listener: Listener<Events[N]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(name, listeners);
    return () => {
      listeners.delete(listener);
    };
  }

  emit<N extends keyof Events>(name: N, event: Events[N]): void {
    const listeners = this.#listeners.get(name) as Set<Listener<Events[N]>> | undefined;
    if (listeners === undefined) return;
    for (const listener of listeners) listener(event);
  }
}
