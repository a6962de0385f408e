import { describe, expect, it } from 'vitest';
import { createCap, type GradientLimit, gradientLimit, type Limit } from '../../src/concurrency/index.ts';
import type { Random } from './concurrency/random.ts';
import { between, goodputOf, meanLimitOf, percentileOf, total } from './concurrency/reading.ts';
import { type Interval, type Scenario, simulate } from './concurrency/simulate.ts';

/**
 * More than 1,024 calls in a window: from there on one call in 32 is timed and stands for those after it. The other
 * simulations stay below that, so that they can be long.
 */
const SERVICE_MS = 20;
const QUEUE_DEADLINE_MS = 1_000;

const service = {
  seed: 1,
  serviceMs: (random: Random) => SERVICE_MS * (0.5 + 0.5 * random.exponential()),
  contention: 0.1,
  patienceMs: 2_000,
} as const;

function capacityOf(workers: number): number {
  return (workers / SERVICE_MS) * 1_000;
}

const MANY_WORKERS = 400;
const CAPACITY = capacityOf(MANY_WORKERS);
const OVERLOAD = { fromMs: 4_000, toMs: 9_000 } as const;
const step: Scenario = {
  ...service,
  workers: MANY_WORKERS,
  lengthMs: 22_000,
  arrivals: (at) => CAPACITY * (at >= OVERLOAD.fromMs && at < OVERLOAD.toMs ? 3 : 0.5),
};

const FEW_WORKERS = 120;
/** It comes to know the latency of quiet times first. */
const QUIET_MS = 5_000;
const steady: Scenario = {
  ...service,
  workers: FEW_WORKERS,
  lengthMs: 100_000,
  arrivals: (at) => capacityOf(FEW_WORKERS) * (at < QUIET_MS ? 0.5 : 1.2),
};

/** A second of it in each window, so that four in five are not timed. */
const longWindows = { windowMs: 1_000 };

/** Plays a scenario, counts the latencies that its limit got to see, and what they were said to stand for. */
async function play(
  scenario: Scenario,
  limitOf: (limit: GradientLimit) => Limit,
  options: { readonly windowMs?: number } = {},
) {
  const seen = { latencies: 0, calls: 0 };
  const intervals = await simulate(scenario, (clock) => {
    const limit = limitOf(gradientLimit({ max: 5 * scenario.workers, ...options }));
    const observe = limit.observe.bind(limit);
    limit.observe = (latencyMs, running, now, calls = 1) => {
      seen.latencies += 1;
      seen.calls += calls;
      observe(latencyMs, running, now, calls);
    };
    return createCap({ limit, clock, queueDeadlineMs: QUEUE_DEADLINE_MS });
  });
  return { intervals, seen };
}

const sampled = (limit: GradientLimit): Limit => limit;

/** The same limit without `sample`: then every call is timed. */
const timed = (limit: GradientLimit): Limit => ({
  get current() {
    return limit.current;
  },
  get strain() {
    return limit.strain;
  },
  observe: (latencyMs, running, now, calls) => limit.observe(latencyMs, running, now, calls),
});

const overloaded = (intervals: readonly Interval[]) => between(intervals, OVERLOAD.fromMs, OVERLOAD.toMs);

describe('three times the 20,000 calls a second that the dependency can take, for 5 s', async () => {
  const { intervals, seen } = await play(step, sampled);
  const quiet = between(intervals, 1_000, OVERLOAD.fromMs);

  it('is judged by half of the calls, which stand for all', () => {
    const ended = total(intervals, 'good');
    expect(seen.latencies).toBeLessThan(0.55 * ended);
    expect(Math.abs(seen.calls - ended)).toBeLessThan(0.01 * ended);
  });

  it('does at least 90 % of what can be done', () => {
    expect(goodputOf(overloaded(intervals))).toBeGreaterThan(0.9 * CAPACITY);
  });

  it('keeps the 99th percentile within twice the unloaded one and the queue deadline', () => {
    const mayTakeMs = 2 * percentileOf(quiet, 0.99) + QUEUE_DEADLINE_MS;
    expect(percentileOf(overloaded(intervals), 0.99)).toBeLessThan(mayTakeMs);
  });

  it('is over within 10 s of its end', () => {
    const after = between(intervals, OVERLOAD.toMs + 10_000, step.lengthMs);
    expect(total(after, 'shed')).toBe(0);
    expect(total(after, 'good')).toBeGreaterThan(0.99 * total(after, 'asked'));
    expect(percentileOf(after, 0.99)).toBeLessThan(1.2 * percentileOf(quiet, 0.99));
  });
});

describe('a fifth more than the 6,000 calls a second that the dependency can take, for 100 s', async () => {
  const { intervals, seen } = await play(steady, sampled, longWindows);
  const early = between(intervals, 10_000, 40_000);
  const late = between(intervals, 70_000, 100_000);

  it('lets the limit drift neither up nor down, over three probes', () => {
    expect(meanLimitOf(late) / meanLimitOf(early)).toBeGreaterThan(0.9);
    expect(meanLimitOf(late) / meanLimitOf(early)).toBeLessThan(1.1);
    expect(percentileOf(late, 0.5)).toBeLessThan(1.1 * percentileOf(early, 0.5));
    expect(goodputOf(late)).toBeGreaterThan(0.9 * capacityOf(FEW_WORKERS));
  });

  it('ends where a limit that times every call does', async () => {
    const every = await play({ ...steady, lengthMs: 40_000 }, timed, longWindows);
    expect(every.seen.latencies).toBe(every.seen.calls);
    expect(seen.latencies).toBeLessThan(0.3 * seen.calls);
    const same = between(every.intervals, 10_000, 40_000);
    expect(meanLimitOf(early) / meanLimitOf(same)).toBeGreaterThan(0.95);
    expect(meanLimitOf(early) / meanLimitOf(same)).toBeLessThan(1.05);
    expect(goodputOf(early) / goodputOf(same)).toBeGreaterThan(0.98);
  });
});
