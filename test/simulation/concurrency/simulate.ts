import { type Cap, refillScale } from '../../../src/concurrency/index.ts';
import { Dependency } from './dependency.ts';
import { type Random, seeded } from './random.ts';
import { VirtualTime } from './virtual-time.ts';

/** A load on a service whose every call goes once to one dependency. Times in milliseconds from the start. */
export interface Scenario {
  readonly seed: number;
  readonly lengthMs: number;
  /** Calls per second at this time; they come as a Poisson process. */
  readonly arrivals: (atMs: number) => number;
  readonly workers: number;
  /** How long a worker is busy with one call. */
  readonly serviceMs: (random: Random, atMs: number) => number;
  /** See {@link Dependency}. */
  readonly contention: number;
  /** A caller that has no answer after this is gone; its work goes on. */
  readonly patienceMs: number;
  /** Length of the intervals of the result. Default 1 s. */
  readonly everyMs?: number;
  /** How many nodes share the dependency and the load evenly. Default 1. */
  readonly nodes?: number;
  /** Whether a gateway scales the load by the pressure of the first node, which it hears of every second. */
  readonly throughGateway?: boolean;
}

/** What happened in one interval. */
export interface Interval {
  readonly fromMs: number;
  asked: number;
  /** Answered while the caller was there. */
  good: number;
  shed: number;
  /** Of each node, at the end of the interval; empty without a protection. */
  limits: number[];
  /** Of the first node, at the end of the interval; NaN without a protection. */
  pressure: number;
  /** From asking to the answer, of the good ones. */
  readonly latenciesMs: number[];
}

/** What is under test: a cap on this clock, or null for none. */
export type Protection = (clock: VirtualTime) => Cap | null;

/** Plays a scenario against a protection. The same scenario gives the same load, whatever the protection. */
export async function simulate(scenario: Scenario, protect: Protection): Promise<Interval[]> {
  const { lengthMs, everyMs = 1_000, nodes = 1 } = scenario;
  const clock = new VirtualTime();
  const caps = Array.from({ length: nodes }, () => protect(clock));
  const intervals = Array.from({ length: Math.ceil(lengthMs / everyMs) }, (_, index) =>
    emptyInterval(index * everyMs),
  );
  playLoad(scenario, clock, caps, () => intervals[Math.floor(clock.now() / everyMs)]);
  for (const interval of intervals) {
    await clock.runUntil(interval.fromMs + everyMs);
    interval.limits = caps.flatMap((cap) => (cap === null ? [] : [cap.status.limit]));
    interval.pressure = caps[0]?.pressure ?? Number.NaN;
  }
  return intervals;
}

function emptyInterval(fromMs: number): Interval {
  return { fromMs, asked: 0, good: 0, shed: 0, limits: [], pressure: Number.NaN, latenciesMs: [] };
}

/** Schedules the calls, one after the other, and notes in the current interval what becomes of them. */
function playLoad(
  scenario: Scenario,
  clock: VirtualTime,
  caps: readonly (Cap | null)[],
  current: () => Interval | undefined,
): void {
  const arrivals = seeded(scenario.seed);
  const services = seeded(scenario.seed + 1);
  const serviceMs = (now: number) => scenario.serviceMs(services, now);
  const dependency = new Dependency(clock, scenario.workers, serviceMs, scenario.contention);

  const note = (what: 'asked' | 'good' | 'shed', latencyMs?: number) => {
    const interval = current();
    if (interval === undefined) return;
    interval[what] += 1;
    if (latencyMs !== undefined) interval.latenciesMs.push(latencyMs);
  };
  const answer = (askedAt: number) => {
    const latencyMs = clock.now() - askedAt;
    if (latencyMs <= scenario.patienceMs) note('good', latencyMs);
  };
  const ask = async (cap: Cap | null) => {
    const askedAt = clock.now();
    note('asked');
    if (cap === null) return dependency.call(() => answer(askedAt));
    const admission = await cap.admit();
    if (!admission.admitted) return note('shed');
    dependency.call(() => {
      admission.release();
      answer(askedAt);
    });
  };
  const scale = scenario.throughGateway ? heardScale(clock, caps) : () => 1;
  const next = () => {
    const rate = scenario.arrivals(clock.now()) * scale();
    clock.after((arrivals.exponential() * 1_000) / rate, () => {
      void ask(caps[Math.floor(arrivals.uniform() * caps.length)] ?? null);
      next();
    });
  };
  next();
}

/** What a gateway makes of the pressure: read by one side every second, and by the other a second later. */
function heardScale(clock: VirtualTime, caps: readonly (Cap | null)[]): () => number {
  let published = 0;
  let heard = 0;
  const exchange = () => {
    heard = published;
    published = caps[0]?.pressure ?? 0;
    clock.after(1_000, exchange);
  };
  exchange();
  return () => refillScale(heard);
}
