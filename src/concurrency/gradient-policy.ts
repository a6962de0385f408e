import { assertWhole, isNumber, outOfRange } from '../core/amounts.ts';
import { DAY_MS } from '../core/duration.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';

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

const optionKinds: OptionKinds<GradientPolicy> = {
  max: 'checked',
  min: 'checked',
  initial: 'checked',
  tolerance: 'checked',
  windowMs: 'checked',
  minSamples: 'checked',
  cooldownMs: 'checked',
  longMs: 'checked',
  probeEveryMs: 'checked',
};

/** @throws Fault `CONFIG_INVALID` when an option is unknown or a number is out of range. */
export function completePolicy(options: GradientOptions): GradientPolicy {
  assertOptions('a gradient limit', options, optionKinds);
  const { max } = options;
  assertWhole('CONFIG_INVALID', 'max', max, 1, 1_000_000);
  const {
    min = Math.max(1, Math.ceil(max / 10)),
    initial = max,
    tolerance = 1.5,
    windowMs = 250,
    minSamples = 20,
    cooldownMs = 1_000,
    longMs = 60_000,
    probeEveryMs = 30_000,
  } = options;
  assertWhole('CONFIG_INVALID', 'min', min, 1, max);
  assertWhole('CONFIG_INVALID', 'initial', initial, min, max);
  if (!(isNumber(tolerance, 1, HIGHEST_TOLERANCE) && tolerance > 1)) {
    throw outOfRange('CONFIG_INVALID', 'tolerance', `above 1 and at most ${HIGHEST_TOLERANCE}`, tolerance);
  }
  assertWhole('CONFIG_INVALID', 'windowMs', windowMs, 1, 60_000);
  assertWhole('CONFIG_INVALID', 'minSamples', minSamples, 2, 100_000);
  assertWhole('CONFIG_INVALID', 'cooldownMs', cooldownMs, 1, DAY_MS);
  assertWhole('CONFIG_INVALID', 'longMs', longMs, windowMs, DAY_MS);
  assertWhole('CONFIG_INVALID', 'probeEveryMs', probeEveryMs, windowMs, DAY_MS);
  return Object.freeze({
    min,
    max,
    initial,
    tolerance,
    windowMs,
    minSamples,
    cooldownMs,
    longMs,
    probeEveryMs,
  });
}
