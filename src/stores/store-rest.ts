import { SECOND_MS } from '../core/duration.ts';
import { Fault, type FaultCode } from '../core/fault.ts';
import { timesWithin } from '../core/times.ts';

const failuresToRest = 3;
const restMs = 5 * SECOND_MS;
/** For how long a failure counts. */
export const failureWindowMs = 10 * SECOND_MS;

/** How one call may ask the store: as all do, or as the one that finds out whether it is back. */
export type Turn = 'call' | 'probe';

export interface StoreRestOptions {
  readonly clock: () => number;
  /** The faults that say that the store is away. By anything else it has answered. */
  readonly outages: ReadonlySet<FaultCode>;
  /** Whether the answer to a probe voids the failures before it. Else they count for ten seconds, whatever succeeds. */
  readonly forgives: boolean;
}

/**
 * Leaves a store alone that is away, so that an outage does not cost every call its deadline. After three failures
 * within ten seconds it is left alone for five, then tried with one call at a time until it answers.
 */
export class StoreRest {
  readonly #options: StoreRestOptions;
  #failures: readonly number[] = [];
  /** When the store was last seen to be away; null while all may ask it. */
  #awaySince: number | null = null;
  #isProbed = false;

  constructor(options: StoreRestOptions) {
    this.#options = options;
  }

  /** Whether no probe was answered since the store was left alone. */
  get isAway(): boolean {
    return this.#awaySince !== null;
  }

  /** How the store may be asked now; null while it is left alone. Each turn ends by `answered` or by `failed`. */
  turn(): Turn | null {
    const since = this.#awaySince;
    if (since === null) return 'call';
    if (this.#isProbed || this.#isResting(since)) return null;
    this.#isProbed = true;
    return 'probe';
  }

  /** Says nothing of a call that is no probe: it may have been under way before the store was left alone. */
  answered(turn: Turn): void {
    if (turn !== 'probe') return;
    this.#isProbed = false;
    this.#awaySince = null;
    if (this.#options.forgives) this.#failures = [];
  }

  /** Gives whether the store is left alone because of it. */
  failed(turn: Turn, error: unknown): boolean {
    const { clock, outages } = this.#options;
    if (!(error instanceof Fault && outages.has(error.code))) {
      this.answered(turn);
      return false;
    }
    if (turn === 'probe') this.#isProbed = false;
    const now = clock();
    this.#failures = lately(this.#failures, now);
    if (this.isAway || this.#failures.length === failuresToRest) this.#awaySince = now;
    return this.isAway;
  }

  /** Runs what asks the store. Rejects as the store does, and with `STORE_FAILED` while it is left alone. */
  async run<T>(ask: () => Promise<T>): Promise<T> {
    const turn = this.turn();
    if (turn === null) {
      throw new Fault('STORE_FAILED', 'The store is left alone for a moment: it has failed again and again.');
    }
    try {
      const value = await ask();
      this.answered(turn);
      return value;
    } catch (error) {
      this.failed(turn, error);
      throw error;
    }
  }

  /** A clock that was set back makes it no longer. */
  #isResting(since: number): boolean {
    const now = this.#options.clock();
    return now >= since && now < since + restMs;
  }
}

/** The latest times, with this one. Those ahead of it are from before the clock was set back: nobody knows how old they are. */
function lately(times: readonly number[], now: number): readonly number[] {
  const known = timesWithin(times, now, failureWindowMs).filter((at) => at <= now);
  return [...known, now].slice(-failuresToRest);
}
