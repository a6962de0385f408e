/**
 * The gradient limit: pure maths, one step per window of latencies.
 *
 *   excess = short − long − ln tolerance                         latencies as ln(ms)
 *
 *   slow     excess > 2 × error(short)    limit ← limit × max(½, e^−excess); then a cooldown
 *   fine     excess < 0, limit in use     limit ← limit + √limit × min(1, −excess ⁄ ln tolerance)
 *   between                               limit stays
 *
 * `short` is the mean of one window, `long` that of quiet times (`quiet-latency.ts`). Where a dependency queues, latency
 * is proportional to what runs, so the gradient e^−excess is the very factor by which the limit is too high.
 *
 * Why logarithms: one call of a minute among hundreds of 20 ms must not move the mean, and latencies with two humps must
 * not scatter it. Why the error: a window that is slow by chance is within it, so noise decreases nothing. Why
 * a cooldown: what ends right after a decrease began before it, and judging that would decrease again and again down to
 * the minimum; it lasts at least as long as the longest calls. Why the square root: steps that are small against
 * the limit, yet from 1 to 100 within 20 windows. Why they shrink near the tolerance: the limit settles there instead of
 * swinging. Unused limits do not grow: nothing shows that they could be higher.
 *
 * Calls that end in errors are judged apart, and only as slow: one that fails at once has not asked the dependency, and one that
 * gives up after a while would have taken longer. So they bring the limit down, as time-outs of an overload should, and neither
 * raise it nor count as quiet.
 */
import type { GradientPolicy } from './gradient-policy.ts';
import type { WindowSummary } from './latency-window.ts';
import {
  accept,
  CONFIDENCE,
  firstGuess,
  giveIn,
  isLight,
  isNotOurs,
  learnFromHeavy,
  learnFromLight,
  learnFromProbe,
  nextProbe,
  QUIET_SHARE,
  type QuietLatency,
  settleMs,
} from './quiet-latency.ts';

/** All that is remembered from window to window. */
export interface GradientState {
  /** Not necessarily whole. */
  readonly limit: number;
  /** Null until the first window. */
  readonly quiet: QuietLatency | null;
  /** `1 − e^−excess` of the last window, at least 0: how much too slow it was. */
  readonly strain: number;
  /** Whether the last window was slow. */
  readonly slow: boolean;
  /** Of the slow windows in a row, the one in which most ran; not the first, which may show a queue still growing. */
  readonly busiest: WindowSummary | null;
  /** Latencies that come in before this are not judged. */
  readonly settledAt: number;
  /** When the next probe begins. */
  readonly probeAt: number;
  /** The limit to go back to after the running probe; null when none runs. */
  readonly probedFrom: number | null;
  /** The last window; null before the first. */
  readonly last: WindowSummary | null;
}

/** No decrease takes more than this share. */
const DEEPEST_CUT = 0.5;

export function initialGradient(policy: GradientPolicy): GradientState {
  return {
    limit: policy.initial,
    quiet: null,
    strain: 0,
    slow: false,
    busiest: null,
    settledAt: Number.NEGATIVE_INFINITY,
    probeAt: Number.POSITIVE_INFINITY,
    probedFrom: null,
    last: null,
  };
}

/** The state after one more window. */
export function gradientStep(
  before: GradientState,
  window: WindowSummary,
  policy: GradientPolicy,
): GradientState {
  const quiet = learn(before, window, policy);
  const state: Learned = { ...before, quiet, last: window };
  const after =
    before.probedFrom === null ? judge(state, window, policy) : endProbe(state, before.probedFrom);
  const isProbed = !isLight(window, after.limit) && after.limit > policy.min;
  return { ...after, probeAt: isProbed ? nextProbe(after.quiet, window, policy) : Number.POSITIVE_INFINITY };
}

/** The state after a window in which most calls ended in errors; these are what it saw. */
export function errorStep(
  before: GradientState,
  window: WindowSummary,
  policy: GradientPolicy,
): GradientState {
  const { quiet, probedFrom } = before;
  // What a probe is after cannot be seen while most calls fail: it ends, and has shown nothing.
  if (probedFrom !== null) return { ...before, limit: probedFrom, probedFrom: null };
  if (quiet === null) return before;
  const excess = excessOf(window, quiet, policy);
  const state = { ...before, strain: strainOf(excess) };
  return excess > CONFIDENCE * window.error ? { ...state, ...cut(state, excess, window, policy) } : state;
}

/** Halves what runs for one window, at the time that the state says. */
export function startProbe(state: GradientState, now: number, policy: GradientPolicy): GradientState {
  if (state.last === null) return state;
  return {
    ...state,
    limit: Math.max(policy.min, Math.min(state.limit, state.last.meanRunning) * QUIET_SHARE),
    probedFrom: state.limit,
    probeAt: Number.POSITIVE_INFINITY,
    settledAt: now + settleMs(state.last),
  };
}

type Learned = GradientState & { readonly quiet: QuietLatency };

function learn(state: GradientState, window: WindowSummary, policy: GradientPolicy): QuietLatency {
  const { quiet, limit, probedFrom } = state;
  if (quiet === null) return firstGuess(window);
  if (probedFrom !== null) return learnFromProbe(quiet, window);
  const light = isLight(window, limit) || limit <= policy.min;
  return light ? learnFromLight(quiet, window, policy.longMs) : learnFromHeavy(quiet, window);
}

function endProbe(state: Learned, limit: number): Learned {
  return { ...state, limit, probedFrom: null };
}

function excessOf(window: WindowSummary, quiet: QuietLatency, policy: GradientPolicy): number {
  return window.mean - quiet.mean - Math.log(policy.tolerance);
}

function strainOf(excess: number): number {
  return excess > 0 ? 1 - Math.exp(-excess) : 0;
}

function judge(state: Learned, window: WindowSummary, policy: GradientPolicy): Learned {
  const excess = excessOf(window, state.quiet, policy);
  const strain = strainOf(excess);
  if (excess > CONFIDENCE * window.error) return slowDown({ ...state, strain }, excess, window, policy);
  const isWanted = excess < 0 && !isLight(window, state.limit);
  const headroom = isWanted ? Math.min(1, -excess / Math.log(policy.tolerance)) : 0;
  const limit = Math.min(policy.max, state.limit + Math.sqrt(state.limit) * headroom);
  return { ...state, limit, strain, slow: false, busiest: null };
}

function slowDown(state: Learned, excess: number, window: WindowSummary, policy: GradientPolicy): Learned {
  const { limit, quiet, slow, busiest } = state;
  if (busiest !== null && isNotOurs(busiest, window)) {
    return { ...state, quiet: accept(quiet, window), slow: false, busiest: null };
  }
  return {
    ...state,
    ...cut(state, excess, window, policy),
    quiet: slow && limit <= policy.min ? giveIn(quiet, window) : quiet,
    slow: true,
    busiest: slow ? busier(busiest, window) : null,
  };
}

/** A decrease by the gradient, and the cooldown after it. */
function cut(
  { limit }: GradientState,
  excess: number,
  window: WindowSummary,
  policy: GradientPolicy,
): Pick<GradientState, 'limit' | 'settledAt'> {
  return {
    limit: Math.max(policy.min, limit * Math.max(DEEPEST_CUT, Math.exp(-excess))),
    settledAt: window.toMs + Math.max(policy.cooldownMs, settleMs(window)),
  };
}

function busier(busiest: WindowSummary | null, window: WindowSummary): WindowSummary {
  return busiest !== null && busiest.meanRunning > window.meanRunning ? busiest : window;
}
