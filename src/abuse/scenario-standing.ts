/** How a caller is to be treated, by what scenarios have found out. Never to be shown to it. */
export interface ScenarioStanding {
  /** Of the refill rate, 0.1 to 1. */
  readonly refillScale: number;
  /** The call may be held back by up to this. */
  readonly delayMs: number;
  /** The call is to be refused, and may come again after this; 0 when it is not. */
  readonly refusedForMs: number;
}

/** Nothing is known against the caller. One for all: whoever is degraded has another one, also where it says the same. */
export const goodStanding: ScenarioStanding = Object.freeze({ refillScale: 1, delayMs: 0, refusedForMs: 0 });
