import { SECOND_MS } from '../core/duration.ts';
import { Fault, type FaultCode } from '../core/fault.ts';
import { timesWithin } from '../core/times.ts';

/** What says that the store is away. One that is full, or whose writers met at a key, has answered. */
const outages: ReadonlySet<FaultCode> = new Set(['STORE_FAILED', 'STORE_TIMEOUT']);
const failuresToRest = 3;
const failureWindowMs = 10 * SECOND_MS;
const restMs = 5 * SECOND_MS;

/**
 * Leaves a store alone that is away, as limits do: every call asks how its caller stands, and would wait for the store's
 * deadline as long as the outage lasts. After three failures within ten seconds it is left alone for five, then tried with
 * one call at a time until it answers.
 */
export class StoreRest {
  readonly #clock: () => number;
  #failures: readonly number[] = [];
  /** When the store was last seen to be away; null while it is asked. */
  #restingSince: number | null = null;
  #isTried = false;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Runs what asks the store. Rejects as the store does, and with `STORE_FAILED` while it is left alone. */
  async run<T>(ask: () => Promise<T>): Promise<T> {
    const since = this.#restingSince;
    if (since !== null && (this.#isTried || this.#isResting(since))) {
      throw new Fault('STORE_FAILED', 'The store is left alone for a moment: it has failed again and again.');
    }
    const isTrial = since !== null;
    if (isTrial) this.#isTried = true;
    try {
      const value = await ask();
      if (isTrial) this.#wake();
      return value;
    } catch (error) {
      if (error instanceof Fault && outages.has(error.code)) this.#noteFailure(this.#clock());
      else if (isTrial) this.#wake();
      throw error;
    } finally {
      if (isTrial) this.#isTried = false;
    }
  }

  #wake(): void {
    this.#restingSince = null;
    this.#failures = [];
  }

  #noteFailure(now: number): void {
    this.#failures = [...timesWithin(this.#failures, now, failureWindowMs), now].slice(-failuresToRest);
    if (this.#restingSince !== null || this.#failures.length === failuresToRest) this.#restingSince = now;
  }

  /** A clock that was set back makes it no longer. */
  #isResting(since: number): boolean {
    const now = this.#clock();
    return now >= since && now < since + restMs;
  }
}
