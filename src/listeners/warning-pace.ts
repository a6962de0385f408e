import { MINUTE_MS } from '../core/duration.ts';

/** Of one kind, one warning in this time: what is warned of happens as often as callers like. */
const LEAST_PAUSE_MS = MINUTE_MS;

interface LastWarning {
  readonly at: number;
  /** How often it has happened since without a warning. */
  untold: number;
}

/** Keeps warnings of the process rare: of each kind at most one a minute. */
export class WarningPace {
  readonly #now: () => number;
  readonly #last = new Map<string, LastWarning>();

  /** @param now milliseconds that never run backwards */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** How often it went untold since the last warning of this kind; null when it is too early for the next. */
  take(kind: string): number | null {
    const at = this.#now();
    const last = this.#last.get(kind);
    if (last !== undefined && at - last.at < LEAST_PAUSE_MS) {
      last.untold += 1;
      return null;
    }
    this.#last.set(kind, { at, untold: 0 });
    return last?.untold ?? 0;
  }
}
