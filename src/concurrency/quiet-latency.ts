/**
 * The long average: what the dependency takes when we do not push it.
 *
 * A gradient limiter creeps up for ever if its long average takes in an overload that lasts: then slow looks
 * normal, and the limit grows. So this average learns only where the latency is not of our own making:
 *
 * - Light windows, in which at most half of the limit ran, move it both ways, slowly.
 * - Probes: while the limit is in use it is halved for one window, every so often. A dependency that queues has a latency proportional to
 *   what runs, so a limit that is too high shows: latency(limit) ≤ tolerance × latency(limit ⁄ 2) cannot hold
 *   above twice the capacity while the tolerance is below 2, and every probe brings such a limit down by tolerance ⁄ 2.
 *   Probes lie on a grid of absolute time, so that the nodes of a service probe together. Alone, each would find the queue
 *   that the others keep up, take it for quiet, and all would creep up in turns.
 * - Heavy windows that are faster than it beyond chance lower it.
 * - A decrease that did not help, see {@link isNotOurs}, and the lowest limit, below which nothing can be tried, raise it.
 *
 * Whatever moved it outside of light windows and probes is a guess, which a probe checks soon.
 */
import type { GradientPolicy } from './gradient-policy.ts';
import type { WindowSummary } from './latency-window.ts';

/** The long average, as a natural logarithm of milliseconds, and how much it is to be trusted. */
export interface QuietLatency {
  readonly mean: number;
  /** How many light windows it is made of. */
  readonly lightWindows: number;
  /** Whether light windows or a probe have shown it, rather than a guess. */
  readonly confirmed: boolean;
}

/** Numbers apart by this many standard errors differ by more than chance. */
export const CONFIDENCE = 2;
/** What is said of every single heavy window must be surer: they are many, and the lowest of them is low by chance. */
const CERTAINTY = 4;
/** A light window, and a probe, has at most this share of the limit running. Times the tolerance it is below 1. */
export const QUIET_SHARE = 0.5;
/** How far a heavy window that is faster pulls the average down. */
const LOWERING = 0.25;
/** How far a slower probe pulls it up: half-way, lest one stall is taken for the truth. */
const RAISING = 0.5;
/** Weight of one probe among those that agree. */
const AVERAGING = 0.25;
/** A probe that finds the average off by less than this confirms it. */
const CONFIRMED_WITHIN = 0.1;
/** So many fewer calls must run before a decrease is judged. */
const JUDGED_FALL = Math.log(2);
/** Probes take at most this share of the time: they are rarer than the policy says where the dependency is slow. */
const PROBING_SHARE = 0.02;
/** How many times more often a guess is probed. A power of two, so that the grids of all nodes meet. */
const GUESS_PROBES = 8;
/** One stuck call does not stretch the time to settle beyond so many mean latencies. */
const LONGEST_SETTLE = 10;

/** What the very first window shows, loaded or not. */
export function firstGuess(window: WindowSummary): QuietLatency {
  return { mean: window.mean, lightWindows: 0, confirmed: false };
}

export function isLight(window: WindowSummary, limit: number): boolean {
  return window.peakRunning <= limit * QUIET_SHARE;
}

/** A plain mean at first, then an exponential one over `longMs`. */
export function learnFromLight(quiet: QuietLatency, window: WindowSummary, longMs: number): QuietLatency {
  const lightWindows = quiet.lightWindows + 1;
  const share = 1 - Math.exp((window.fromMs - window.toMs) / longMs);
  const weight = Math.max(share, 1 / lightWindows);
  return { mean: towards(quiet, window, weight), lightWindows, confirmed: true };
}

export function learnFromHeavy(quiet: QuietLatency, window: WindowSummary): QuietLatency {
  if (window.mean + CERTAINTY * window.error >= quiet.mean) return quiet;
  return guessed(quiet, towards(quiet, window, LOWERING));
}

/** Within chance probes are averaged. Beyond it a faster one is believed, a slower one half-way. */
export function learnFromProbe(quiet: QuietLatency, window: WindowSummary): QuietLatency {
  const lightWindows = quiet.lightWindows + 1;
  const distance = window.mean - quiet.mean;
  const confirmed = Math.abs(distance) <= Math.max(CONFIRMED_WITHIN, CONFIDENCE * window.error);
  const averaging = Math.max(AVERAGING, 1 / lightWindows);
  const weight = confirmed ? averaging : distance < 0 ? 1 : RAISING;
  return { mean: towards(quiet, window, weight), lightWindows, confirmed };
}

/** At the lowest limit and still slow: there is no way to find out, so give in step by step. */
export function giveIn(quiet: QuietLatency, window: WindowSummary): QuietLatency {
  return guessed(quiet, towards(quiet, window, RAISING));
}

/** The dependency itself has become slower: what it takes now is quiet. */
export function accept(quiet: QuietLatency, window: WindowSummary): QuietLatency {
  return guessed(quiet, window.mean);
}

function guessed(quiet: QuietLatency, mean: number): QuietLatency {
  return { ...quiet, mean, confirmed: false };
}

function towards(quiet: QuietLatency, window: WindowSummary, weight: number): number {
  return quiet.mean + weight * (window.mean - quiet.mean);
}

/**
 * Whether a slow window proves that latency does not come from our calls: at most half as many run as in an earlier
 * slow one, and yet it has not fallen by half as much (in logarithms), beyond chance. In a queue it falls as much.
 */
export function isNotOurs(before: WindowSummary, window: WindowSummary): boolean {
  const fewer = Math.log(before.meanRunning / window.meanRunning);
  if (fewer < JUDGED_FALL) return false;
  const chance = CONFIDENCE * Math.sqrt(before.error ** 2 + window.error ** 2);
  return before.mean - window.mean + chance < fewer / 2;
}

/** The next time to probe after this window. */
export function nextProbe(quiet: QuietLatency, window: WindowSummary, policy: GradientPolicy): number {
  const lengthMs = settleMs(window) + Math.max(policy.windowMs, window.toMs - window.fromMs);
  let everyMs = policy.probeEveryMs;
  while (lengthMs > PROBING_SHARE * everyMs) everyMs *= 2;
  if (!quiet.confirmed) everyMs /= GUESS_PROBES;
  return (Math.floor(window.toMs / everyMs) + 1) * everyMs;
}

/** How long it takes until nearly all calls that ran in this window have left. */
export function settleMs(window: WindowSummary): number {
  return Math.min(window.longestMs, LONGEST_SETTLE * Math.exp(window.mean));
}
