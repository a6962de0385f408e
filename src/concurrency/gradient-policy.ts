import { DAY_MS } from '../core/duration.ts';
import { assertAbove, assertWhole } from './settings.ts';

/** The numbers of the gradient limit. The defaults suit any dependency that answers within 1 ms to 10 s. */
export interface GradientPolicy {
  /** The limit never goes below. Default: a tenth of `max`, at least 1. */
  readonly min: number;
  /** The limit never goes above. */
  readonly max: number;
  /** Where it starts. Default: `max`. */
  readonly initial: number;
  /** How many times the quiet latency is still fine; above 1, at most 1.9. Default 1.5. */
  readonly tolerance: number;
  /** A window lasts at least this long. Default 250 ms. */
  readonly windowMs: number;
  /** A window has at least this many latencies. Default 20. */
  readonly minSamples: number;
  /** At most one decrease within this time. Default 1 s. */
  readonly cooldownMs: number;
  /** How far back the long average reaches. Default 60 s. */
  readonly longMs: number;
  /** While the limit is in use, the quiet latency is probed this often. Default 30 s. */
  readonly probeEveryMs: number;
}

/** `max` and whatever is to differ from the defaults of {@link GradientPolicy}. */
export type GradientOptions = Partial<GradientPolicy> & Pick<GradientPolicy, 'max'>;

/** Above this a probe at half the limit no longer proves that a limit is too high; see `quiet-latency.ts`. */
const HIGHEST_TOLERANCE = 1.9;

/** @throws Fault `CONFIG_INVALID` when a number is out of range. */
export function completePolicy(options: GradientOptions): GradientPolicy {
  const policy = Object.freeze({
    min: Math.max(1, Math.ceil(options.max / 10)),
    initial: options.max,
    tolerance: 1.5,
    windowMs: 250,
    minSamples: 20,
    cooldownMs: 1_000,
    longMs: 60_000,
    probeEveryMs: 30_000,
    ...options,
  });
  assertWhole('max', policy.max, 1, 1_000_000);
  assertWhole('min', policy.min, 1, policy.max);
  assertWhole('initial', policy.initial, policy.min, policy.max);
  assertAbove('tolerance', policy.tolerance, 1, HIGHEST_TOLERANCE);
  assertWhole('windowMs', policy.windowMs, 1, 60_000);
  assertWhole('minSamples', policy.minSamples, 2, 100_000);
  assertWhole('cooldownMs', policy.cooldownMs, 1, DAY_MS);
  assertWhole('longMs', policy.longMs, policy.windowMs, DAY_MS);
  assertWhole('probeEveryMs', policy.probeEveryMs, policy.windowMs, DAY_MS);
  return policy;
}
