/** What one window saw. Latencies are natural logarithms of milliseconds; see `gradient.ts` for why. */
export interface WindowSummary {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
  /** Mean of the logarithms. */
  readonly mean: number;
  /** Standard error of that mean: how far it may be off by chance. */
  readonly error: number;
  readonly meanRunning: number;
  readonly peakRunning: number;
  readonly longestMs: number;
}

/** Under a millisecond the event loop is measured, not the dependency: shorter latencies count as this. */
const SHORTEST_MS = 1;

/** Gathers latencies until they are enough to judge. Constant memory; Welford's sums, so that no precision is lost. */
export class LatencyWindow {
  #fromMs = 0;
  #count = 0;
  #mean = 0;
  #squares = 0;
  #running = 0;
  #peakRunning = 0;
  #longestMs = 0;

  get count(): number {
    return this.#count;
  }

  get fromMs(): number {
    return this.#fromMs;
  }

  /** Forgets everything and begins anew. */
  restart(now: number): void {
    this.#fromMs = now;
    this.#count = 0;
    this.#mean = 0;
    this.#squares = 0;
    this.#running = 0;
    this.#peakRunning = 0;
    this.#longestMs = 0;
  }

  add(latencyMs: number, running: number): void {
    const value = Math.log(Math.max(SHORTEST_MS, latencyMs));
    this.#count += 1;
    const distance = value - this.#mean;
    this.#mean += distance / this.#count;
    this.#squares += distance * (value - this.#mean);
    this.#running += running;
    if (running > this.#peakRunning) this.#peakRunning = running;
    if (latencyMs > this.#longestMs) this.#longestMs = latencyMs;
  }

  /** Only of a window with at least two latencies. */
  summary(now: number): WindowSummary {
    const variance = this.#squares / (this.#count - 1);
    return {
      fromMs: this.#fromMs,
      toMs: now,
      count: this.#count,
      mean: this.#mean,
      error: Math.sqrt(variance / this.#count),
      meanRunning: this.#running / this.#count,
      peakRunning: this.#peakRunning,
      longestMs: this.#longestMs,
    };
  }
}
