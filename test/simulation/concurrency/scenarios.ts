import { createCap, gradientLimit } from '../../../src/concurrency/index.ts';
import { plainGradient } from './plain-gradient.ts';
import type { Random } from './random.ts';
import type { Protection, Scenario } from './simulate.ts';

const SERVICE_MS = 20;
export const WORKERS = 20;
/** Calls per second that the dependency can do. */
export const CAPACITY = (WORKERS / SERVICE_MS) * 1_000;
/** The limit that a service starts with, and that a fixed one keeps: too high by a factor of five, as guesses are. */
export const GUESSED_LIMIT = 100;
export const MIN_LIMIT = 10;
export const QUEUE_DEADLINE_MS = 1_000;

const even = (random: Random) => SERVICE_MS * (0.5 + 0.5 * random.exponential());

/** Nine in ten take 10 ms, one takes 110 ms, each ± 20 %: cache hits and misses. */
const twoHumps = (random: Random) => (random.uniform() < 0.9 ? 10 : 110) * (0.8 + 0.4 * random.uniform());

/** A long tail: the standard deviation is 1.3 times the mean. */
const longTail = (random: Random) => SERVICE_MS * Math.exp(random.normal() - 0.5);

const service = {
  seed: 1,
  workers: WORKERS,
  serviceMs: even,
  contention: 0.1,
  patienceMs: 2_000,
} as const;

/** Loads in multiples of the capacity. */
const load = (shape: (atMs: number) => number) => (atMs: number) => CAPACITY * shape(atMs);

export const SLOW_CAPACITY = (42 / 520) * 1_000;
export const OVERLOAD = { fromMs: 20_000, toMs: 60_000 } as const;
const threefold = load((at) => (at >= OVERLOAD.fromMs && at < OVERLOAD.toMs ? 3 : 0.6));

export const scenarios = {
  step: { ...service, lengthMs: 90_000, arrivals: threefold },
  spike: {
    ...service,
    lengthMs: 80_000,
    arrivals: load((at) => (at % 20_000 >= 10_000 && at % 20_000 < 12_000 ? 5 : 0.5)),
  },
  sawtooth: { ...service, lengthMs: 90_000, arrivals: load((at) => 0.3 + (2 * (at % 30_000)) / 30_000) },
  drift: { ...service, lengthMs: 240_000, arrivals: load((at) => 0.3 + (2.7 * at) / 240_000) },
  bimodal: { ...service, lengthMs: 90_000, serviceMs: twoHumps, arrivals: threefold },
  /** The dependency itself takes three times as long for a while, under a light load. */
  slowdown: {
    ...service,
    lengthMs: 90_000,
    serviceMs: (random: Random, at: number) => even(random) * (at >= 30_000 && at < 60_000 ? 3 : 1),
    arrivals: load(() => 0.25),
  },
  /** The dependency becomes three times as slow over five minutes, under more load than it can take. */
  ageing: {
    ...service,
    lengthMs: 300_000,
    serviceMs: (random: Random, at: number) => even(random) * (1 + (2 * at) / 300_000),
    arrivals: load(() => 1.2),
  },
  quietNoise: { ...service, lengthMs: 180_000, serviceMs: longTail, arrivals: load(() => 0.5) },
  loadedNoise: { ...service, lengthMs: 180_000, serviceMs: longTail, arrivals: load(() => 1.2) },
  quietHumps: { ...service, lengthMs: 180_000, serviceMs: twoHumps, arrivals: load(() => 0.5) },
  /** Every 10 s everything stands still for 300 ms. */
  stalls: {
    ...service,
    lengthMs: 120_000,
    serviceMs: (random: Random, at: number) => even(random) + (at % 10_000 < 300 ? 300 : 0),
    arrivals: load(() => 0.7),
  },
  /** Slow calls of every length, few of them in a window: chance has most say here. */
  slowCalls: {
    ...service,
    lengthMs: 600_000,
    workers: 42,
    serviceMs: (random: Random) => 520 * random.exponential(),
    patienceMs: 10_000,
    arrivals: () => SLOW_CAPACITY * 1.11,
  },
  nodes: { ...service, lengthMs: 600_000, nodes: 4, arrivals: load(() => 1.3) },
  gateway: { ...service, lengthMs: 90_000, arrivals: threefold, throughGateway: true },
} satisfies Record<string, Scenario>;

/** A tenth more than it can take, all day. Slow and small, so that a day has under two million calls. */
export const day = {
  ...service,
  lengthMs: 86_400_000,
  everyMs: 600_000,
  workers: 10,
  serviceMs: (random: Random) => 25 * even(random),
  patienceMs: 5_000,
  arrivals: () => DAY_CAPACITY * 1.1,
} satisfies Scenario;
export const DAY_CAPACITY = (10 / (25 * SERVICE_MS)) * 1_000;

export const protections = {
  none: () => null,
  fixed: (clock) => createCap({ limit: GUESSED_LIMIT, clock }),
  adaptive: (clock) => createCap({ limit: gradientLimit({ max: GUESSED_LIMIT }), clock }),
  /** Where several nodes share a dependency, the least of all of them together must be below its capacity. */
  'adaptive node': (clock) => createCap({ limit: gradientLimit({ min: 1, max: GUESSED_LIMIT / 2 }), clock }),
  'plain gradient': (clock) =>
    createCap({ limit: plainGradient({ min: MIN_LIMIT, max: GUESSED_LIMIT, windowMs: 1_000 }), clock }),
} satisfies Record<string, Protection>;

export type ScenarioName = keyof typeof scenarios;
export type ProtectionName = keyof typeof protections;
