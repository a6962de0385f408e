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
const LOG_OF_SHORTEST = Math.log(SHORTEST_MS);

/**
 * Gathers latencies until they are enough to judge. Constant memory; Welford's sums, so that no precision is lost, with
 * weights (West 1979): a latency may stand for several calls. Where each stands for one, these are the plain sums.
 */
export class LatencyWindow {
  private beganMs = 0;
  private latencies = 0;
  /** See {@link callCount}, and the sum of the squares of that. */
  private calls = 0;
  private squaredCalls = 0;
  private mean = 0;
  private squares = 0;
  private running = 0;
  private peakRunning = 0;
  private longestMs = 0;

  get count(): number {
    return this.latencies;
  }

  /** How many calls the latencies stand for. */
  get callCount(): number {
    return this.calls;
  }

  get fromMs(): number {
    return this.beganMs;
  }

  /** Forgets everything and begins anew. */
  restart(now: number): void {
    this.beganMs = now;
    this.latencies = 0;
    this.calls = 0;
    this.squaredCalls = 0;
    this.mean = 0;
    this.squares = 0;
    this.running = 0;
    this.peakRunning = 0;
    this.longestMs = 0;
  }

  /** `calls`: how many this latency stands for. */
  add(latencyMs: number, running: number, calls = 1): void {
    const value = latencyMs <= SHORTEST_MS ? LOG_OF_SHORTEST : Math.log(latencyMs);
    this.latencies += 1;
    this.calls += calls;
    this.squaredCalls += calls * calls;
    const distance = value - this.mean;
    this.mean += (distance * calls) / this.calls;
    this.squares += distance * (value - this.mean) * calls;
    this.running += running * calls;
    if (running > this.peakRunning) this.peakRunning = running;
    if (latencyMs > this.longestMs) this.longestMs = latencyMs;
  }

  /** Only of a window with at least two latencies. */
  summary(now: number): WindowSummary {
    const variance = this.squares / (this.calls - this.squaredCalls / this.calls);
    // As many latencies of equal weight would be as sure.
    const equivalent = this.calls ** 2 / this.squaredCalls;
    return {
      fromMs: this.beganMs,
      toMs: now,
      count: this.latencies,
      mean: this.mean,
      error: Math.sqrt(variance / equivalent),
      meanRunning: this.running / this.calls,
      peakRunning: this.peakRunning,
      longestMs: this.longestMs,
    };
  }
}
