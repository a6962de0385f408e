import type { Allowance } from './allowance.ts';
import { formatPolicies } from './rate-limit-headers.ts';
import type { Taken } from './take.ts';
import type { QuotaState } from './verdict.ts';

/** What a limiter tells of its limits. The part that stays the same for a limit is made once. */
export class QuotaTerms {
  readonly #policy: string;
  readonly #fields = new WeakMap<Allowance, string>();
  /** Most calls have the limit that the call before them had. */
  #latest: { readonly allowance: Allowance; readonly field: string } | null = null;

  constructor(policy: string) {
    this.#policy = policy;
  }

  stateOf(allowance: Allowance, { t, remaining, moreAt }: Taken): QuotaState {
    const { capacity, windowSeconds } = allowance;
    const moreInMs = Math.max(0, moreAt - t);
    const policyField = this.#fieldOf(allowance);
    return { policy: this.#policy, capacity, windowSeconds, policyField, remaining, moreInMs, moreAt };
  }

  #fieldOf(allowance: Allowance): string {
    if (this.#latest?.allowance !== allowance) this.#latest = { allowance, field: this.#look(allowance) };
    return this.#latest.field;
  }

  #look(allowance: Allowance): string {
    const known = this.#fields.get(allowance);
    if (known !== undefined) return known;
    const { capacity, windowSeconds } = allowance;
    const field = formatPolicies([{ policy: this.#policy, quota: capacity, windowSeconds }]);
    this.#fields.set(allowance, field);
    return field;
  }
}
