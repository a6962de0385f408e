import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { startLoopback } from '../../test/integration/svc-client/loopback.ts';
import {
  inVirtualTime,
  simulateClient,
  testKeys,
} from '../../test/simulation/svc-client/simulated-client.ts';
import {
  behindCheckpoint,
  type SimAnswer,
  type SimReply,
  SimulatedNetwork,
} from '../../test/simulation/svc-client/simulated-network.ts';
import { settled, VirtualClock } from '../testing/virtual-clock.ts';
import { pause } from './clock.ts';
import { createCheckpoint, createSvcClient, currentJourney, runInJourney, type SvcRequest } from './index.ts';
import { Journey } from './journey.ts';

/** Answers with these statuses in turn, then with 200 for ever. */
function inTurn(...answers: (number | SimAnswer)[]) {
  return async () => {
    const next = answers.shift() ?? 200;
    return typeof next === 'number' ? { status: next } : next;
  };
}

async function callWith(answers: (number | SimAnswer)[], request: SvcRequest = {}, retries = 3) {
  const world = simulateClient({ passport: false }, { retries });
  world.network.host('http://stock', inTurn(...answers));
  const result = await inVirtualTime(world.clock, world.client.call('stock@1', request));
  if (!result.ok) throw new TypeError(`denied: ${result.denied.reason}`);
  return { ...world, attempts: result.attempts, status: result.response.status };
}

describe('retries', () => {
  it.each([429, 502, 503, 504])('come after %i', async (status) => {
    expect(await callWith([status, status])).toMatchObject({ attempts: 3, status: 200 });
  });

  it.each([400, 401, 404, 409, 500, 501])('do not come after %i', async (status) => {
    expect(await callWith([status])).toMatchObject({ attempts: 1, status });
  });

  it('are three in all; the last answer is the result', async () => {
    const { attempts, status, told } = await callWith([503, 503, 503, 503, 503]);
    expect({ attempts, status }).toEqual({ attempts: 4, status: 503 });
    expect(told['retry-withheld']).toEqual([{ target: 'stock@1', cause: '503', reason: 'tree-budget' }]);
  });

  it('back off exponentially', async () => {
    const { told } = await callWith([503, 503, 503]);
    expect(told.retry.map(({ retry, waitMs }) => [retry, waitMs])).toEqual([
      [1, 50],
      [2, 100],
      [3, 200],
    ]);
  });

  it('of calls that failed together do not come back together', async () => {
    const clock = new VirtualClock();
    const transport = new SimulatedNetwork(clock);
    transport.host('http://stock', async () => ({ status: 503 }));
    const targets = { 'stock@1': { url: 'http://stock' } };
    const client = createSvcClient(
      { self: 'orders@1', keys: testKeys, retries: 1, targets },
      { clock, transport },
    );
    const waits: number[] = [];
    client.on('retry', ({ waitMs }) => waits.push(waitMs));
    await inVirtualTime(clock, Promise.all(Array.from({ length: 8 }, () => client.call('stock@1'))));
    expect(waits.every((waitMs) => waitMs >= 0 && waitMs < 50)).toBe(true);
    expect(new Set(waits).size).toBe(8);
  });

  it.each(['POST', 'PATCH', 'post'])('are not made of %s', async (method) => {
    const { attempts, told } = await callWith([503], { method });
    expect(attempts).toBe(1);
    expect(told['retry-withheld'][0]?.reason).toBe('not-idempotent');
  });

  it('are made of any method with an idempotency key', async () => {
    expect(await callWith([503], { method: 'POST', idempotencyKey: 'k' })).toMatchObject({ attempts: 2 });
    const headers = { 'Idempotency-Key': 'k' };
    expect(await callWith([503], { method: 'POST', headers })).toMatchObject({ attempts: 2 });
  });

  it.each(['', ' ', null])('are not made of a method that needs a key when it is %j', async (key) => {
    const request = { method: 'POST', idempotencyKey: key } as SvcRequest;
    expect(await callWith([503], request)).toMatchObject({ attempts: 1, status: 503 });
    const headers = { 'Idempotency-Key': key ?? '' };
    expect(await callWith([503], { method: 'POST', headers })).toMatchObject({ attempts: 1, status: 503 });
  });

  it('are not made of a stream, which can be sent only once', async () => {
    const body = Readable.from(['x']);
    expect(await callWith([503], { method: 'PUT', body })).toMatchObject({ attempts: 1, status: 503 });
  });

  it('are not made when Retry-After is longer than anybody waits', async () => {
    const busy = { status: 503, headers: { 'retry-after': '9999999999' } };
    const { attempts, told } = await callWith([busy]);
    expect(attempts).toBe(1);
    expect(told['retry-withheld'][0]?.reason).toBe('deadline');
  });

  it('wait for Retry-After when that is longer', async () => {
    const { told } = await callWith([{ status: 429, headers: { 'retry-after': '3' } }]);
    expect(told.retry[0]?.waitMs).toBe(3_000);
    expect(told.call[0]?.durationMs).toBeGreaterThanOrEqual(3_000);
  });

  it('are not made when Retry-After is past the deadline', async () => {
    const tooLong = { status: 429, headers: { 'retry-after': '3' } };
    const { attempts, status, told } = await callWith([tooLong], { deadlineMs: 2_000 });
    expect({ attempts, status }).toEqual({ attempts: 1, status: 429 });
    expect(told['retry-withheld'][0]?.reason).toBe('deadline');
  });

  it('are none where none are wanted', async () => {
    expect(await callWith([503], {}, 0)).toMatchObject({ attempts: 1 });
  });

  it('come after a connection that failed', async () => {
    const { client, clock, network, told } = simulateClient();
    const running = client.call('stock@1');
    await clock.advance(1);
    network.host('http://stock', inTurn());
    expect(await inVirtualTime(clock, running)).toMatchObject({ ok: true, attempts: 2 });
    expect(told.retry[0]?.cause).toBe('unreachable');
  });

  it('come after a timeout; a call without any answer is a fault', async () => {
    const { client, clock, network, told } = simulateClient({ timeoutMs: 100 });
    network.host('http://stock', () => new Promise(() => undefined));
    const running = client.call('stock@1');
    await expect(inVirtualTime(clock, running)).rejects.toMatchObject({ code: 'TARGET_TIMEOUT' });
    expect(told.retry.map(({ cause }) => cause)).toEqual(['timeout', 'timeout', 'timeout']);
    expect(told.call).toMatchObject([{ outcome: 'timeout', status: null, attempts: 4 }]);
  });

  it('of a target are bounded over all calls: a fifth of them and ten a second', async () => {
    const { client, clock, network } = simulateClient({ pool: { ratePerSecond: 1_000, burst: 1_000 } });
    network.host('http://stock', async () => ({ status: 503 }));
    for (let i = 0; i < 500; i += 1) {
      client.call('stock@1').catch(() => undefined);
      await clock.advance(10);
    }
    await clock.advance(10_000);
    const [stock] = client.health().targets;
    expect(stock?.calls).toBe(500);
    // 10 to begin with, 10 a second over 5 s, a fifth of 500.
    expect(stock?.retries).toBeGreaterThan(140);
    expect(stock?.retries).toBeLessThanOrEqual(10 + 52 + 100);
  });

  it('are not waited for when the breaker has opened, and cost nothing', async () => {
    const { client, clock, told } = simulateClient({ breaker: { threshold: 1 } });
    await client.journey({}, async () => {
      await expect(inVirtualTime(clock, client.call('stock@1'))).rejects.toMatchObject({
        code: 'TARGET_UNREACHABLE',
      });
      expect(currentJourney()?.retriesLeft).toBe(3);
    });
    expect(told.retry).toEqual([]);
    expect(told['retry-withheld']).toMatchObject([{ reason: 'breaker' }]);
  });

  it('stop when the caller goes away while waiting', async () => {
    const { client, clock, network, told } = simulateClient();
    network.host('http://stock', async () => ({ status: 503, headers: { 'retry-after': '5' } }));
    const leaving = new AbortController();
    const running = client.call('stock@1', { signal: leaving.signal });
    const outcome = expect(running).rejects.toThrow('left');
    await clock.advance(100);
    leaving.abort(new TypeError('left'));
    await outcome;
    await clock.advance(10_000);
    expect(network.arrivals('http://stock')).toBe(1);
    expect(told.call).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('give the last answer when the pool has no room for them', async () => {
    const { client, clock, network, told } = simulateClient({ pool: { ratePerSecond: 1, burst: 1 } });
    network.host('http://stock', async () => ({ status: 503, body: 'busy' }));
    const result = await inVirtualTime(clock, client.call('stock@1'));
    expect(result).toMatchObject({ ok: true, attempts: 1, response: { status: 503 } });
    expect(await (result.ok ? result.response.body.text() : '')).toBe('busy');
    expect(told['retry-withheld'][0]?.reason).toBe('rate');
  });
});

/** Calls, and goes away while the call waits for its turn. */
async function leaveTheQueue(client: ReturnType<typeof simulateClient>['client']): Promise<void> {
  const leaving = new AbortController();
  const outcome = expect(client.call('stock@1', { signal: leaving.signal })).rejects.toThrow('left');
  await settled();
  leaving.abort(new TypeError('left'));
  await outcome;
}

describe('rates', () => {
  it('over the pool are denied at once, with the time to come back', async () => {
    const { client, clock, network, told } = simulateClient({ pool: { ratePerSecond: 10, burst: 2 } });
    network.host('http://stock', inTurn());
    const results = await Promise.all([1, 2, 3].map(() => inVirtualTime(clock, client.call('stock@1'))));
    const denial = { reason: 'target-rate', target: 'stock@1', retryAfterMs: 100 };
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(results[2]).toEqual({ ok: false, denied: denial });
    expect(told.denied).toEqual([{ denial, side: 'client', shadow: false }]);
    expect(network.arrivals('http://stock')).toBe(2);
  });

  it('over the global ceiling are denied for every target', async () => {
    const { client, clock, network } = simulateClient({}, { globalPool: { ratePerSecond: 1, burst: 1 } });
    network.host('http://stock', inTurn());
    await inVirtualTime(clock, client.call('stock@1'));
    expect(await client.call('stock@1')).toMatchObject({ ok: false, denied: { reason: 'global-rate' } });
  });

  it('wait in a queue where one was asked for, first come, first served', async () => {
    const { client, clock, network } = simulateClient({
      pool: { ratePerSecond: 10, burst: 1 },
      queue: { limit: 2, deadlineMs: 1_000 },
    });
    const order: string[] = [];
    network.host('http://stock', async ({ path }) => {
      order.push(`${path} ${clock.now()}`);
      return { status: 200 };
    });
    const calls = ['/1', '/2', '/3', '/4'].map((path) => client.call('stock@1', { path }));
    const [, , , last] = await inVirtualTime(clock, Promise.all(calls));
    expect(order).toEqual(['/1 1', '/2 101', '/3 201']);
    expect(last).toMatchObject({ ok: false, denied: { reason: 'target-rate' } });
  });

  it('do not wait longer than the queue allows', async () => {
    const { client, clock, network } = simulateClient({
      pool: { ratePerSecond: 1, burst: 1 },
      queue: { limit: 5, deadlineMs: 500 },
    });
    network.host('http://stock', inTurn());
    await inVirtualTime(clock, client.call('stock@1'));
    expect(await client.call('stock@1')).toMatchObject({ ok: false });
  });

  it('do not let those pass who waited while the breaker opened', async () => {
    const { client, clock, network } = simulateClient(
      {
        pool: { ratePerSecond: 1, burst: 1 },
        queue: { limit: 1, deadlineMs: 5_000 },
        breaker: { threshold: 1 },
      },
      { retries: 0 },
    );
    const failing = client.call('stock@1').catch(({ code }) => code);
    const waiting = client.call('stock@1');
    const results = await inVirtualTime(clock, Promise.all([failing, waiting]));
    expect(results).toMatchObject([
      'TARGET_UNREACHABLE',
      { ok: false, denied: { reason: 'target-breaker' } },
    ]);
    expect(network.arrivals('http://stock')).toBe(0);
  });

  it.each([
    ['background', { ok: false, denied: { reason: 'global-breaker', cause: 'saturation' } }],
    ['normal', { ok: false, denied: { reason: 'global-breaker', cause: 'saturation' } }],
    ['critical', { ok: true }],
  ] as const)(
    'shed a %s call that waited while the global breaker opened, as a fresh one',
    async (priority, becomes) => {
      const { client, clock, network } = simulateClient({
        pool: { ratePerSecond: 1, burst: 1 },
        queue: { limit: 3, deadlineMs: 5_000 },
      });
      network.host('http://stock', inTurn());
      await inVirtualTime(clock, client.call('stock@1'));
      const waiting = [1, 2, 3].map(() => client.call('stock@1', { priority }));
      await settled();
      client.reportSaturation('database', { forMs: 60_000 });
      const results = await inVirtualTime(clock, Promise.all(waiting));
      expect(results).toMatchObject([becomes, becomes, becomes]);
      expect(network.arrivals('http://stock')).toBe(becomes.ok ? 4 : 1);
    },
  );

  it('give the places of those who waited in vain to others', async () => {
    const { client, clock, network } = simulateClient(
      { pool: { ratePerSecond: 10, burst: 1 }, queue: { limit: 3, deadlineMs: 1_000 } },
      { globalPool: { ratePerSecond: 1, burst: 4 } },
    );
    network.host('http://stock', inTurn());
    const first = client.call('stock@1');
    const waiting = [1, 2, 3].map(() => client.call('stock@1'));
    await settled();
    client.reportSaturation('database', { forMs: 60_000 });
    const results = await inVirtualTime(clock, Promise.all([first, ...waiting]));
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false, false]);
    const urgent = [1, 2, 3].map(() => client.call('stock@1', { priority: 'critical' }));
    expect(await inVirtualTime(clock, Promise.all(urgent))).toMatchObject([
      { ok: true },
      { ok: true },
      { ok: true },
    ]);
  });

  it('take one share, not two, of those who wait while the global breaker closes', async () => {
    const { client, clock, network } = simulateClient({
      pool: { ratePerSecond: 20, burst: 1 },
      queue: { limit: 40, deadlineMs: 2_000 },
    });
    network.host('http://stock', inTurn());
    client.reportSaturation('database');
    client.clearSaturation('database');
    await clock.advance(10_000);
    const calls = Array.from({ length: 40 }, () => client.call('stock@1'));
    const results = await inVirtualTime(clock, Promise.all(calls));
    expect(client.health().globalBreaker.state).toBe('closing');
    expect(results.filter(({ ok }) => ok)).toHaveLength(10);
  });

  it('let go of those who leave the queue', async () => {
    const { client, clock, network } = simulateClient({
      pool: { ratePerSecond: 1, burst: 1 },
      queue: { limit: 1, deadlineMs: 5_000 },
    });
    network.host('http://stock', inTurn());
    await inVirtualTime(clock, client.call('stock@1'));
    await leaveTheQueue(client);
    expect(await inVirtualTime(clock, client.call('stock@1'))).toMatchObject({ ok: true });
  });

  it('give the places of those who leave the queue to those who come', async () => {
    const { client, clock, network } = simulateClient(
      { pool: { ratePerSecond: 10, burst: 1 }, queue: { limit: 10, deadlineMs: 1_000 } },
      { globalPool: { ratePerSecond: 10, burst: 1 } },
    );
    let arrivedAt = 0;
    network.host('http://stock', async () => {
      arrivedAt = clock.now();
      return { status: 200 };
    });
    const first = client.call('stock@1');
    for (let i = 0; i < 20; i += 1) {
      await leaveTheQueue(client);
    }
    await inVirtualTime(clock, Promise.all([first, client.call('stock@1')]));
    expect(arrivedAt).toBe(101);
  });

  it('do not come all at once, however many leave the queue before them', async () => {
    const queue = { limit: 20, deadlineMs: 5_000 };
    const { client, clock, network } = simulateClient({ pool: { ratePerSecond: 10, burst: 1 }, queue });
    const arrivals: number[] = [];
    network.host('http://stock', async () => {
      arrivals.push(clock.now());
      return { status: 200 };
    });
    const staying = [client.call('stock@1')];
    for (let free = queue.limit; free > 0; free -= 1) {
      const gone = new AbortController();
      const leaving = Array.from({ length: free - 1 }, () => client.call('stock@1', { signal: gone.signal }));
      staying.push(client.call('stock@1'));
      gone.abort();
      await Promise.allSettled(leaving);
    }
    await inVirtualTime(clock, Promise.all(staying));
    const gapsMs = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
    expect(gapsMs).toHaveLength(queue.limit);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(100);
  });

  it('tell those whose stream has failed while they waited, and end no process', async () => {
    const loopback = await startLoopback((_, response) => response.end());
    const clock = new VirtualClock();
    const target = {
      url: loopback.url,
      pool: { ratePerSecond: 1, burst: 1 },
      queue: { limit: 1, deadlineMs: 5_000 },
    };
    const client = createSvcClient(
      { self: 'orders@1', keys: testKeys, targets: { 'stock@1': target } },
      { clock },
    );
    await client.call('stock@1');
    const body = new PassThrough();
    const outcome = expect(client.call('stock@1', { method: 'POST', body })).rejects.toThrow('hung up');
    body.destroy(new TypeError('the visitor hung up'));
    await settled();
    await clock.advance(1_000);
    await outcome;
    expect(loopback.requests).toHaveLength(1);
    await client.close();
    await loopback.close();
  });
});

describe('a retry that its request cannot pay', () => {
  it('costs its target none of those it has for others', async () => {
    const { client, clock, network } = simulateClient({ retryBudget: { share: 0, perSecond: 1 } });
    network.host('http://stock', async () => ({ status: 503 }));
    const callWithin = (retries: number) => {
      const hops = ['orders@1'];
      const journey = new Journey({ requestId: 'r1', hops, retries, deadlineAt: 500, trace: null });
      return inVirtualTime(
        clock,
        runInJourney(journey, () => client.call('stock@1')),
      );
    };
    expect(await callWithin(0)).toMatchObject({ attempts: 1 });
    expect(await callWithin(1)).toMatchObject({ attempts: 2 });
  });
});

describe('a path', () => {
  it('has sixteen services at most: a callee would drop a longer one, and with it what tells of loops', async () => {
    const { client, clock, network } = simulateClient();
    network.host('http://stock', async () => ({ status: 200 }));
    const callAfter = (services: number) => {
      const hops = Array.from({ length: services }, (_, index) => `s${index}@1`);
      const journey = new Journey({ requestId: 'r1', hops, retries: 0, deadlineAt: 1_000, trace: null });
      return inVirtualTime(
        clock,
        runInJourney(journey, () => client.call('stock@1')),
      );
    };
    expect(await callAfter(15)).toMatchObject({ ok: true });
    expect(await callAfter(16)).toMatchObject({ denied: { reason: 'too-many-hops', target: 'stock@1' } });
  });
});

describe('deadlines', () => {
  it('of no time left mean that the call is not made', async () => {
    const { client, clock, network } = simulateClient();
    network.host('http://stock', inTurn());
    await client.journey({ deadlineMs: 100 }, async () => {
      await inVirtualTime(clock, pause(clock, 100));
      const denied = { reason: 'deadline', target: 'stock@1' };
      expect(await client.call('stock@1')).toEqual({ ok: false, denied });
    });
    expect(network.arrivals('http://stock')).toBe(0);
  });

  it('of a request bound all its calls, however long those may take', async () => {
    const { client, clock, network } = simulateClient({ timeoutMs: 5_000 });
    network.host('http://stock', () => new Promise(() => undefined));
    const running = client.journey({ deadlineMs: 300 }, () => client.call('stock@1', { deadlineMs: 60_000 }));
    await expect(inVirtualTime(clock, running)).rejects.toMatchObject({ code: 'TARGET_TIMEOUT' });
    expect(clock.now()).toBeLessThanOrEqual(310);
  });
});

describe('a journey', () => {
  it('within another one keeps its path and id, has a time of its own, and no retries', async () => {
    const { client, clock, network } = simulateClient();
    const received: (string | undefined)[] = [];
    network.host('http://stock', async ({ headers }) => {
      received.push(headers['x-request-id'], headers['x-portcullis-passport']?.split(';')[6]);
      return { status: 503 };
    });
    const outer = new Journey({
      requestId: 'r1',
      hops: ['web@1', 'orders@1'],
      retries: 3,
      deadlineAt: 10,
      trace: null,
    });
    await runInJourney(outer, async () => {
      await inVirtualTime(clock, pause(clock, 100));
      expect(await client.call('stock@1')).toMatchObject({ denied: { reason: 'deadline' } });
      const call = client.journey({}, () => client.call('stock@1'));
      expect(await inVirtualTime(clock, call)).toMatchObject({ ok: true, attempts: 1 });
    });
    expect(received).toEqual(['r1', 'web@1>orders@1>stock@1']);
  });

  it('of its own takes the id and the time it is given', async () => {
    const { client } = simulateClient();
    const journey = client.journey({ requestId: 'r7', deadlineMs: 50 }, () => currentJourney());
    expect(journey).toMatchObject({ requestId: 'r7', deadlineAt: 50, retriesLeft: 3, hops: ['orders@1'] });
  });
});

describe('the call tree', () => {
  it('shares one budget between all calls of a request', async () => {
    const { client, clock, network } = simulateClient({ passport: false });
    network.host('http://stock', async () => ({ status: 503 }));
    await client.journey({}, async () => {
      const calls = [1, 2, 3, 4].map(() => client.call('stock@1'));
      await inVirtualTime(clock, Promise.all(calls));
    });
    expect(network.arrivals('http://stock')).toBe(4 + 3);
  });

  it('lends nothing to a service before its first receipt, then half, and takes back what was not used', async () => {
    const { client, clock, network } = simulateClient();
    const checkpoint = createCheckpoint({ self: 'stock@1', keys: testKeys }, clock);
    const lent: (string | undefined)[] = [];
    network.host(
      'http://stock',
      behindCheckpoint(checkpoint, async ({ headers }) => {
        lent.push(headers['x-portcullis-passport']?.split(';')[3]);
        return { status: 200 };
      }),
    );
    await client.journey({}, async () => {
      for (let i = 0; i < 3; i += 1) await inVirtualTime(clock, client.call('stock@1'));
      await inVirtualTime(clock, Promise.all([client.call('stock@1'), client.call('stock@1')]));
      expect(currentJourney()?.retriesLeft).toBe(3);
    });
    expect(lent).toEqual(['0', '2', '2', '2', '0']);
  });

  it('counts as spent what was lent when the receipt is missing or does not verify', async () => {
    const { client, clock, network, told } = simulateClient();
    const checkpoint = createCheckpoint({ self: 'stock@1', keys: testKeys }, clock);
    const honest = behindCheckpoint(checkpoint, async () => ({ status: 200 }));
    let receipt: 'true' | 'forged' | 'missing' = 'true';
    network.host('http://stock', async (request) => {
      const answer = await honest(request);
      if (receipt === 'true') return answer;
      const forged = { 'x-portcullis-receipt': `1;k1;${'A'.repeat(22)};2;0` };
      return { status: 200, headers: receipt === 'forged' ? forged : {} };
    });
    await inVirtualTime(clock, client.call('stock@1'));
    const left: (number | undefined)[] = [];
    for (receipt of ['true', 'forged', 'missing'] as const) {
      await client.journey({}, async () => {
        await inVirtualTime(clock, client.call('stock@1'));
        left.push(currentJourney()?.retriesLeft);
      });
    }
    expect(left).toEqual([3, 1, 1]);
    expect(told['receipt-dropped']).toEqual([{ target: 'stock@1', flaw: 'bad-signature' }]);
  });

  it('takes back what was lent only if it is certain that nobody used it', async () => {
    const { client, clock, network } = simulateClient({}, { retries: 2 });
    const checkpoint = createCheckpoint({ self: 'stock@1', keys: testKeys }, clock);
    let reply: SimReply = { status: 200 };
    network.host(
      'http://stock',
      behindCheckpoint(checkpoint, async () => reply),
    );
    await inVirtualTime(clock, client.call('stock@1'));
    const left: (number | undefined)[] = [];
    for (reply of ['refused', 'broken', 'crowded'] as const) {
      await client.journey({}, async () => {
        const running = client.call('stock@1', { method: 'POST' });
        const code = reply === 'crowded' ? 'TARGET_TIMEOUT' : 'TARGET_UNREACHABLE';
        await expect(inVirtualTime(clock, running)).rejects.toMatchObject({ code });
        left.push(currentJourney()?.retriesLeft);
      });
    }
    expect(left).toEqual([2, 1, 2]);
  });

  it('goes on lending when something in between answered for the service', async () => {
    const { client, clock, network } = simulateClient();
    const checkpoint = createCheckpoint({ self: 'stock@1', keys: testKeys }, clock);
    const lent: (string | undefined)[] = [];
    const service = behindCheckpoint(checkpoint, async () => ({ status: 200 }));
    let proxyFails = false;
    network.host('http://stock', (request) => {
      lent.push(request.headers['x-portcullis-passport']?.split(';')[3]);
      return proxyFails ? Promise.resolve({ status: 502 }) : service(request);
    });
    for (proxyFails of [false, true, false]) {
      await inVirtualTime(clock, client.call('stock@1', { method: 'POST' }));
    }
    expect(lent).toEqual(['0', '2', '2']);
  });

  it('counts a denied call as failed further down', async () => {
    const { client } = simulateClient();
    client.reportSaturation('database');
    await client.journey({}, async () => {
      expect(await client.call('stock@1')).toMatchObject({ ok: false });
      expect(currentJourney()?.failedBelow).toBe(true);
    });
  });

  it('does not retry what failed further down: the service next to the failure has decided', async () => {
    const { client, clock, network, told } = simulateClient();
    const checkpoint = createCheckpoint({ self: 'stock@1', keys: testKeys }, clock);
    const handler = async () => {
      currentJourney()?.noteFailedCall();
      return { status: 503 };
    };
    network.host('http://stock', behindCheckpoint(checkpoint, handler));
    const result = await inVirtualTime(clock, client.call('stock@1'));
    expect(result).toMatchObject({ ok: true, attempts: 1, response: { status: 503 } });
    expect(told['retry-withheld']).toMatchObject([{ reason: 'failed-below' }]);
  });

  it('takes back what was lent when the connection never came about', async () => {
    const { client, clock } = simulateClient();
    const running = client.call('stock@1');
    await expect(inVirtualTime(clock, running)).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
    expect(client.health().targets[0]).toMatchObject({ attempts: 4, retries: 3, failures: 1 });
  });
});
