import type { CompiledScenario, CompiledSign } from './compiled-scenario.ts';

/** A sign that an event may be for, as far as method and status tell. */
export interface CandidateSign {
  readonly sign: CompiledSign;
  /** Whether its filter may match, and whether what makes a clean slate may. */
  readonly mayCount: boolean;
  readonly mayClear: boolean;
}

/** A scenario with those of its signs that an event may be for: at least one. */
export interface Candidate {
  readonly scenario: CompiledScenario;
  readonly signs: readonly CandidateSign[];
}

const statuses = 1_000;

/**
 * Finds the signs that an event may be for by its method, its status and whether its headers were seen. There are few of
 * such combinations and most signs are for few of them, so that an ordinary event is done with after one look.
 */
export class SignIndex {
  readonly #scenarios: readonly CompiledScenario[];
  /** Methods that a filter names, from 1 on. All others are alike. */
  readonly #methods = new Map<string, number>();
  readonly #known: (readonly Candidate[] | undefined)[] = [];

  constructor(scenarios: readonly CompiledScenario[]) {
    this.#scenarios = scenarios;
    for (const { signs } of scenarios) {
      for (const { filter, clearedBy } of signs) {
        for (const method of [...(filter.methods ?? []), ...(clearedBy?.methods ?? [])]) {
          if (!this.#methods.has(method)) this.#methods.set(method, this.#methods.size + 1);
        }
      }
    }
  }

  /** In the order of the scenarios. The method is in upper case, as filters have it. */
  find(method: string, status: number, hasHeaders: boolean): readonly Candidate[] {
    // What is no status is looked up each time, or its number would not be bounded.
    if (!Number.isInteger(status) || status < 0 || status >= statuses) {
      return this.#candidates(method, status, hasHeaders);
    }
    const place = (2 * (this.#methods.get(method) ?? 0) + (hasHeaders ? 1 : 0)) * statuses + status;
    let found = this.#known[place];
    if (found === undefined) {
      found = this.#candidates(method, status, hasHeaders);
      this.#known[place] = found;
    }
    return found;
  }

  #candidates(method: string, status: number, hasHeaders: boolean): readonly Candidate[] {
    const candidates: Candidate[] = [];
    for (const scenario of this.#scenarios) {
      const signs: CandidateSign[] = [];
      for (const sign of scenario.signs) {
        if (sign.needsHeaders && !hasHeaders) continue;
        const mayCount = sign.filter.admits(method, status);
        const mayClear = sign.clearedBy?.admits(method, status) ?? false;
        if (mayCount || mayClear) signs.push({ sign, mayCount, mayClear });
      }
      if (signs.length > 0) candidates.push({ scenario, signs });
    }
    return candidates;
  }
}
