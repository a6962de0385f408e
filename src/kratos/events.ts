import type { Mode } from '../core/decision.ts';
import type { FaultCode } from '../core/fault.ts';
import type { BreakerEvent, CriticalEvent, ListenerFaultEvent, ModeEvent } from '../guard/events.ts';
import type { LockReason } from './verdict.ts';

/** An attempt was judged before its credentials were looked at. Carries no identifier. */
export interface AttemptEvent {
  readonly by: 'counters' | 'matrix';
  readonly allowed: boolean;
  /** Null where it was allowed. */
  readonly reason: LockReason | null;
  readonly mode: Mode;
}

/**
 * How a login that was let through has ended, as far as Kratos's answer shows: `success` where it gave a session,
 * `likely-success` where it went on without one, `undelivered` where Kratos could not be reached.
 */
export type LoginOutcome = 'success' | 'likely-success' | 'failure' | 'unknown' | 'undelivered';

/** A login that was let through has ended. */
export interface OutcomeEvent {
  readonly by: 'counters' | 'matrix';
  readonly outcome: LoginOutcome;
}

/** The store was asked, or probed. */
export interface CounterStoreEvent {
  readonly op: 'count' | 'take-back' | 'reset' | 'probe';
  readonly durationMs: number;
  /** Null when the store answered. */
  readonly fault: FaultCode | null;
}

/** Somebody should look at this; never holds anything of a request. */
export interface WarningEvent {
  readonly code:
    | 'KRATOS_STORE_FAILURE_OPEN'
    | 'KRATOS_PROXY_UNTRUSTED'
    | 'KRATOS_WEBHOOK_UNREADABLE'
    | 'KRATOS_WEBHOOK_EMPTY'
    | 'KRATOS_RESET_FAILED'
    | 'KRATOS_UPSTREAM_UNREACHABLE'
    | 'KRATOS_UPSTREAM_UNREADABLE'
    | 'KRATOS_UPSTREAM_TIMEOUT';
  readonly message: string;
}

/** Everything that login backoff tells its host, by name. */
export interface KratosEvents {
  attempt: AttemptEvent;
  outcome: OutcomeEvent;
  store: CounterStoreEvent;
  mode: ModeEvent;
  breaker: BreakerEvent;
  critical: CriticalEvent;
  warning: WarningEvent;
  listenerFault: ListenerFaultEvent;
}
