import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cap, limit } from '../../src/adapters/http/index.ts';
import {
  createCaps,
  PRESSURE_HEADER,
  type PressureWatch,
  parsePressure,
  publishPressure,
  refillScale,
  watchPressure,
} from '../../src/concurrency/index.ts';
import { createLimiter, type Limiter } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { listen } from '../conformance/adapter-under-test.ts';
import { isRedisInstalled, startRedis } from '../servers/redis-server.ts';

const secret = 'sixteen bytes or more';
const ratePerSecond = 200;
const service = 'orders';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function limiterOver(store: Store, watch: PressureWatch): Limiter {
  return createLimiter({
    store,
    secret,
    ratePerSecond,
    burst: 4,
    refillScale: () => refillScale(watch.pressureOf(service)),
  });
}

/** The gateway's side in simulated time. */
function gateway() {
  const clock = new VirtualClock(1_700_000_000_000);
  const store = createMemoryStore({ clock: () => clock.now() });
  const faults: unknown[] = [];
  cleanUps.push(() => expect(faults).toEqual([]));
  const exchange = { store, clock, environment: 'test', onFault: (fault: unknown) => faults.push(fault) };
  const watch = watchPressure({ ...exchange, services: [service] });
  cleanUps.push(() => watch.stop());
  const limiter = limiterOver(store, watch);
  let users = 0;
  return {
    clock,
    exchange,
    watch,
    limiter,
    /** What an empty bucket gains within one second, in units of cost. */
    async refill(): Promise<number> {
      users += 1;
      const call = { method: 'GET', path: '/list', ip: '203.0.113.7', user: `u${users}` };
      await limiter.take({ ...call, cost: 4 * ratePerSecond });
      await clock.advance(1_000);
      const { quota } = await limiter.take({ ...call, cost: 0 });
      return quota?.remaining ?? Number.NaN;
    },
  };
}

describe('the refill of a gateway under the pressure that the store tells', () => {
  it('falls to its floor, never below, and recovers', async () => {
    const { clock, exchange, refill } = gateway();
    let pressure = 0;
    cleanUps.push(publishPressure({ ...exchange, service, node: 'a', pressure: () => pressure }));
    const refillUnder = async (level: number) => {
      pressure = level;
      await clock.advance(3_000);
      return refill();
    };
    expect(await refillUnder(0)).toBe(ratePerSecond);
    expect(await refillUnder(0.5)).toBe(ratePerSecond / 2);
    const strained = await refillUnder(0.9);
    expect(strained).toBeLessThanOrEqual(ratePerSecond / 4);
    expect(strained).toBeGreaterThanOrEqual(ratePerSecond / 10);
    expect(await refillUnder(1)).toBe(ratePerSecond / 10);
    expect(await refillUnder(0.2)).toBe(0.8 * ratePerSecond);
    expect(await refillUnder(0)).toBe(ratePerSecond);
  });

  it('recovers also when the service falls silent', async () => {
    const { clock, exchange, refill } = gateway();
    const stop = publishPressure({ ...exchange, service, node: 'a', pressure: () => 1 });
    await clock.advance(3_000);
    expect(await refill()).toBe(ratePerSecond / 10);
    stop();
    await clock.advance(20_000);
    expect(await refill()).toBe(ratePerSecond);
  });
});

describe.runIf(isRedisInstalled())('the refill of a gateway that shares Redis with its service', () => {
  it('follows the pressure of another connection', async () => {
    const server = await startRedis();
    cleanUps.push(() => server.stop());
    const stores = [1, 2].map(() => createRedisStore({ url: server.url, deadlineMs: 20_000 }));
    const [ours, theirs] = [stores[0] ?? expect.unreachable(), stores[1] ?? expect.unreachable()];
    cleanUps.push(() => Promise.all(stores.map((store) => store.close())));
    const faults: unknown[] = [];
    const exchange = { environment: 'test', everyMs: 10, onFault: (fault: unknown) => faults.push(fault) };
    const watch = watchPressure({ ...exchange, store: ours, services: [service] });
    cleanUps.push(() => watch.stop());
    let pressure = 0.9;
    cleanUps.push(
      publishPressure({ ...exchange, store: theirs, service, node: 'a', pressure: () => pressure }),
    );
    const limiter = limiterOver(ours, watch);
    const full = 4 * ratePerSecond;
    /** How long an empty bucket takes until it is full again. */
    const fullAfterMs = async (user: string): Promise<number> => {
      const call = { method: 'GET', path: '/list', ip: '203.0.113.7', user, cost: full };
      await limiter.take(call);
      return (await limiter.take(call)).retryAfterMs;
    };
    const reaches = (level: number) =>
      vi.waitFor(() => expect(watch.pressureOf(service)).toBeCloseTo(level, 6), { timeout: 20_000 });

    await reaches(0.9);
    const strainedMs = await fullAfterMs('u1');
    expect(strainedMs).toBeGreaterThanOrEqual(4 * 4_000);
    expect(strainedMs).toBeLessThanOrEqual(10 * 4_000);
    pressure = 0;
    await reaches(0);
    expect(await fullAfterMs('u2')).toBeLessThanOrEqual(4_000);
    expect(faults).toEqual([]);
  });
});

/** A service with one slot, which answers with its pressure. */
async function serveCapped(clock: VirtualClock) {
  const caps = createCaps({ clock, routes: { read: { limit: 1, queue: 0 } } });
  const capped = cap(caps);
  const listener: RequestListener = (request, response) =>
    capped(request, response, () => response.end('served'));
  const served = await listen(createServer(listener));
  cleanUps.push(() => served.close());
  return { caps, origin: served.origin };
}

/** Passes calls on and keeps the pressure that comes back with the answers. */
async function serveGateway(limiter: Limiter, watch: PressureWatch, target: string) {
  const limited = limit(limiter, { user: () => 'client' });
  const passOn = async (path: string, response: ServerResponse) => {
    const answer = await fetch(`${target}${path}`);
    watch.heard(service, parsePressure(answer.headers.get(PRESSURE_HEADER)));
    const headers = new Headers(answer.headers);
    headers.delete(PRESSURE_HEADER);
    response.writeHead(answer.status, Object.fromEntries(headers));
    response.end(await answer.text());
  };
  const listener: RequestListener = (request, response) =>
    limited(request, response, () => {
      passOn(request.url ?? '/', response).catch((error) => response.destroy(error));
    });
  const served = await listen(createServer(listener));
  cleanUps.push(() => served.close());
  return served.origin;
}

describe('a gateway that hears the pressure with the answers', () => {
  it('slows down, recovers, and tells its clients nothing of it', async () => {
    const { clock, watch, limiter, refill } = gateway();
    const { caps, origin: target } = await serveCapped(clock);
    const origin = await serveGateway(limiter, watch, target);
    const told = new Set<string | null>();
    const askOften = async (running: number, times = 40) => {
      const statuses = new Set<number>();
      for (let i = 0; i < times; i += 1) {
        const answer = await fetch(`${origin}/list`);
        await answer.text();
        statuses.add(answer.status);
        told.add(answer.headers.get(PRESSURE_HEADER));
        // The slot is back a moment after the client has its answer.
        await vi.waitFor(() => expect(caps.cap('read').status.running).toBe(running));
      }
      return [...statuses];
    };

    expect(await askOften(0)).toEqual([200]);
    expect(await refill()).toBe(ratePerSecond);

    const held = caps.cap('read').tryAdmit();
    for (let second = 0; second < 10; second += 1) {
      expect(await askOften(1, 4)).toEqual([503]);
      await clock.advance(1_000);
    }
    expect(await askOften(1)).toEqual([503]);
    const strained = await refill();
    expect(strained).toBeLessThanOrEqual(ratePerSecond / 4);
    expect(strained).toBeGreaterThanOrEqual(ratePerSecond / 10);

    expect(held.admitted && held.release()).toBe(true);
    await clock.advance(60_000);
    expect(await askOften(0)).toEqual([200]);
    await clock.advance(60_000);
    expect(await askOften(0)).toEqual([200]);
    expect(await refill()).toBeGreaterThan(0.9 * ratePerSecond);
    expect([...told]).toEqual([null]);
  });
});
