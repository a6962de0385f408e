/** How much a proof searches. The same effort on the same policies finds the same. */
export interface Effort {
  /** Acts in a row that are tried in every order, at most. */
  readonly depth: number;
  /** Different states per scene, at most. */
  readonly maxStates: number;
  /** Random walks per policy. */
  readonly walks: number;
  /** How many candidates the searches for worst cases go on from at a time. */
  readonly width: number;
  /** How many requests a besieger may make. */
  readonly maxRequests: number;
  /** Trips of a store, attempts without one. */
  readonly outageDepth: number;
}

/** Under a minute on one core. */
export const fullEffort: Effort = {
  depth: 6,
  maxStates: 16_000,
  walks: 4_000,
  width: 24,
  maxRequests: 30,
  outageDepth: 7,
};

/** A few seconds: what runs with every change. */
export const quickEffort: Effort = {
  depth: 3,
  maxStates: 1_200,
  walks: 250,
  width: 6,
  maxRequests: 30,
  outageDepth: 5,
};
