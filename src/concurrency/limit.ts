/**
 * How many calls may run at once: the algorithm, apart from its enforcement. It counts nothing and waits for nothing;
 * a cap asks it for the number and tells it how long calls took.
 */
export interface Limit {
  /** A whole number, at least 1. */
  readonly current: number;
  /** From 0 (latency as in quiet times) to 1: how much too slow the dependency was when last judged. */
  readonly strain: number;
  /**
   * True where what it learns is of one cap: then a second one refuses it. Default false, for limits that caps may share.
   */
  readonly exclusive?: boolean;
  /**
   * Takes in one call that has ended.
   *
   * @param latencyMs how long it took
   * @param running how many calls ran when it ended, itself included
   * @param now milliseconds, never less than in the call before
   * @param calls how many calls it stands for, itself included; default 1
   */
  observe(latencyMs: number, running: number, now: number, calls?: number): void;
  /**
   * Takes in one call that has ended in an error of the service. What fails at once is no proof of a fast dependency, so this may
   * lower the limit and never raise it. Parameters as of {@link observe}. Without this errors are left out.
   */
  observeError?(latencyMs: number, running: number, now: number, calls?: number): void;
  /**
   * How many calls the one that now begins will stand for: itself and those that follow it, which are then not timed. To
   * time a call costs as much as the rest of it. Without this every call is timed.
   */
  sample?(): number;
}

/** A limit that never moves. */
export function fixedLimit(current: number): Limit {
  return { current, strain: 0, observe() {} };
}
