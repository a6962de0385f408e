/**
 * The server's time between its replies: what the last reply told plus what this process has counted since. It is
 * behind by at most the time that reply was on its way, and follows a server whose clock is set.
 */
export class ServerClock {
  readonly #monotonicMs: () => number;
  #aheadMs = 0;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Takes in a reply that has just arrived. */
  learn(serverMs: number): void {
    this.#aheadMs = serverMs - this.#monotonicMs();
  }

  /** In whole milliseconds. Means nothing before the first reply. */
  now(): number {
    return Math.floor(this.#monotonicMs() + this.#aheadMs);
  }
}
