import { errorStep, type GradientState, gradientStep, initialGradient, startProbe } from './gradient.ts';
import { completePolicy, type GradientOptions, type GradientPolicy } from './gradient-policy.ts';
import { LatencyWindow } from './latency-window.ts';
import type { Limit } from './limit.ts';

/** A limit that follows the latency of a dependency; the algorithm stands in `gradient.ts`. */
export interface GradientLimit extends Limit {
  /** For metrics and tests. Latencies in it are natural logarithms of milliseconds. */
  readonly state: GradientState;
}

/**
 * Makes a limit that follows latency. One cap each: what two caps have running cannot be told apart,
 * so the second refuses it.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown or a number is out of range.
 */
export function gradientLimit(options: GradientOptions): GradientLimit {
  return new WindowedGradientLimit(completePolicy(options));
}

/**
 * A window that has this many latencies knows its mean to a thirtieth of its scatter. From there on one call in
 * {@link SPARSE} is timed and stands for those that follow it.
 */
const TIMED_CALLS = 1_024;
const SPARSE = 32;

class WindowedGradientLimit implements GradientLimit {
  readonly exclusive = true;
  private readonly policy: GradientPolicy;
  private readonly window = new LatencyWindow();
  /** Of the same time, the calls that ended in errors. */
  private readonly errors = new LatencyWindow();
  /** Plain fields: every call reads them. */
  current: number;
  strain: number;
  private gradient: GradientState;

  constructor(policy: GradientPolicy) {
    this.policy = policy;
    this.gradient = initialGradient(policy);
    this.current = policy.initial;
    this.strain = this.gradient.strain;
  }

  get state(): GradientState {
    return this.gradient;
  }

  sample(): number {
    return this.window.count < TIMED_CALLS ? 1 : SPARSE;
  }

  observe(latencyMs: number, running: number, now: number, calls = 1): void {
    const window = this.window;
    if (now >= this.gradient.probeAt) this.become(startProbe(this.gradient, now, this.policy), now);
    if (now < this.gradient.settledAt) return;
    if (window.count === 0) window.restart(now);
    window.add(latencyMs, Math.max(1, running), calls);
    if (window.count < this.policy.minSamples || now - window.fromMs < this.policy.windowMs) return;
    this.become(gradientStep(this.gradient, window.summary(now), this.policy), now);
  }

  /** Errors are judged where most calls end in them. Where they are fewer the others show what the dependency takes. */
  observeError(latencyMs: number, running: number, now: number, calls = 1): void {
    const { errors, policy } = this;
    if (now < this.gradient.settledAt) return;
    if (errors.count === 0) errors.restart(now);
    errors.add(latencyMs, Math.max(1, running), calls);
    if (errors.count < policy.minSamples || now - errors.fromMs < policy.windowMs) return;
    const before = this.gradient;
    const after =
      errors.callCount > this.window.callCount ? errorStep(before, errors.summary(now), policy) : before;
    if (after.limit !== before.limit || after.settledAt !== before.settledAt) this.become(after, now);
    else this.passOver(after, now);
  }

  /** The errors were not slow, and say nothing: what other calls have shown so far stays. */
  private passOver(state: GradientState, now: number): void {
    this.gradient = state;
    this.strain = state.strain;
    this.errors.restart(now);
  }

  private become(state: GradientState, now: number): void {
    this.gradient = state;
    this.current = Math.max(1, Math.floor(state.limit));
    this.strain = state.strain;
    this.window.restart(now);
    this.errors.restart(now);
  }
}
