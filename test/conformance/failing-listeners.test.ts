import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScenarios } from '../../src/abuse/index.ts';
import { createCap } from '../../src/concurrency/index.ts';
import { createGuard } from '../../src/index.ts';
import { createDescriptorLimiter } from '../../src/limits/descriptors/descriptor-limiter.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

const secret = 'sixteen bytes or more';
const ip = '203.0.113.7';

/** Listeners of the rails by their name in a warning: each is asked something that it tells, and answers as ever. */
const rails: Readonly<Record<string, (onEvent: () => unknown) => Promise<unknown>>> = {
  limiter: async (onEvent) => {
    const store = createMemoryStore();
    const limiter = createLimiter({ store, secret, allow: { cidrs: [`${ip}/32`] }, onEvent });
    const { allowed, skipped } = await limiter.take({ method: 'GET', path: '/', ip });
    return { allowed, skipped };
  },
  descriptors: async (onEvent) => {
    const descriptors = [{ key: 'path', rate_limit: { unit: 'minute', requests_per_unit: 0 } } as const];
    const domains = [{ domain: 'edge', descriptors }];
    const limiter = createDescriptorLimiter({ store: createMemoryStore(), secret, domains, onEvent });
    const pairs = [{ key: 'path', value: '/' }];
    return (await limiter.decide('edge', [{ pairs, hits: 1 }])).over;
  },
  scenarios: async (onEvent) => {
    const store = createMemoryStore();
    const scenarios = createScenarios({ store, secret, allow: { cidrs: [`${ip}/32`] }, onEvent });
    return scenarios.observe({ method: 'GET', path: '/', status: 200, ip });
  },
  cap: async (onEvent) => {
    const clock = new VirtualClock();
    const cap = createCap({ limit: 1, queueDeadlineMs: 20, clock, onEvent });
    await cap.admit();
    const waiting = cap.admit();
    await clock.advance(100_000);
    const { admitted } = await waiting;
    return { admitted, ...cap.status };
  },
  decision: async (onEvent) => {
    const guard = createGuard({ secret });
    guard.on('decision', onEvent);
    const { outcome } = await guard.check({ action: 'auth.login', account: 'a1', ip });
    await guard.close();
    return outcome;
  },
};

describe.each(Object.entries(rails))('a listener of "%s"', (name, ask) => {
  const warnings: Error[] = [];
  const unhandled: unknown[] = [];
  const noteWarning = (warning: Error) => warnings.push(warning);
  const noteUnhandled = (error: unknown) => unhandled.push(error);
  beforeAll(() => {
    process.on('warning', noteWarning);
    process.on('unhandledRejection', noteUnhandled);
  });
  afterAll(() => {
    process.off('warning', noteWarning);
    process.off('unhandledRejection', noteUnhandled);
  });

  it('that throws or rejects changes no answer, ends nothing, and is one warning a minute', async () => {
    let told = 0;
    const fail = (): never => {
      told += 1;
      throw new TypeError('a log that is full');
    };
    const answers = [await ask(() => {}), await ask(fail), await ask(async () => fail())];
    await new Promise((resolve) => setImmediate(resolve));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(told).toBeGreaterThanOrEqual(2);
    expect(unhandled).toEqual([]);
    expect(warnings.map(({ message }) => message)).toEqual([`A listener of "${name}" has thrown.`]);
  });
});
