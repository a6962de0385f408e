import type { Decision, Mode, Outcome } from '../core/decision.ts';
import { Fault, type FaultCode, shapeOf } from '../core/fault.ts';
import { warnOfListener } from '../listeners/listener-warnings.ts';
import { tell } from '../listeners/tell.ts';
import type { OperationName } from './engine.ts';
import type { CapScope } from './failure/failure-policy.ts';

/** A decision was made. Carries no identifier. */
export interface DecisionEvent {
  readonly op: OperationName;
  readonly action: string;
  readonly policy: string;
  readonly decision: Decision;
}

/**
 * An operator placed or lifted a block, removed a device from an account's book, or set or removed a pin. `block` is its id,
 * which holds hashes only.
 */
export interface AuditEvent {
  readonly at: number;
  readonly what: 'placed' | 'lifted' | 'removed' | 'pinned' | 'unpinned';
  readonly block: string;
  readonly by: string;
  readonly why: string;
  /** When a placed block or a pin ends; null for a lift, a removal, and a block of which nobody knows whether it was placed. */
  readonly until: number | null;
  /** True where nobody knows whether it was done: it is under way, or the store failed before its end was noted. */
  readonly unsure?: true;
}

/** A policy has changed its mode on this node. */
export interface ModeEvent {
  readonly at: number;
  readonly policy: string;
  readonly from: Mode;
  readonly to: Mode;
}

/** A policy's breaker has tripped, or has closed again. */
export interface BreakerEvent {
  readonly at: number;
  readonly policy: string;
  readonly what: 'tripped' | 'closed';
  /** Trips into a degraded epoch that still count against the re-entry guard, this one included. */
  readonly entries: number;
}

/** Somebody has to look: the store keeps flapping, so the policy is shut for a while. */
export interface CriticalEvent {
  readonly at: number;
  readonly policy: string;
  readonly what: 'reentry';
  /** Until when nobody passes. */
  readonly until: number;
}

/** A local cap has refused an operation while the store was away. */
export interface CapEvent {
  readonly at: number;
  readonly policy: string;
  readonly op: OperationName;
  readonly mode: Mode;
  readonly outcome: Outcome;
  /** Which caps were reached. */
  readonly scopes: readonly CapScope[];
}

/** A breaker has closed: what this node let through meanwhile, and the most that all nodes could have. */
export interface DegradedEpochEvent {
  /** When the breaker closed. */
  readonly at: number;
  readonly policy: string;
  /** When it had tripped. */
  readonly from: number;
  /** How many nodes there are, as the configuration says. */
  readonly nodes: number;
  /** Attempts that the caps of this node admitted. */
  readonly admitted: number;
  readonly refused: number;
  /** Per key kind: the most attempts on one subject that the caps allow in this time, on one node and on all. */
  readonly bounds: readonly {
    readonly scope: CapScope;
    readonly mostPerNode: number;
    readonly most: number;
  }[];
}

/** An operation on the store, or a probe, has ended. Of one that began before anybody listened nothing is told. */
export interface StoreEvent {
  readonly policy: string;
  readonly op: OperationName | 'probe';
  readonly durationMs: number;
  /** Null when the store answered. */
  readonly fault: FaultCode | null;
}

/** A stored record could not be read. The operation has thrown `RECORD_CORRUPT`. */
export interface CorruptEvent {
  /** Null where an operator's call met it. */
  readonly policy: string | null;
  readonly op: OperationName | 'operator';
  /** How many records were set aside for an operator; the next operation finds none in their place. */
  readonly setAside: number;
}

/** A listener has thrown, or its promise was rejected. The decision stood; the other listeners were called. */
export interface ListenerFaultEvent {
  /** The event it was listening to. */
  readonly event: string;
  readonly error: unknown;
}

/** Everything a guard tells its host, by name. */
export interface GuardEvents {
  decision: DecisionEvent;
  audit: AuditEvent;
  mode: ModeEvent;
  breaker: BreakerEvent;
  critical: CriticalEvent;
  cap: CapEvent;
  degradedEpoch: DegradedEpochEvent;
  store: StoreEvent;
  corrupt: CorruptEvent;
  listenerFault: ListenerFaultEvent;
}

const eventNames: Readonly<Record<keyof GuardEvents, true>> = {
  decision: true,
  audit: true,
  mode: true,
  breaker: true,
  critical: true,
  cap: true,
  degradedEpoch: true,
  store: true,
  corrupt: true,
  listenerFault: true,
};

/** @throws Fault `INPUT_INVALID` for what no guard ever tells: who listens there would wait for ever. */
export function assertEventName(name: string): void {
  if (Object.hasOwn(eventNames, name)) return;
  const names = Object.keys(eventNames).join(', ');
  throw new Fault('INPUT_INVALID', `event must be one of ${names}, got ${shapeOf(name)}`);
}

/** Told of an event. What it throws, or its promise is rejected with, changes nothing for the decision. */
export type Listener<E> = (event: E) => void;

/**
 * Typed listeners. A listener that throws, at once or by a promise, changes nothing for the operation and the other
 * listeners: a broken log must not open or close a door. What it threw goes to `listenerFault`, and without a listener
 * there to the process as a warning, at most one a minute of each event; nothing is swallowed.
 */
export class EventHub<Events extends { listenerFault: ListenerFaultEvent }> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** Adds a listener; the result takes it away again. */
  on<N extends keyof Events>(name: N, listener: Listener<Events[N]>): () => void {
    if (typeof listener !== 'function') {
      throw new Fault('INPUT_INVALID', `listener must be a function, got ${shapeOf(listener)}`);
    }
    const listeners = this.#listeners.get(name) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(name, listeners);
    return () => {
      listeners.delete(listener);
    };
  }

  /** Whether anybody listens: what nobody hears of need not be put together. */
  hears(name: keyof Events): boolean {
    const listeners = this.#listeners.get(name);
    return listeners !== undefined && listeners.size > 0;
  }

  emit<N extends keyof Events & string>(name: N, event: Events[N]): void {
    const listeners = this.#listeners.get(name) as Set<Listener<Events[N]>> | undefined;
    if (listeners === undefined) return;
    for (const listener of listeners) tell(listener, event, name, this.report);
  }

  /** Tells of what a listener threw: whoever listens to `listenerFault`, else the process. */
  readonly report = (fault: ListenerFaultEvent): void => {
    const listeners = this.#listeners.get('listenerFault');
    if (fault.event === 'listenerFault' || listeners === undefined || listeners.size === 0) {
      warnOfListener(fault);
    } else this.emit('listenerFault', fault);
  };
}
