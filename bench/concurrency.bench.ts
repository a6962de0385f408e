import { bulkhead } from 'cockatiel';
import CircuitBreaker from 'opossum';
import { createCap, gradientLimit } from '../src/concurrency/index.ts';
import type { Report } from './runner.ts';

const LIMIT = 50;
const CALLS = 20_000;
const ROUNDS = 60;

type Call = () => Promise<unknown>;

/** The work is an async function that gives back an object, as a handler is; otherwise nothing. */
const row = { id: 1 };
const work = async () => row;

/** One call after the other. */
async function alone(call: Call): Promise<void> {
  for (let i = 0; i < CALLS; i += 1) await call();
}

/** So many calls at once. */
function atOnce(width: number): (call: Call) => Promise<void> {
  return async (call) => {
    for (let i = 0; i < CALLS; i += width) {
      const calls: Promise<unknown>[] = [];
      for (let j = 0; j < width; j += 1) calls.push(call());
      await Promise.all(calls);
    }
  };
}

async function nsPerCall(load: (call: Call) => Promise<void>, call: Call): Promise<number> {
  const startedAt = process.hrtime.bigint();
  await load(call);
  return Number(process.hrtime.bigint() - startedAt) / CALLS;
}

/**
 * The fastest round of each, in nanoseconds per call. The rounds take turns, so that all see the same machine; whatever
 * else runs on it can only make a round slower.
 */
async function fastest<K extends string>(
  calls: Record<K, Call>,
  load: (call: Call) => Promise<void>,
): Promise<Record<K, number>> {
  const best = Object.fromEntries(Object.keys(calls).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, call] of Object.entries<Call>(calls)) {
      best[name] = Math.min(best[name] ?? 0, await nsPerCall(load, call));
    }
  }
  return best as Record<K, number>;
}

/** What a cap adds to a call, beside cockatiel's bulkhead and opossum's breaker with a capacity. */
export async function run(report: Report): Promise<void> {
  const fixed = createCap({ limit: LIMIT });
  const adaptive = createCap({ limit: gradientLimit({ max: LIMIT, min: LIMIT }) });
  const policy = bulkhead(LIMIT, LIMIT);
  const breaker = new CircuitBreaker(work, { capacity: LIMIT, timeout: false });
  const calls = {
    plain: work,
    fixed: () => fixed.run(work),
    adaptive: () => adaptive.run(work),
    'cockatiel 3': () => policy.execute(work),
    'opossum 9': () => breaker.fire(),
  };

  for (const [name, load] of Object.entries({ alone, '50 at once': atOnce(LIMIT) })) {
    const ns = await fastest(calls, load);
    const metric = `plain call, ${name} (ns)`;
    report({ metric, ours: ns.plain, peer: null, peerValue: null, better: 'lower' });
    for (const kind of ['fixed', 'adaptive'] as const) {
      for (const peer of ['cockatiel 3', 'opossum 9'] as const) {
        const metric = `added by a cap, ${kind} limit, ${name} (ns)`;
        report({ metric, ours: ns[kind] - ns.plain, peer, peerValue: ns[peer] - ns.plain, better: 'lower' });
      }
    }
  }

  const { plain, 'opossum 9': _, ...queueing } = calls;
  const ns = await fastest(queueing, atOnce(2 * LIMIT));
  const metric = 'call, every other one queued (ns)';
  report({ metric, ours: ns.fixed, peer: 'cockatiel 3', peerValue: ns['cockatiel 3'], better: 'lower' });
}
