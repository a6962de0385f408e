import { describe, expect, it } from 'vitest';
import { createScenarios, type Scenario } from '../abuse/index.ts';
import { createLimiter, type Limiter } from '../limits/index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Arrival } from './arrival.ts';
import { LimitGate } from './limit-gate.ts';

const secret = 'sixteen bytes or more';
const caller = new AbortController().signal;

function arrival(method: string, path: string): Arrival {
  return { request: {}, method, path, peer: '203.0.113.7', header: () => undefined };
}

function gateAt(basePath: string) {
  const store = createMemoryStore();
  const routes = [{ method: 'GET', path: '/export', cost: 7 }];
  const limiter = createLimiter({ store, secret, routes });
  const scenarios = createScenarios({ store, secret });
  return new LimitGate<[]>(limiter, { scenarios, basePath }, () => caller);
}

describe('the gate of the limits', () => {
  it.each([
    ['at once', () => 'an admin'],
    ['later', async () => 'an admin'],
  ])('leaves a call alone for which skip says something, %s, as express-rate-limit does', async (_, skip) => {
    const limiter = createLimiter({ store: createMemoryStore(), secret });
    const gate = new LimitGate<[]>(limiter, { skip } as object, () => caller);
    expect(await gate.pass(arrival('GET', '/'))).toBeNull();
  });

  it.each(['GET', 'get', 'HEAD', 'head', 'Head'])('charges %s as the method that it is', async (method) => {
    const passage = await gateAt('/').pass(arrival(method, '/export'));
    expect(passage?.rateLimit.verdict).toMatchObject({ route: 'GET /export', cost: 7 });
    expect(passage?.watched?.method).toBe(method.toUpperCase());
  });

  it.each([
    '/api/export',
    '/API/Export/',
    '//api/api/export',
    '/\\api/api/export',
    '/api/x/../export',
    '/x/..;/api/export',
  ])('charges %s below a mount as the dearest that it may be', async (path) => {
    const passage = await gateAt('/api').pass(arrival('GET', path));
    expect(passage?.rateLimit.verdict).toMatchObject({ route: 'GET /export', cost: 7 });
  });

  it.each([
    ['/api/Read/AbC', '/Read/AbC'],
    ['/api/list?page=1', '/list?page=1'],
    ['/api/list?page=1#x?y', '/list?page=1'],
    ['/api/list#x?page=1', '/list'],
  ])('shows of %s below a mount what was asked for: %s', async (path, shown) => {
    const passage = await gateAt('/api').pass(arrival('GET', path));
    expect(passage?.watched?.path).toBe(shown);
  });

  /** Two gates with the same scenarios, and what a call goes through: both of them, and how it ended for each. */
  function twoGates(scenario: Scenario, userOfInner: string | null) {
    const store = createMemoryStore({ clock: () => 1_700_000_000_000 });
    const delays: number[] = [];
    const after = (delayMs: number, run: () => void) => {
      delays.push(delayMs);
      queueMicrotask(run);
      return () => {};
    };
    const scenarios = createScenarios({ store, secret, scenarios: [scenario], random: () => 0, after });
    const gates = [undefined, userOfInner].map((user, index) => {
      const limiter = createLimiter({ store, secret, name: `limiter-${index}`, ratePerSecond: 1_000 });
      return new LimitGate<[]>(limiter, { scenarios, user: () => user }, () => caller);
    });
    const visit = async (path: string) => {
      const call = arrival('GET', path);
      for (const gate of gates) {
        const passage = await gate.pass(call);
        if (passage !== null) await gate.end(passage, { status: 404, isWhole: true });
      }
      // Nobody waits for what is observed.
      await new Promise(setImmediate);
    };
    return { scenarios, delays, visit };
  }

  const missing: Scenario = { name: 'missing', key: 'client', bucket: { capacity: 3, leakPerMinute: 1 } };

  it('shows a call once to scenarios that another gate on its way has too, and holds it back once', async () => {
    const { scenarios, delays, visit } = twoGates(missing, null);
    for (let index = 0; index < 3; index += 1) await visit(`/${index}`);
    expect(scenarios.counts()).toMatchObject({ observed: 3, scenarios: { missing: { degraded: 0 } } });
    await visit('/3');
    expect(scenarios.counts()).toMatchObject({ observed: 4, scenarios: { missing: { degraded: 1 } } });
    await visit('/4');
    expect(delays).toEqual([500]);
  });

  it('shows it as that of a user too, where only the second gate knows them', async () => {
    const { scenarios, visit } = twoGates({ ...missing, key: 'user' }, 'user-42');
    for (let index = 0; index < 4; index += 1) await visit(`/${index}`);
    expect(scenarios.counts()).toMatchObject({ observed: 8, scenarios: { missing: { degraded: 1 } } });
  });

  it.each([
    ['a success', { status: 200, isWhole: true }, 0, 1],
    ['a failure', { status: 500, isWhole: true }, 1, 0],
    ['a client that left in the middle of the answer', { status: 200, isWhole: false }, 1, 0],
    ['a client that left before it', { status: null, isWhole: false }, 1, 0],
  ])('takes %s for what it was', async (_, end, skippingSuccess, skippingFailure) => {
    const costWith = async (options: object) => {
      const clock = () => 1_700_000_000_000;
      const limiter = createLimiter({ store: createMemoryStore({ clock }), secret, ratePerSecond: 100 });
      const gate = new LimitGate<[]>(limiter, options, () => caller);
      const passage = await gate.pass(arrival('GET', '/'));
      if (passage !== null) await gate.end(passage, end);
      const after = await gate.pass(arrival('GET', '/'));
      // A full bucket holds 75, and the second call takes one.
      return 74 - (after?.rateLimit.remaining ?? 0);
    };
    expect(await costWith({ skipSuccessfulRequests: true })).toBe(skippingSuccess);
    expect(await costWith({ skipFailedRequests: true })).toBe(skippingFailure);
  });

  it.each([
    ['keep blocks in another limiter', true],
    ['keep them themselves', false],
  ])('refuses whom its scenarios have blocked, where they %s', async (_, inLimiter) => {
    const store = createMemoryStore({ clock: () => 1_700_000_000_000 });
    const [elsewhere, here] = ['elsewhere', 'here'].map((name) => createLimiter({ store, secret, name }));
    const scenarios = createScenarios({
      store,
      secret,
      scenarios: [{ ...missing, response: { degrade: false } }],
      ...(inLimiter && { limiter: elsewhere }),
    });
    const gate = new LimitGate<[]>(here as Limiter, { scenarios }, () => caller);
    for (let index = 0; index < 4; index += 1) {
      const passage = await gate.pass(arrival('GET', `/${index}`));
      if (passage !== null) await gate.end(passage, { status: 404, isWhole: true });
      await new Promise(setImmediate);
    }
    const refused = await gate.pass(arrival('GET', '/'));
    expect(refused?.rateLimit.verdict).toMatchObject({
      allowed: false,
      rule: 'blocked',
      retryAfterMs: 300_000,
    });
    expect(await scenarios.lift({ ip: '203.0.113.7' })).toBe(true);
    expect((await gate.pass(arrival('GET', '/')))?.rateLimit.verdict.allowed).toBe(true);
  });
});
