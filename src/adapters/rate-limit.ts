import type { Limiter, Verdict } from '../limits/index.ts';

/** What a handler knows of the limit its call was charged to. */
export interface RateLimit {
  /** Units of cost that a full bucket holds; null where nothing is limited. */
  readonly limit: number | null;
  readonly remaining: number | null;
  /** When one more unit is there, by the store's clock. */
  readonly resetTime: Date | null;
  readonly verdict: Verdict;
  /** Sets what the call costs in the end: a whole number of at least 0. */
  settle(cost: number): Promise<void>;
}

/** Made for every call, read by few: what costs something is found when it is asked for. */
export class CallRateLimit implements RateLimit {
  readonly verdict: Verdict;
  readonly #limiter: Limiter;

  constructor(limiter: Limiter, verdict: Verdict) {
    this.#limiter = limiter;
    this.verdict = verdict;
  }

  get limit(): number | null {
    return this.verdict.quota?.capacity ?? null;
  }

  get remaining(): number | null {
    return this.verdict.quota?.remaining ?? null;
  }

  get resetTime(): Date | null {
    return this.verdict.quota === null ? null : new Date(this.verdict.quota.moreAt);
  }

  settle(cost: number): Promise<void> {
    return this.#limiter.settle(this.verdict, cost);
  }
}
