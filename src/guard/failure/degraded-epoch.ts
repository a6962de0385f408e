import type { DegradedEpochEvent } from '../events.ts';
import type { CapVerdict } from './degraded-caps.ts';
import type { DegradedCap } from './failure-policy.ts';

/** What this node let through between the trip of a breaker and its close. */
export class DegradedEpoch {
  readonly #from: number;
  #admitted = 0;
  #refused = 0;

  constructor(from: number) {
    this.#from = from;
  }

  note({ over, counted }: CapVerdict): void {
    if (counted) this.#admitted += 1;
    if (over.length > 0) this.#refused += 1;
  }

  /** The account of the epoch, beside the most that the caps could have let through on all nodes. */
  end(to: number, policy: string, caps: readonly DegradedCap[], nodes: number): DegradedEpochEvent {
    const durationMs = to - this.#from;
    return {
      at: to,
      policy,
      from: this.#from,
      nodes,
      admitted: this.#admitted,
      refused: this.#refused,
      bounds: caps.map(({ scope, count, windowMs }) => ({
        scope,
        mostPerNode: count * Math.ceil(durationMs / windowMs),
        most: nodes * count * Math.ceil(durationMs / windowMs),
      })),
    };
  }
}
