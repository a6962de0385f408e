/** Who goes first when calls wait, and who is shed last. `health` has slots and a queue of its own instead. */
export type Priority = 'health' | 'critical' | 'normal' | 'background';

/**
 * How a call that was let in has ended. A `failed` one, as one whose client has left, gives its slot back, but its latency says
 * nothing. One that the service has `errored` on took at least as long as it took: its latency may bring a limit down, and never
 * raises it.
 */
export type CallOutcome = 'done' | 'failed' | 'errored';

/** What a call brings with it. */
export interface CallOptions {
  /** Default `normal`. */
  readonly priority?: Priority;
  /** The caller: when it goes away, the call leaves the queue at once. */
  readonly signal?: AbortSignal;
  /**
   * How long the caller can still wait, in milliseconds; shortens the queue deadline. Without time left, 0 or less: denied. Any
   * number will do, so that it can be what is left of a deadline; infinite is none of its own.
   */
  readonly deadlineMs?: number;
}

/** The call may run. Whoever got this must give it back. */
export interface Admitted {
  readonly admitted: true;
  /** Time spent in the queue, in whole milliseconds. */
  readonly waitedMs: number;
  /** False once the slot is back, given or taken. */
  readonly running: boolean;
  /** Aborts when the caller goes away, and when the call overruns. Made when first read. */
  readonly signal: AbortSignal;
  /** Gives the slot back, default `done`. Only the first call does; returns whether this was it. A callback by itself. */
  readonly release: (outcome?: CallOutcome) => boolean;
}

/**
 * Why a call may not run: the queue was full, its deadline passed there, a call of higher priority took its place, or
 * its caller went away.
 */
export type DenialReason = 'queue-full' | 'deadline' | 'displaced' | 'aborted';

/** The call may not run. */
export interface Denied {
  readonly admitted: false;
  readonly reason: DenialReason;
  readonly route: string;
  /** Time spent in the queue, in whole milliseconds. */
  readonly waitedMs: number;
  /** When trying again makes sense: the queue deadline, up to ten times longer under pressure. */
  readonly retryAfterMs: number;
}

export type Admission = Admitted | Denied;

/** What a cap says about itself, for logs and metrics. */
export type CapEvent =
  | {
      readonly type: 'shed';
      readonly route: string;
      readonly reason: DenialReason;
      readonly priority: Priority;
      readonly waitedMs: number;
      /** True when the cap runs in shadow: the call went on. */
      readonly shadow: boolean;
    }
  | { readonly type: 'overrun'; readonly route: string; readonly maxRunMs: number }
  | { readonly type: 'limit-changed'; readonly route: string; readonly limit: number; readonly was: number }
  | {
      /** An operator holds the limit; for the audit log. */
      readonly type: 'pinned';
      readonly route: string;
      readonly limit: number;
      readonly by: string;
      readonly why: string;
      readonly forMs: number;
    }
  | {
      /** An operator has ended a pin before its time. */
      readonly type: 'unpinned';
      readonly route: string;
      readonly by: string;
      readonly why: string;
    };

/** What it throws, at once or by a promise, changes no admission: it is a warning of the process, at most one a minute. */
export type CapListener = (event: CapEvent) => void;
