import { steadyClock } from '../whole-clock.ts';

/**
 * The server's time between its replies: what the last reply told plus what this process has counted since. It is
 * behind by at most the time that reply was on its way, and follows a server whose clock is set; back at half speed only.
 */
export class ServerClock {
  readonly #monotonicMs: () => number;
  readonly #steadyMs: () => number;
  #aheadMs = 0;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    this.#steadyMs = steadyClock(() => Math.floor(monotonicMs() + this.#aheadMs), monotonicMs);
  }

  /** Takes in a reply that has just arrived, and gives the time by which it counts. */
  learn(serverMs: number): number {
    this.#aheadMs = serverMs - this.#monotonicMs();
    return this.now();
  }

  /** In whole milliseconds. Means nothing before the first reply. */
  now(): number {
    return this.#steadyMs();
  }
}
