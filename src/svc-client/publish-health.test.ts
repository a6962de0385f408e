import { describe, expect, it } from 'vitest';
import type { Fault } from '../core/fault.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { createSvcClient, type SvcClient } from './client.ts';
import type { Clock } from './clock.ts';
import { closedGlobalBreaker } from './global-breaker.ts';
import type { TargetHealth } from './health.ts';
import { healthReport, MOST_REPORTED_TARGETS } from './health-report.ts';
import { type PublishHealthOptions, publishHealth } from './publish-health.ts';

const client = () =>
  createSvcClient({
    self: 'orders@1',
    keys: [{ id: 'k1', secret: 'a secret of at least thirty-two bytes' }],
    targets: { 'stock@1': { url: 'http://127.0.0.1:9' } },
  });

/** A clock whose timers are fired by hand. */
function handClock() {
  const timers: { delayMs: number; run: () => void; keepsAlive: boolean | undefined; live: boolean }[] = [];
  const clock: Clock = {
    now: () => 0,
    after(delayMs, run, options) {
      const fire = () => {
        timer.live = false;
        run();
      };
      const timer = { delayMs, run: fire, keepsAlive: options?.keepsAlive, live: true };
      timers.push(timer);
      return () => {
        timer.live = false;
      };
    },
  };
  return { clock, live: () => timers.filter(({ live }) => live) };
}

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

/** What was sent, and a fetch that answers by turns. */
function scripted(...answers: readonly (number | Error)[]) {
  const sent: Sent[] = [];
  const answering: typeof fetch = async (url, init = {}) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)] ?? 200;
    sent.push({ url: String(url), init });
    if (answer instanceof Error) throw answer;
    return new Response('{}', { status: answer });
  };
  return { sent, fetch: answering };
}

/** Answers nothing until it is broken off. */
const hanging: typeof fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });

/** A client, and whoever wants to know of its changes. */
function changing() {
  const listeners: (() => void)[] = [];
  const svc = client();
  const on = ((_: string, listener: () => void) => {
    listeners.push(listener);
    return () => {};
  }) as typeof svc.on;
  return { source: { health: () => svc.health(), on }, listeners };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const options: PublishHealthOptions = { url: 'http://127.0.0.1:8470', name: 'orders-1', token: 't0ken' };

describe('publishing health', () => {
  it('reports at once and then every so often, without keeping the process up', async () => {
    const { clock, live } = handClock();
    const { sent, fetch } = scripted(200);
    const publication = publishHealth(client(), { ...options, everyMs: 2_000 }, { clock, fetch });
    await settled();
    expect(sent).toHaveLength(1);
    const [{ url, init }] = sent as [Sent];
    expect(url).toBe('http://127.0.0.1:8470/v1/targets');
    expect(init).toMatchObject({
      method: 'POST',
      redirect: 'error',
      headers: { authorization: 'Bearer t0ken' },
    });
    expect(JSON.parse(String(init.body))).toMatchObject({
      name: 'orders-1',
      everyMs: 2_000,
      globalBreaker: 'closed',
      leftOut: 0,
      targets: [{ target: 'stock@1', breaker: 'closed', probeInMs: 0, pinnedForMs: 0, calls: 0, denied: {} }],
    });
    expect(live()).toMatchObject([{ delayMs: 2_000, keepsAlive: false }]);
    live()[0]?.run();
    await settled();
    expect(sent).toHaveLength(2);
    await publication.stop();
    expect(live()).toEqual([]);
  });

  it('waits twice as long after each failure, at most five minutes, and tells whoever wants to know', async () => {
    const { clock, live } = handClock();
    const { fetch } = scripted(503, new TypeError('fetch failed'), 401, 500, 500, 500, 200);
    const faults: Fault[] = [];
    const onFault = (fault: Fault) => {
      faults.push(fault);
      throw new TypeError('a listener of the application');
    };
    publishHealth(client(), { ...options, onFault }, { clock, fetch, random: () => 1 });
    const pauses: number[] = [];
    for (let turn = 0; turn < 7; turn += 1) {
      await settled();
      const timer = live().at(-1);
      pauses.push(timer?.delayMs ?? -1);
      timer?.run();
    }
    expect(pauses).toEqual([20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 10_000]);
    expect(faults.slice(0, 2).map(({ code, message }) => [code, message.split(': ')[1]])).toEqual([
      ['TARGET_UNREACHABLE', 'it answered 503'],
      ['TARGET_UNREACHABLE', 'it could not be reached'],
    ]);
  });

  it('tells of a breaker soon, but not more often than once a second, and not to a service that fails', async () => {
    const { clock, live } = handClock();
    const { fetch } = scripted(200, 503);
    const { source, listeners } = changing();
    publishHealth(source, options, { clock, fetch, random: () => 0 });
    for (const listener of listeners) listener();
    await settled();
    expect(live().map(({ delayMs }) => delayMs)).toEqual([1_000]);
    for (const listener of listeners) listener();
    expect(live().map(({ delayMs }) => delayMs)).toEqual([1_000]);
    for (const timer of live()) timer.run();
    await settled();
    for (const listener of listeners) listener();
    expect(live().map(({ delayMs }) => delayMs)).toEqual([10_000]);
  });

  it('goes on telling while changes follow each other faster than it may tell them', async () => {
    const clock = new VirtualClock();
    const { sent, fetch } = scripted(200);
    const { source, listeners } = changing();
    const publication = publishHealth(source, options, { clock, fetch, random: () => 0 });
    for (let step = 0; step < 20; step += 1) {
      await settled();
      for (const listener of listeners) listener();
      await clock.advance(500);
    }
    await publication.stop();
    expect(sent.length).toBeGreaterThanOrEqual(9);
    expect(sent.length).toBeLessThanOrEqual(11);
  });

  it('gives a service five seconds to answer, by a timer that nothing can collect', async () => {
    const { clock, live } = handClock();
    const faults: Fault[] = [];
    const onFault = (fault: Fault) => faults.push(fault);
    publishHealth(client(), { ...options, onFault }, { clock, fetch: hanging, random: () => 1 });
    expect(live()).toMatchObject([{ delayMs: 5_000, keepsAlive: false }]);
    live()[0]?.run();
    await settled();
    expect(faults).toMatchObject([{ code: 'TARGET_UNREACHABLE', cause: { name: 'TimeoutError' } }]);
    expect(live()).toMatchObject([{ delayMs: 20_000 }]);
  });

  it('stops when whoever is told of a fault says so', async () => {
    const { clock, live } = handClock();
    const { sent, fetch } = scripted(503);
    const onFault = () => void publication.stop();
    const publication = publishHealth(client(), { ...options, onFault }, { clock, fetch });
    await settled();
    expect(sent).toHaveLength(1);
    expect(live()).toEqual([]);
  });

  it('stops: what is under way is broken off and nothing follows', async () => {
    const { clock, live } = handClock();
    const publication = publishHealth(client(), options, { clock, fetch: hanging });
    await publication.stop();
    expect(live()).toEqual([]);
    await publication.stop();
  });

  it('names every option that is not what it must be', () => {
    const bad = {
      url: 'ftp://x',
      token: 'a b',
      name: 'mallory@example.org',
      everyMs: 5,
      onFault: 7,
      more: 1,
    };
    const tried = () => publishHealth(client(), bad as unknown as PublishHealthOptions);
    for (const field of ['url', 'token', 'name', 'everyMs', 'onFault', 'more']) {
      expect(tried).toThrow(new RegExp(`\\b${field}: `));
    }
  });

  it('is of a client, not of its options or its checkpoint', () => {
    for (const other of [client().checkpoint, options, undefined] as unknown[]) {
      expect(() => publishHealth(other as SvcClient, options)).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          message: expect.stringMatching(/^client must be what createSvcClient gives, got /),
        }),
      );
    }
  });

  it.each(['http://ops:pass@guard.example', 'http://ops@guard.example', 'http://:pass@guard.example'])(
    'refuses credentials in the URL, which fetch would refuse for each report: %s',
    (url) => {
      expect(() => publishHealth(client(), { ...options, url })).toThrow('url: expected');
    },
  );

  it('keeps the prefix under which the service stands', async () => {
    const { sent, fetch } = scripted(200);
    const publication = publishHealth(client(), { url: 'https://ops.example/guard', name: 'a' }, { fetch });
    await publication.stop();
    expect(sent[0]?.url).toBe('https://ops.example/guard/v1/targets');
    expect(sent[0]?.init.headers).not.toHaveProperty('authorization');
  });
});

describe('a report', () => {
  const health = (target: string, breaker: TargetHealth['breaker']): TargetHealth => ({
    target,
    breaker,
    probeInMs: 10.2,
    pinned: null,
    calls: 0,
    attempts: 0,
    retries: 0,
    failures: 0,
    denied: {},
  });

  it('says why the breaker over all is open, and which requests went round', () => {
    const report = healthReport('a', 1_000, {
      globalBreaker: { state: 'open', cause: 'saturation', seenAt: 1 },
      loops: 12,
      recentLoops: [{ requestId: 'r-12', hops: ['a@1', 'b@1', 'a@1'], agoMs: 1.5 }],
      droppedPassports: 0,
      targets: [],
    });
    expect(report).toMatchObject({
      globalBreaker: 'open',
      globalCause: 'saturation',
      loops: 12,
      recentLoops: [{ requestId: 'r-12', hops: ['a@1', 'b@1', 'a@1'], agoMs: 2 }],
    });
  });

  it('of too many targets holds those in trouble, and says how many are left out', () => {
    const targets = Array.from({ length: MOST_REPORTED_TARGETS + 5 }, (_, index) =>
      health(`t${index}@1`, index === MOST_REPORTED_TARGETS + 4 ? 'open' : 'closed'),
    );
    const report = healthReport('a', 1_000, {
      globalBreaker: closedGlobalBreaker,
      loops: 0,
      recentLoops: [],
      droppedPassports: 0,
      targets,
    });
    expect(report.targets).toHaveLength(MOST_REPORTED_TARGETS);
    expect(report.targets[0]).toMatchObject({ target: 't104@1', breaker: 'open', probeInMs: 11 });
    expect(report.leftOut).toBe(5);
  });
});
