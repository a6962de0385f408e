import { warnOfListener } from '../listeners/listener-warnings.ts';
import { tell } from '../listeners/tell.ts';
import type { Denial, DenialReason } from './denial.ts';
import type { GlobalBreaker, GlobalCause } from './global-breaker.ts';
import type { HopPath } from './hops.ts';
import type { PassportFlaw } from './passport.ts';
import type { ReceiptFlaw } from './receipt.ts';
import type { RetryCause, WithholdReason } from './retry-rules.ts';
import type { TargetBreaker } from './target-breaker.ts';

/**
 * Everything the rails have to say. No event carries a path, a header, a body or an address; `requestId` appears
 * only where an operator has to follow one request (loops).
 */
export interface SvcEvents {
  /** A call ended, after all its attempts. */
  call: {
    readonly target: string;
    readonly outcome: 'response' | 'timeout' | 'unreachable' | 'aborted' | 'misused';
    /** Null unless there was a response. */
    readonly status: number | null;
    readonly attempts: number;
    readonly durationMs: number;
  };
  /** A call was not made; or would not have been, if its rule did not run in shadow. */
  denied: { readonly denial: Denial; readonly side: 'client' | 'callee'; readonly shadow: boolean };
  /** A failure is going to be retried, unless the rails no longer let it pass when the wait is over. */
  retry: {
    readonly target: string;
    readonly retry: number;
    readonly cause: RetryCause;
    readonly waitMs: number;
  };
  /** A failure that could have been retried was not. */
  'retry-withheld': {
    readonly target: string;
    readonly cause: RetryCause;
    readonly reason: WithholdReason;
  };
  'target-breaker': {
    readonly target: string;
    readonly from: TargetBreaker['state'];
    readonly to: TargetBreaker['state'];
  };
  'global-breaker': {
    readonly from: GlobalBreaker['state'];
    readonly to: GlobalBreaker['state'];
    readonly cause: GlobalCause | null;
  };
  /** A passport came in that was not taken for one; the request goes on without retries. */
  'passport-dropped': { readonly flaw: PassportFlaw };
  /** A receipt came back that was not taken for one; what was lent counts as spent. */
  'receipt-dropped': { readonly target: string; readonly flaw: ReceiptFlaw };
  /** Belongs into the security log. */
  security: {
    readonly kind: 'loop';
    readonly side: 'client' | 'callee';
    readonly requestId: string;
    readonly hops: HopPath;
    /** Loops refused by this process so far. */
    readonly count: number;
  };
  /** A person should look at it now. */
  alert:
    | { readonly kind: 'loop'; readonly requestId: string; readonly hops: HopPath; readonly count: number }
    | { readonly kind: 'global-breaker'; readonly cause: GlobalCause };
  /** An operator changed something, for the audit log. */
  audit: {
    readonly act: 'pin' | 'unpin';
    readonly target: string;
    readonly by: string;
    readonly why: string;
    /** For how long, in milliseconds; 0 for unpin. */
    readonly forMs: number;
  };
  /** New options took effect. */
  reconfigured: { readonly targets: number };
}

export type SvcEventName = keyof SvcEvents;
export type SvcListener<Name extends SvcEventName> = (event: SvcEvents[Name]) => void;

type Listeners = { [Name in SvcEventName]?: Set<SvcListener<Name>> };

/**
 * Hands events to listeners. What one throws, at once or by a promise, becomes a process warning, at most one a minute of
 * each event; it never breaks a call.
 */
export class SvcEmitter {
  readonly #listeners: Listeners = {};

  /** Adds a listener; the returned function removes it. */
  on<Name extends SvcEventName>(name: Name, listener: SvcListener<Name>): () => void {
    const listeners: Set<SvcListener<Name>> = this.#listeners[name] ?? new Set();
    listeners.add(listener);
    this.#listeners[name] = listeners as Listeners[Name];
    return () => listeners.delete(listener);
  }

  /** Whether anybody listens: events of the hot path are not built for nobody. */
  hears(name: SvcEventName): boolean {
    return (this.#listeners[name]?.size ?? 0) > 0;
  }

  emit<Name extends SvcEventName>(name: Name, event: SvcEvents[Name]): void {
    const listeners: Set<SvcListener<Name>> | undefined = this.#listeners[name];
    if (listeners === undefined) return;
    for (const listener of listeners) tell(listener, event, name, warnOfListener);
  }
}

/** Counts denials by reason. */
export type DenialCounts = { [Reason in DenialReason]?: number };
