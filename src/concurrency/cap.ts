import type { OperatorNote } from '../operators/operator-note.ts';
import type { PinOrder } from '../operators/pin-order.ts';
import type { Admission, Admitted, CallOptions, Denied } from './admission.ts';

/** What became of a call that was given as a function. */
export type Ran<T> = { readonly admitted: true; readonly value: T } | Denied;

/** How a cap stands. */
export interface CapStatus {
  readonly limit: number;
  /** All but health checks. May be above it for a while after it fell. */
  readonly running: number;
  /** Running health checks. */
  readonly healthChecks: number;
  readonly waiting: number;
}

/**
 * At most so many calls at once, so many waiting, the rest denied. A slot comes back exactly once, whatever becomes of
 * the call.
 */
export interface Cap {
  readonly route: string;
  readonly status: CapStatus;
  /** From 0 to 1; see `pressure.ts`. */
  readonly pressure: number;
  /**
   * Lets the call in, now or after a wait, or denies it. Who is let in must `release`.
   *
   * @throws Fault `INPUT_INVALID` when the priority, the deadline or the signal is none, or a field is unknown.
   */
  admit(call?: CallOptions): Promise<Admission>;
  /** The same without a wait: denied when no slot is free. */
  tryAdmit(call?: CallOptions): Admission;
  /**
   * Runs `work` in a slot and gives it back when `work` settles. What `work` throws is passed on. A call that
   * overruns loses its slot and its `admitted.signal` aborts; the promise stays that of `work`.
   */
  run<T>(work: (admitted: Admitted) => T | Promise<T>, call?: CallOptions): Promise<Ran<T>>;
  /**
   * Tells how long the dependency took for one call.
   *
   * @throws Fault `INPUT_INVALID` when it is no such number.
   */
  observe(latencyMs: number): void;
  /**
   * Runs `work` and tells how long it took; work that throws, as an error of the service, which may lower a limit and never raises
   * it. Takes no slot: for use inside of one.
   */
  measure<T>(work: () => T | Promise<T>): Promise<T>;
  /**
   * Holds the limit at this number for a time, whatever the algorithm says, and tells who did it and why.
   *
   * @throws Fault `CONFIG_INVALID` when the limit is out of range, `INPUT_INVALID` without who, why and for how long.
   */
  pin(limit: number, order: PinOrder): void;
  /**
   * Ends a pin before its time.
   *
   * @throws Fault `INPUT_INVALID` without who and why.
   */
  unpin(note: OperatorNote): void;
}
