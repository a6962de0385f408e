import { type GradientState, gradientStep, initialGradient, startProbe } from './gradient.ts';
import { completePolicy, type GradientOptions, type GradientPolicy } from './gradient-policy.ts';
import { LatencyWindow } from './latency-window.ts';
import type { Limit } from './limit.ts';

/** A limit that follows the latency of a dependency; the algorithm stands in `gradient.ts`. */
export interface GradientLimit extends Limit {
  /** For metrics and tests. Latencies in it are natural logarithms of milliseconds. */
  readonly state: GradientState;
}

/**
 * Makes a limit that follows latency. One cap each: what two caps have running cannot be told apart.
 *
 * @throws Fault `CONFIG_INVALID` when a number is out of range.
 */
export function gradientLimit(options: GradientOptions): GradientLimit {
  return new WindowedGradientLimit(completePolicy(options));
}

class WindowedGradientLimit implements GradientLimit {
  readonly #policy: GradientPolicy;
  readonly #window = new LatencyWindow();
  #state: GradientState;
  #current: number;

  constructor(policy: GradientPolicy) {
    this.#policy = policy;
    this.#state = initialGradient(policy);
    this.#current = policy.initial;
  }

  get current(): number {
    return this.#current;
  }

  get strain(): number {
    return this.#state.strain;
  }

  get state(): GradientState {
    return this.#state;
  }

  observe(latencyMs: number, running: number, now: number): void {
    const window = this.#window;
    if (now >= this.#state.probeAt) this.#become(startProbe(this.#state, now, this.#policy), now);
    if (now < this.#state.settledAt) return;
    if (window.count === 0) window.restart(now);
    window.add(latencyMs, Math.max(1, running));
    if (window.count < this.#policy.minSamples || now - window.fromMs < this.#policy.windowMs) return;
    this.#become(gradientStep(this.#state, window.summary(now), this.#policy), now);
  }

  #become(state: GradientState, now: number): void {
    this.#state = state;
    this.#current = Math.max(1, Math.floor(state.limit));
    this.#window.restart(now);
  }
}
