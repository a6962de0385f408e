import { createHook } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { invariant } from '../../src/core/fault.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The entries of Node's queue of ticks that come to be meanwhile. */
async function ticksOf(make: () => unknown): Promise<readonly WeakRef<object>[]> {
  const ticks: WeakRef<object>[] = [];
  const hook = createHook({
    init: (_, type, __, tick) => {
      if (type === 'TickObject') ticks.push(new WeakRef(tick));
    },
  }).enable();
  try {
    await make();
  } finally {
    hook.disable();
  }
  invariant(ticks.length > 0, 'Nothing has ticked.');
  return ticks;
}

/** How many of them are still there when nothing is under way. */
async function livingOf(ticks: readonly WeakRef<object>[]): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await turn();
    collect();
  }
  return ticks.filter((tick) => tick.deref() !== undefined).length;
}

/** What is kept is kept once for a process: each of these begins as a new one would. */
beforeEach(() => vi.resetModules());

async function partsOfLimit() {
  const { createLimiter } = await import('../../src/limits/index.ts');
  const { createMemoryStore } = await import('../../src/stores/memory/index.ts');
  return createLimiter({ store: createMemoryStore(), secret: 'sixteen bytes or more', ratePerSecond: 10 });
}

const adapters = {
  http: () => import('../../src/adapters/http/index.ts'),
  express: () => import('../../src/adapters/express/index.ts'),
  koa: () => import('../../src/adapters/koa/index.ts'),
  fastify: () => import('../../src/adapters/fastify/index.ts'),
};

describe('one entry of the queue of ticks outlives all collections', () => {
  it.each(Object.entries(adapters))('behind limits of %s', async (_, load) => {
    const limiter = await partsOfLimit();
    const { limit } = await load();
    expect(await livingOf(await ticksOf(() => limit(limiter)))).toBe(1);
    const again = await ticksOf(() => {
      limit(limiter);
      process.nextTick(() => undefined);
    });
    expect(await livingOf(again)).toBe(0);
  });

  it('in the service', async () => {
    const { keepTick } = await import('../../src/connections/kept-tick.ts');
    const { startService } = await import('./service-under-test.ts');
    const service = await startService();
    await service.close();
    const later = await ticksOf(() => {
      keepTick();
      process.nextTick(() => undefined);
    });
    expect(await livingOf(later)).toBe(0);
  });

  it('and no other one: what nobody keeps goes', async () => {
    expect(await livingOf(await ticksOf(() => process.nextTick(() => undefined)))).toBe(0);
  });
});
