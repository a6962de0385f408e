/** Lengths of time in milliseconds, so that policies read as the contract does. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * A timer that is later than this was held up by its own process: stopped, without a processor, or busy. Those of one that
 * runs are late by a millisecond or two.
 */
export const STANDSTILL_MS = 10;

/** What a client is told to wait: whole seconds, rounded up, so that nobody comes back too early; never 0. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.max(1, Math.ceil(retryAfterMs / SECOND_MS));
}

/** The longest that a timer can wait; one that is to wait longer fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
