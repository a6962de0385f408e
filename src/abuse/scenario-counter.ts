import type { ScenarioCounts, ScenarioEvent } from './events.ts';

interface Counted {
  degraded: number;
  blocked: number;
  skipped: number;
}

/** Counts what scenarios do. */
export class ScenarioCounter {
  observed = 0;
  /** Events whose headers nobody saw. */
  headerless = 0;
  delayed = 0;
  undelayed = 0;
  #storeFailures = 0;
  readonly #skipped = { cidr: 0, user: 0, header: 0, bot: 0 };
  readonly #scenarios: ReadonlyMap<string, Counted>;
  readonly #needHeaders: ReadonlySet<string>;

  /** @param needHeaders those of the scenarios that are blind, in whole or in part, where nobody saw the headers */
  constructor(names: readonly string[], needHeaders: readonly string[]) {
    this.#scenarios = new Map(names.map((name) => [name, { degraded: 0, blocked: 0, skipped: 0 }] as const));
    this.#needHeaders = new Set(needHeaders);
  }

  count(event: ScenarioEvent): void {
    if (event.what === 'failed') {
      this.#storeFailures += 1;
      return;
    }
    if (event.what === 'corrupt') return;
    if (event.what === 'skipped' && event.scenario === null) {
      this.#skipped[event.by] += 1;
      return;
    }
    const counted = this.#scenarios.get(event.scenario ?? '');
    if (counted !== undefined) counted[event.what] += 1;
  }

  counts(): ScenarioCounts {
    return {
      observed: this.observed,
      skipped: { ...this.#skipped },
      scenarios: Object.fromEntries(
        [...this.#scenarios].map(([name, { degraded, blocked, skipped }]) => {
          const blind = this.#needHeaders.has(name) ? this.headerless : 0;
          return [name, { degraded, blocked, blind, skipped }];
        }),
      ),
      delayed: this.delayed,
      undelayed: this.undelayed,
      storeFailures: this.#storeFailures,
    };
  }
}
