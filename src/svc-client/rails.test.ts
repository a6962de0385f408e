import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { inVirtualTime, listenTo, testKeys } from '../../test/simulation/svc-client/simulated-client.ts';
import { SimulatedNetwork } from '../../test/simulation/svc-client/simulated-network.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { pause } from './clock.ts';
import { createSvcClient, type GlobalBreakerOptions, type Priority, type SvcRequest } from './index.ts';

const timeoutMs = 1_000;

/** A client without retries of the services s1, s2, …, each of which answers at once while it is up. */
function simulate(services: number, globalBreaker: GlobalBreakerOptions = {}) {
  const clock = new VirtualClock();
  const network = new SimulatedNetwork(clock);
  const names = Array.from({ length: services }, (_, index) => `s${index + 1}`);
  const targets = names.map((name) => {
    const pool = { ratePerSecond: 10_000, burst: 10_000 };
    return [`${name}@1`, { url: `http://${name}`, pool, timeoutMs }];
  });
  const options = { self: 'orders@1', keys: testKeys, retries: 0, globalBreaker };
  const client = createSvcClient(
    {
      ...options,
      globalPool: { ratePerSecond: 100_000, burst: 100_000 },
      targets: Object.fromEntries(targets),
    },
    { clock, transport: network, random: () => 1 },
  );
  for (const name of names) network.host(`http://${name}`, async () => ({ status: 200 }));

  /** What became of one call: a status, the reason of a denial, or the code of a fault. */
  const ask = async (target: string, priority: Priority = 'normal'): Promise<number | string> => {
    const running = client.call(target, { priority }).then(
      (result) => (result.ok ? result.response.status : result.denied.reason),
      (fault) => fault.code,
    );
    return inVirtualTime(clock, running);
  };
  const breakTarget = async (name: string) => {
    network.setUp(`http://${name}`, false);
    for (let i = 0; i < 5; i += 1) await ask(`${name}@1`, 'critical');
  };
  return { clock, network, client, ask, breakTarget, told: listenTo(client) };
}

describe('the breaker of a target', () => {
  it('opens after five failed connections; then nothing is sent', async () => {
    const { ask, network, told } = simulate(1);
    network.setUp('http://s1', false);
    const answers: (number | string)[] = [];
    for (let i = 0; i < 7; i += 1) answers.push(await ask('s1@1'));
    const failed = Array.from({ length: 5 }, () => 'TARGET_UNREACHABLE');
    expect(answers).toEqual([...failed, 'target-breaker', 'target-breaker']);
    expect(told['target-breaker']).toEqual([{ target: 's1@1', from: 'closed', to: 'open' }]);
  });

  it('opens after five timeouts', async () => {
    const { ask, network } = simulate(1);
    network.host('http://s1', () => new Promise(() => undefined));
    for (let i = 0; i < 5; i += 1) expect(await ask('s1@1')).toBe('TARGET_TIMEOUT');
    expect(await ask('s1@1')).toBe('target-breaker');
  });

  it.each([
    ['opens for', {}, 'open'],
    ['does not open for a caller who sends slowly:', { isUploading: true as const }, 'closed'],
    [
      'does not open while all connections of this process are taken:',
      { isCrowded: true as const },
      'closed',
    ],
  ])('%s timeouts %j', async (_, found, state) => {
    const endpoint = { send: async () => ({ kind: 'timeout', ...found }) as const, close: async () => {} };
    const targets = { 's1@1': { url: 'http://s1', timeoutMs } };
    const client = createSvcClient(
      { self: 'orders@1', keys: testKeys, retries: 0, targets },
      { transport: { open: () => endpoint } },
    );
    for (let i = 0; i < 5; i += 1) {
      await expect(client.call('s1@1')).rejects.toMatchObject({ code: 'TARGET_TIMEOUT' });
    }
    expect(client.health().targets[0]?.breaker).toBe(state);
  });

  it('does not open for callers that had next to no time', async () => {
    const { client, clock, network } = simulate(1);
    network.host('http://s1', () => new Promise(() => undefined));
    for (let i = 0; i < 10; i += 1) {
      const running = client.call('s1@1', { deadlineMs: 499 });
      await expect(inVirtualTime(clock, running)).rejects.toMatchObject({ code: 'TARGET_TIMEOUT' });
    }
    expect(client.health().targets[0]?.breaker).toBe('closed');
  });

  it('does not open for answers, whatever their status', async () => {
    const { ask, network, client } = simulate(1);
    network.host('http://s1', async () => ({ status: 503 }));
    for (let i = 0; i < 20; i += 1) expect(await ask('s1@1')).toBe(503);
    expect(client.health().targets[0]?.breaker).toBe('closed');
  });

  it.each([
    ['timeout', 1_500],
    ['broken', 20],
  ] as const)('opens after five answers whose body ends as %s', async (how, afterMs) => {
    const { ask, clock, network } = simulate(1);
    network.host('http://s1', async () => ({ status: 200, end: { how, afterMs } }));
    for (let i = 0; i < 5; i += 1) {
      expect(await ask('s1@1')).toBe(200);
      await clock.advance(afterMs);
    }
    expect(await ask('s1@1')).toBe('target-breaker');
  });

  it.each(['complete', 'dropped'] as const)('does not open for a body that ends as %s', async (how) => {
    const { ask, clock, client, network } = simulate(1);
    network.host('http://s1', async () => ({ status: 200, end: { how, afterMs: 20 } }));
    for (let i = 0; i < 10; i += 1) {
      expect(await ask('s1@1')).toBe(200);
      await clock.advance(20);
    }
    expect(client.health().targets[0]?.breaker).toBe('closed');
  });

  it('does not open for a body that callers gave next to no time', async () => {
    const { client, clock, network } = simulate(1);
    network.host('http://s1', async () => ({ status: 200, end: { how: 'timeout', afterMs: 400 } }));
    for (let i = 0; i < 10; i += 1) {
      await inVirtualTime(clock, client.call('s1@1', { deadlineMs: 499 }));
      await clock.advance(400);
    }
    expect(client.health().targets[0]?.breaker).toBe('closed');
  });

  it('has a probe under way until its body has ended', async () => {
    const { breakTarget, ask, client, clock, network } = simulate(1);
    await breakTarget('s1');
    network.setUp('http://s1', true);
    network.host('http://s1', async () => ({ status: 200, end: { how: 'dropped', afterMs: 500 } }));
    await clock.advance(10_000);
    for (let probe = 0; probe < 3; probe += 1) {
      expect(await ask('s1@1')).toBe(200);
      expect(await ask('s1@1')).toBe('target-breaker');
      await clock.advance(500);
    }
    expect(client.health().targets[0]?.breaker).toBe('closed');
  });

  it('has a probe under way no longer than its time to answer, however long its body flows', async () => {
    const { breakTarget, ask, client, clock, network } = simulate(1);
    await breakTarget('s1');
    network.setUp('http://s1', true);
    network.host('http://s1', async () => ({ status: 200, end: { how: 'complete', afterMs: 20_000 } }));
    await clock.advance(10_000);
    for (let probe = 0; probe < 3; probe += 1) {
      const at = clock.now();
      expect(await ask('s1@1')).toBe(200);
      await clock.advanceTo(at + timeoutMs - 20);
      expect(await ask('s1@1')).toBe('target-breaker');
      await clock.advanceTo(at + timeoutMs);
    }
    expect(client.health().targets[0]?.breaker).toBe('closed');
  });

  it('counts a probe once, and keeps the next one alone when the body of the one before ends', async () => {
    const { breakTarget, ask, client, clock, network } = simulate(1);
    await breakTarget('s1');
    network.setUp('http://s1', true);
    const end = { how: 'complete', afterMs: timeoutMs + 500 } as const;
    network.host('http://s1', async () => ({ status: 200, end }));
    await clock.advance(10_000);
    expect(await ask('s1@1')).toBe(200);
    await clock.advance(timeoutMs);
    expect(await ask('s1@1')).toBe(200);
    await clock.advance(600);
    expect(await ask('s1@1')).toBe('target-breaker');
    await clock.advance(timeoutMs);
    expect(client.health().targets[0]?.breaker).toBe('half-open');
  });

  it('opens again when the body of a probe that was counted breaks', async () => {
    const { breakTarget, ask, client, clock, network } = simulate(1);
    await breakTarget('s1');
    network.setUp('http://s1', true);
    const end = { how: 'broken', afterMs: timeoutMs + 500 } as const;
    network.host('http://s1', async () => ({ status: 200, end }));
    await clock.advance(10_000);
    expect(await ask('s1@1')).toBe(200);
    await clock.advance(timeoutMs);
    expect(client.health().targets[0]?.breaker).toBe('half-open');
    await clock.advance(600);
    expect(client.health().targets[0]?.probeInMs).toBeGreaterThan(19_000);
  });

  it('stays open twice as long when the body of the probe stalls', async () => {
    const { breakTarget, ask, client, clock, network } = simulate(1);
    await breakTarget('s1');
    network.setUp('http://s1', true);
    network.host('http://s1', async () => ({ status: 200, end: { how: 'timeout', afterMs: 500 } }));
    await clock.advance(10_000);
    expect(await ask('s1@1')).toBe(200);
    expect(client.health().targets[0]?.breaker).toBe('half-open');
    await clock.advance(500);
    expect(client.health().targets[0]?.probeInMs).toBeGreaterThan(19_000);
  });

  it('says when it will probe', async () => {
    const { breakTarget, client, clock } = simulate(1);
    await breakTarget('s1');
    await clock.advance(4_000);
    const result = await client.call('s1@1');
    const retryAfterMs = result.ok || !('retryAfterMs' in result.denied) ? 0 : result.denied.retryAfterMs;
    expect(retryAfterMs).toBeGreaterThan(5_000);
    expect(retryAfterMs).toBeLessThanOrEqual(6_000);
    expect(client.health().targets[0]?.probeInMs).toBe(retryAfterMs);
  });

  it('sends one probe at a time after the cooldown and closes after three good ones', async () => {
    const { breakTarget, ask, client, clock, network, told } = simulate(1);
    await breakTarget('s1');
    network.setUp('http://s1', true);
    await clock.advance(10_000);
    const together = await inVirtualTime(
      clock,
      Promise.all([1, 2, 3].map(() => client.call('s1@1').then((result) => result.ok))),
    );
    expect(together).toEqual([true, false, false]);
    expect(await ask('s1@1')).toBe(200);
    expect(client.health().targets[0]?.breaker).toBe('half-open');
    expect(await ask('s1@1')).toBe(200);
    expect(client.health().targets[0]?.breaker).toBe('closed');
    expect(told['target-breaker'].map(({ to }) => to)).toEqual(['open', 'half-open', 'closed']);
  });

  it('stays open twice as long when the probe meets a gateway error', async () => {
    const { breakTarget, ask, client, clock, network } = simulate(1);
    await breakTarget('s1');
    network.setUp('http://s1', true);
    network.host('http://s1', async () => ({ status: 503 }));
    await clock.advance(10_000);
    expect(await ask('s1@1')).toBe(503);
    expect(client.health().targets[0]?.probeInMs).toBeGreaterThan(19_000);
  });

  it('probes again when the caller of a probe went away', async () => {
    const { breakTarget, ask, client, clock, network } = simulate(1);
    await breakTarget('s1');
    network.setUp('http://s1', true);
    await clock.advance(10_000);
    const leaving = new AbortController();
    const running = client.call('s1@1', { signal: leaving.signal });
    const outcome = expect(running).rejects.toThrow('left');
    leaving.abort(new TypeError('left'));
    await outcome;
    expect(await ask('s1@1')).toBe(200);
  });

  it('leaves the other targets alone', async () => {
    const { breakTarget, ask } = simulate(2);
    await breakTarget('s1');
    expect(await ask('s2@1')).toBe(200);
  });
});

describe('the global breaker', () => {
  it('opens when a database is reported saturated, sheds by priority, and alerts', async () => {
    const { client, ask, told } = simulate(1);
    client.reportSaturation('database');
    expect(await ask('s1@1', 'background')).toBe('global-breaker');
    expect(await ask('s1@1', 'normal')).toBe('global-breaker');
    expect(await ask('s1@1', 'critical')).toBe(200);
    expect(await ask('s1@1', 'health')).toBe(200);
    expect(told['global-breaker']).toEqual([{ from: 'closed', to: 'open', cause: 'saturation' }]);
    expect(told.alert).toEqual([{ kind: 'global-breaker', cause: 'saturation' }]);
    expect(told.denied[0]?.denial).toMatchObject({ cause: 'saturation', retryAfterMs: 10_000 });
  });

  it('closes in steps once the saturation has been over for a while', async () => {
    const { client, ask, clock, told } = simulate(1);
    client.reportSaturation('database', { forMs: 60_000 });
    await clock.advance(30_000);
    expect(await ask('s1@1')).toBe('global-breaker');
    client.clearSaturation('database');
    const passedOf40 = async () => {
      let count = 0;
      for (let i = 0; i < 40; i += 1) {
        const result = await inVirtualTime(clock, client.call('s1@1'));
        if (result.ok) count += 1;
      }
      return count;
    };
    await clock.advance(10_000);
    expect(client.health().globalBreaker.state).toBe('closing');
    expect(await passedOf40()).toBe(10);
    await clock.advance(5_000);
    expect(await passedOf40()).toBe(20);
    await clock.advance(15_000);
    expect(await passedOf40()).toBe(40);
    expect(told['global-breaker'].map(({ to }) => to)).toEqual(['open', 'closing', 'closed']);
  });

  it.each([
    ['cleared', 5_000],
    ['over by itself', 600_000],
  ])('is closed after a long silence, once the saturation was %s', async (how, forMs) => {
    const { client, ask, clock } = simulate(1);
    client.reportSaturation('database', { forMs });
    if (how === 'cleared') client.clearSaturation('database');
    await clock.advance(3_600_000);
    for (let i = 0; i < 8; i += 1) expect(await ask('s1@1')).toBe(200);
    expect(client.health().globalBreaker.state).toBe('closed');
  });

  it.each([
    ['cleared', 29_999, 'closing'],
    ['cleared', 30_000, 'closed'],
    ['over by itself', 29_999, 'closing'],
    ['over by itself', 30_000, 'closed'],
  ])('counts the time in which nobody asked: saturation %s, after %d ms', async (how, afterMs, state) => {
    const { client, clock } = simulate(1);
    const forMs = how === 'cleared' ? 60_000 : 1_000;
    client.reportSaturation('database', { forMs });
    await clock.advance(1_000);
    if (how === 'cleared') client.clearSaturation('database');
    await clock.advance(afterMs);
    expect(client.health().globalBreaker.state).toBe(state);
  });

  it('waits for the hold after a saturation that nobody asked about', async () => {
    const { client, ask, clock } = simulate(1);
    client.reportSaturation('database', { forMs: 600_000 });
    await clock.advance(605_000);
    expect(await ask('s1@1')).toBe('global-breaker');
    expect(client.health().globalBreaker).toMatchObject({ state: 'open', seenAt: 600_000 });
  });

  it.each([
    [null, {}],
    ['', {}],
    ['database', { forMs: -1 }],
    ['database', { forMs: Number.NaN }],
    ['database', { forMs: Number.POSITIVE_INFINITY }],
  ])('does not take the saturation of %j for %j', (resource, options) => {
    const { client } = simulate(1);
    const report = () => client.reportSaturation(resource as string, options);
    expect(report).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    expect(client.health().globalBreaker.state).toBe('closed');
  });

  it('counts no target that was removed in the middle of its probe', async () => {
    const { client, clock, network, ask, breakTarget } = simulate(4);
    const target = (name: string) => ({ url: `http://${name}`, timeoutMs: 1_000 });
    const left = { 's1@1': target('s1'), 's2@1': target('s2'), 's3@1': target('s3') };
    await breakTarget('s4');
    network.setUp('http://s4', true);
    await clock.advance(10_001);
    for (let i = 0; i < 2; i += 1) expect(await ask('s4@1')).toBe(200);
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    network.host('http://s4', async () => {
      await asked;
      return { status: 200 };
    });
    // The third one that is good closes the breaker.
    const probe = client.call('s4@1', { priority: 'critical' });
    await clock.advance(1);
    const reconfigured = client.reconfigure({ self: 'orders@1', keys: testKeys, retries: 0, targets: left });
    answer();
    await inVirtualTime(clock, probe);
    await inVirtualTime(clock, reconfigured);
    for (const name of ['s1', 's2', 's3']) await ask(`${name}@1`);
    await breakTarget('s1');
    await breakTarget('s2');
    expect(client.health().globalBreaker).toMatchObject({ state: 'open', cause: 'partition' });
  });

  it('counts a target whose probes are bad once, however often', async () => {
    const { client, clock, ask, breakTarget } = simulate(3, { partitionTargets: 2, partitionShare: 0.2 });
    const askAll = async () => {
      for (const name of ['s1', 's2', 's3']) await ask(`${name}@1`);
    };
    await askAll();
    await breakTarget('s1');
    for (const cooldownMs of [10_000, 20_000]) {
      await clock.advance(cooldownMs);
      expect(await ask('s1@1')).toBe('TARGET_UNREACHABLE');
      await askAll();
      expect(client.health().globalBreaker.state).toBe('closed');
    }
    await breakTarget('s2');
    expect(client.health().globalBreaker).toMatchObject({ state: 'open', cause: 'partition' });
  });

  it.each([
    [
      'that is well again',
      async ({ clock, network, ask }: ReturnType<typeof simulate>) => {
        network.setUp('http://s1', true);
        await clock.advance(10_000);
        for (let i = 0; i < 3; i += 1) expect(await ask('s1@1')).toBe(200);
      },
    ],
    [
      'that there is no more',
      async ({ client, clock }: ReturnType<typeof simulate>) => {
        const target = (name: string) => ({ url: `http://${name}`, timeoutMs });
        const targets = { 's2@1': target('s2'), 's3@1': target('s3') };
        const globalBreaker = { partitionTargets: 2, partitionShare: 0.2 };
        const options = { self: 'orders@1', keys: testKeys, retries: 0, globalBreaker, targets };
        await inVirtualTime(clock, client.reconfigure(options));
      },
    ],
  ])('counts no target %s', async (_, change) => {
    const scene = simulate(3, { partitionTargets: 2, partitionShare: 0.2 });
    await scene.breakTarget('s1');
    await change(scene);
    for (const name of ['s2', 's3']) await scene.ask(`${name}@1`);
    await scene.breakTarget('s2');
    expect(scene.client.health().globalBreaker.state).toBe('closed');
    await scene.breakTarget('s3');
    expect(scene.client.health().globalBreaker).toMatchObject({ state: 'open', cause: 'partition' });
  });

  it('forgets a saturation that is not reported again', async () => {
    const { client, ask, clock } = simulate(1);
    client.reportSaturation('database');
    await clock.advance(10_001);
    await ask('s1@1', 'critical');
    await clock.advance(40_000);
    expect(client.health().globalBreaker.state).not.toBe('open');
  });

  it('opens when most targets fail at once', async () => {
    const { breakTarget, ask, told } = simulate(4);
    for (const name of ['s1', 's2', 's3', 's4']) await ask(`${name}@1`);
    await breakTarget('s1');
    await breakTarget('s2');
    expect(await ask('s4@1')).toBe(200);
    await breakTarget('s3');
    expect(await ask('s4@1')).toBe('global-breaker');
    expect(told['global-breaker']).toEqual([{ from: 'closed', to: 'open', cause: 'partition' }]);
  });

  it('asks targets that nobody has called for a minute neither way', async () => {
    const { breakTarget, ask, client, clock } = simulate(6);
    for (const name of ['s4', 's5', 's6']) await ask(`${name}@1`);
    await clock.advance(60_000);
    for (const name of ['s1', 's2', 's3']) await breakTarget(name);
    expect(client.health().globalBreaker).toMatchObject({ state: 'open', cause: 'partition' });
  });

  it('does not take two failing targets out of two for a partition', async () => {
    const { breakTarget, client } = simulate(2);
    await breakTarget('s1');
    await breakTarget('s2');
    expect(client.health().globalBreaker.state).toBe('closed');
  });

  it('does not take one failing target for a partition, however small a share is enough', async () => {
    const { breakTarget, ask, client } = simulate(3, { partitionTargets: 2, partitionShare: 0.2 });
    for (const name of ['s1', 's2', 's3']) await ask(`${name}@1`);
    await breakTarget('s1');
    expect(client.health().globalBreaker.state).toBe('closed');
    await breakTarget('s2');
    expect(client.health().globalBreaker).toMatchObject({ state: 'open', cause: 'partition' });
  });

  it('does not take one failing target for a partition because of another that nobody calls any more', async () => {
    const { breakTarget, ask, client, clock } = simulate(4, { partitionTargets: 2, partitionShare: 0.2 });
    await breakTarget('s4');
    await clock.advance(60_000);
    for (const name of ['s1', 's2', 's3']) await ask(`${name}@1`);
    await breakTarget('s1');
    expect(client.health().globalBreaker.state).toBe('closed');
    await breakTarget('s2');
    expect(client.health().globalBreaker).toMatchObject({ state: 'open', cause: 'partition' });
  });

  it('lets probes pass, so that a partition can be found over', async () => {
    const { breakTarget, ask, client, clock, network } = simulate(3);
    for (const name of ['s1', 's2', 's3']) await breakTarget(name);
    expect(client.health().globalBreaker.state).toBe('open');
    for (const name of ['s1', 's2', 's3']) network.setUp(`http://${name}`, true);
    await clock.advance(10_000);
    for (const name of ['s1', 's2', 's3']) {
      for (let i = 0; i < 3; i += 1) expect(await ask(`${name}@1`, 'background')).toBe(200);
    }
    await clock.advance(10_000);
    expect(client.health().globalBreaker.state).toBe('closing');
  });

  it('opens at a sudden latency spike and closes when it is over', async () => {
    const { client, clock, network, told } = simulate(1, { minSamples: 5, minSlots: 3 });
    let latencyMs = 20;
    network.host('http://s1', async () => {
      await pause(clock, latencyMs);
      return { status: 200 };
    });
    const slots = async (count: number) => {
      for (let i = 0; i < count * 10; i += 1) {
        client.call('s1@1').catch(() => undefined);
        await clock.advance(500);
      }
    };
    await slots(6);
    expect(client.health().globalBreaker.state).toBe('closed');
    latencyMs = 400;
    await slots(2);
    expect(told['global-breaker'][0]).toEqual({ from: 'closed', to: 'open', cause: 'latency' });
    latencyMs = 20;
    await slots(10);
    expect(told['global-breaker'].map(({ to }) => to)).toEqual(['open', 'closing', 'closed']);
  });

  it('does not take slow uploads for a spike', async () => {
    const { client, clock, network } = simulate(1, { minSamples: 5, minSlots: 3 });
    network.host('http://s1', async ({ method }) => {
      await pause(clock, method === 'POST' ? 400 : 20);
      return { status: 200 };
    });
    const slots = async (count: number, request: () => SvcRequest) => {
      for (let i = 0; i < count * 10; i += 1) {
        client.call('s1@1', request()).catch(() => undefined);
        await clock.advance(500);
      }
    };
    await slots(6, () => ({}));
    await slots(2, () => ({ method: 'POST', body: Readable.from(['x']) }));
    expect(client.health().globalBreaker.state).toBe('closed');
  });
});
