import { Fault } from '../../src/core/fault.ts';
import type { Key } from '../../src/core/records.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import { addOne, type Count } from '../conformance/under-test.ts';

/** What a worker is told, as its only argument. */
export interface RedisOrders {
  readonly url?: string;
  readonly cluster?: readonly string[];
  readonly keys: readonly string[];
  /** How many steps each of them has, all started at once; or one after the other. */
  readonly steps: number;
  readonly isInTurn: boolean;
  readonly deadlineMs: number;
}

/** What a worker says when it is done. */
export interface RedisTally {
  readonly acknowledged: number;
  /** How often each fault ended a step. */
  readonly faults: Readonly<Record<string, number>>;
  /** The longest that a step has taken, in milliseconds. */
  readonly longestMs: number;
}

async function main({ url, cluster, keys, steps, isInTurn, deadlineMs }: RedisOrders): Promise<RedisTally> {
  const store = createRedisStore({
    deadlineMs,
    ...(url === undefined ? {} : { url }),
    ...(cluster === undefined ? {} : { cluster }),
  });
  await store.ready();
  const faults: Record<string, number> = {};
  let acknowledged = 0;
  let longestMs = 0;
  const one = async (text: string): Promise<void> => {
    const key: Key<Count> = { text, was: null };
    const startedAtMs = performance.now();
    try {
      await store.transact([key], addOne(key));
      acknowledged += 1;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults[error.code] = (faults[error.code] ?? 0) + 1;
    }
    longestMs = Math.max(longestMs, performance.now() - startedAtMs);
  };
  const lanes = keys.map(async (text) => {
    if (isInTurn) for (let step = 0; step < steps; step += 1) await one(text);
    else await Promise.all(Array.from({ length: steps }, () => one(text)));
  });
  await Promise.all(lanes);
  await store.close();
  return { acknowledged, faults, longestMs };
}

process.send?.(await main(JSON.parse(process.argv[2] ?? '') as RedisOrders));
process.disconnect();
