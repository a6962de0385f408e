import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { type Client, createLimiter } from '../limits/index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { ImmediateStore, Store } from '../stores/store.ts';
import type { ScenarioEvent } from './events.ts';
import { observeRequests } from './observe-requests.ts';
import type { RequestEvent } from './request-event.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { createScenarios, type Scenarios } from './scenarios.ts';
import type { ScenariosOptions } from './scenarios-options.ts';
import type { WatchOptions } from './watch.ts';

const secret = 'sixteen bytes or more';
const start = 1_700_000_000_000;
const scan = (index: number): RequestEvent => ({
  method: 'GET',
  path: `/wp-content/plugins/plugin-${index}/readme.txt`,
  status: 404,
  ip: '203.0.113.7',
  ua: 'Mozilla/5.0 zgrab/0.x',
});

function bench(options: Partial<ScenariosOptions> = {}) {
  let now = start;
  const store = createMemoryStore({ clock: () => now });
  const limiter = createLimiter({ store, secret });
  const events: ScenarioEvent[] = [];
  const scenarios = createScenarios({
    store,
    secret,
    limiter,
    clock: () => now,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const elapse = (ms: number) => {
    now += ms;
  };
  return { store, limiter, scenarios, events, elapse };
}

describe('scenarios', () => {
  it('degrade a scan first, block it when it goes on, and begin anew after the block', async () => {
    const { scenarios, limiter, events, elapse } = bench();
    let index = 0;
    const scanUntilFinding = async () => {
      for (;;) {
        elapse(100);
        index += 1;
        const [finding] = await scenarios.observe(scan(index));
        if (finding !== undefined) return { finding, index };
      }
    };
    const first = await scanUntilFinding();
    expect(first.finding).toMatchObject({ scenario: 'path-scan', what: 'degraded', shadow: false });
    expect(first.index).toBeGreaterThan(30);
    expect(await scenarios.standing(scan(0))).toEqual({ refillScale: 0.25, delayMs: 2_000, refusedForMs: 0 });
    expect((await limiter.take(scan(0))).allowed).toBe(true);
    const second = await scanUntilFinding();
    expect(second.finding).toMatchObject({ what: 'blocked' });
    const verdict = await limiter.take(scan(0));
    expect([verdict.allowed, verdict.rule, verdict.retryAfterMs]).toEqual([false, 'blocked', 300_000]);
    expect(await scenarios.standing(scan(0))).toEqual({ refillScale: 1, delayMs: 0, refusedForMs: 0 });
    expect(events.map(({ what }) => what)).toEqual(['degraded', 'blocked']);
    expect(JSON.stringify(events)).not.toMatch(/203\.0\.113|zgrab|plugin/);
  });

  it('count nothing while a block runs, whoever keeps it, so that nothing extends it', async () => {
    const { scenarios, limiter, elapse } = bench({ scenarios: [quick] });
    for (let index = 0; index < 5; index += 1) await scenarios.observe(scan(index));
    const left = async () => (await limiter.take(scan(0))).retryAfterMs;
    expect(await left()).toBe(300_000);
    elapse(299_999);
    for (let index = 0; index < 50; index += 1) expect(await scenarios.observe(scan(index))).toEqual([]);
    expect(await left()).toBe(1);
    elapse(1);
    expect(await scenarios.standing(scan(0))).toMatchObject({ refillScale: 1 });
    for (let index = 0; index < 2; index += 1) expect(await scenarios.observe(scan(index))).toEqual([]);
    expect(await scenarios.observe(scan(2))).toMatchObject([{ what: 'degraded' }]);
  });

  it('block nobody for calls that were under way when they were degraded', async () => {
    const { scenarios, limiter } = bench();
    const standing = await scenarios.standing(scan(0));
    for (let index = 0; index < 100; index += 1) await scenarios.observe({ ...scan(index), standing });
    expect(scenarios.counts().scenarios['path-scan']).toMatchObject({ degraded: 1, blocked: 0 });
    expect((await limiter.take(scan(0))).allowed).toBe(true);
    const later = await scenarios.standing(scan(0));
    for (let index = 0; index < 12; index += 1) await scenarios.observe({ ...scan(index), standing: later });
    expect(scenarios.counts().scenarios['path-scan']).toMatchObject({ degraded: 1, blocked: 1 });
  });

  const quick: Scenario = {
    name: 'quick',
    key: 'client',
    filter: { status: ['404'] },
    bucket: { capacity: 2, leakPerMinute: 1 },
  };
  const friend = { cidrs: ['203.0.113.0/24'] };
  const goodBots = { isVerified: () => true, verify: async () => true };

  it.each([
    ['in shadow', { ...quick, shadow: true }],
    [
      'where being degraded changes nothing',
      { ...quick, response: { degrade: { refillScale: 1, delayMs: 0 } } },
    ],
  ])('tell calls that go on from those under way, %s', async (_, scenario) => {
    const { scenarios } = bench({ scenarios: [scenario] });
    const told: unknown[] = [];
    for (let index = 0; index < 5; index += 1) {
      const standing = await scenarios.standing(scan(index));
      told.push(...(await scenarios.observe({ ...scan(index), standing })));
    }
    expect(told).toMatchObject([{ what: 'degraded' }, { what: 'blocked' }]);
  });

  it('are skipped by whom the allowlist names, and count it', async () => {
    const { scenarios, events } = bench({ scenarios: [quick], allow: friend });
    for (let index = 0; index < 10; index += 1) expect(await scenarios.observe(scan(index))).toEqual([]);
    expect(scenarios.counts().skipped.cidr).toBe(10);
    expect(events[0]).toEqual({ type: 'scenario', what: 'skipped', scenario: null, by: 'cidr' });
  });

  it('can each have an allowlist of their own', async () => {
    const { scenarios } = bench({
      scenarios: [
        { ...quick, allow: friend },
        { ...quick, name: 'other' },
      ],
    });
    for (let index = 0; index < 3; index += 1) await scenarios.observe(scan(index));
    expect(scenarios.counts().scenarios).toEqual({
      quick: { degraded: 0, blocked: 0, blind: 0, skipped: 3 },
      other: { degraded: 1, blocked: 0, blind: 0, skipped: 0 },
    });
  });

  it('leave verified bots alone', async () => {
    const { scenarios } = bench({ scenarios: [quick], goodBots });
    for (let index = 0; index < 9; index += 1) expect(await scenarios.observe(scan(index))).toEqual([]);
    expect(scenarios.counts().skipped.bot).toBe(9);
  });

  const crowd: Scenario = { ...quick, key: 'network' };

  it.each([
    ['on the allowlist', { scenarios: [crowd], allow: friend }],
    ['on the allowlist of the scenario', { scenarios: [{ ...crowd, allow: friend }] }],
    ['a verified bot', { scenarios: [crowd], goodBots }],
  ])('hold nothing against who is %s, whatever others have done under the same key', async (_, options) => {
    const { scenarios, store } = bench({ scenarios: [crowd] });
    const friendly = createScenarios({ store, secret, ...options });
    const standings = async () => [await scenarios.standing(scan(0)), await friendly.standing(scan(0))];
    const good = { refillScale: 1, delayMs: 0, refusedForMs: 0 };
    for (let index = 0; index < 3; index += 1) await scenarios.observe(scan(index));
    expect(await standings()).toEqual([{ refillScale: 0.25, delayMs: 2_000, refusedForMs: 0 }, good]);
    for (let index = 0; index < 2; index += 1) await scenarios.observe(scan(index));
    expect(await standings()).toEqual([{ ...good, refusedForMs: 300_000 }, good]);
  });

  it('in shadow tell, and enforce nothing, also after the shadow has ended', async () => {
    const { scenarios, store, limiter } = bench({ scenarios: [quick], shadow: ['quick'] });
    const told: unknown[] = [];
    for (let index = 0; index < 8; index += 1) told.push(...(await scenarios.observe(scan(index))));
    expect(told).toMatchObject([
      { what: 'degraded', shadow: true },
      { what: 'blocked', shadow: true, until: null },
      { what: 'degraded', shadow: true },
    ]);
    const enforced = createScenarios({ store, secret, limiter, scenarios: [quick] });
    expect(await enforced.standing(scan(0))).toEqual({ refillScale: 1, delayMs: 0, refusedForMs: 0 });
    expect((await limiter.take(scan(0))).allowed).toBe(true);
  });

  it('block a client in every limiter that has them, and lift it in all', async () => {
    const { scenarios, limiter, store } = bench({ scenarios: [quick] });
    const second = createLimiter({ store, secret, name: 'second' });
    scenarios.keepBlocksIn?.(second);
    const rules = async () => [(await limiter.take(scan(0))).rule, (await second.take(scan(0))).rule];
    for (let index = 0; index < 5; index += 1) await scenarios.observe(scan(index));
    expect(await rules()).toEqual(['blocked', 'blocked']);
    expect(await scenarios.lift(scan(0))).toBe(true);
    expect(await rules()).toEqual([null, null]);
  });

  it('do not block again what was lifted, without all of the evidence anew', async () => {
    const { scenarios, limiter } = bench({ scenarios: [quick] });
    for (let index = 0; index < 5; index += 1) await scenarios.observe(scan(index));
    expect((await limiter.take(scan(0))).rule).toBe('blocked');
    expect(await scenarios.lift(scan(0))).toBe(true);
    expect((await limiter.take(scan(0))).allowed).toBe(true);
    for (let index = 0; index < 2; index += 1) expect(await scenarios.observe(scan(index))).toEqual([]);
    expect(await scenarios.observe(scan(9))).toMatchObject([{ what: 'degraded' }]);
    expect(await scenarios.lift(scan(0))).toBe(true);
    expect(await scenarios.standing(scan(0))).toMatchObject({ refillScale: 1 });
    expect(await scenarios.lift(scan(0))).toBe(false);
  });

  describe('while a key rotation runs', () => {
    const cleared: Scenario = { ...quick, clearedBy: { status: ['200'] } };
    const rotated = async (events: number) => {
      const before = bench({ scenarios: [cleared] });
      for (let index = 0; index < events; index += 1) await before.scenarios.observe(scan(index));
      const { store, elapse } = before;
      const keys = { secret: 'another of sixteen bytes', previousSecret: secret };
      const { scenarios } = bench({ scenarios: [cleared], store, ...keys });
      return { elapse, scenarios, before: before.scenarios };
    };

    it('are lifted for nodes without the new secret too', async () => {
      const { scenarios, before } = await rotated(3);
      expect(await before.standing(scan(0))).toMatchObject({ refillScale: 0.25 });
      expect(await scenarios.lift(scan(0))).toBe(true);
      expect(await before.standing(scan(0))).toMatchObject({ refillScale: 1 });
    });

    it('tell of a lift also where only such nodes knew of something', async () => {
      const { scenarios, before } = await rotated(3);
      expect(await scenarios.lift(scan(0))).toBe(true);
      for (let index = 3; index < 6; index += 1) await before.observe(scan(index));
      expect(await before.standing(scan(0))).toMatchObject({ refillScale: 0.25 });
      expect(await scenarios.standing(scan(0))).toMatchObject({ refillScale: 1 });
      expect(await scenarios.lift(scan(0))).toBe(true);
      expect(await scenarios.lift(scan(0))).toBe(false);
    });

    it('stay lifted under both hashes of a client', async () => {
      const { scenarios, elapse } = await rotated(3);
      expect(await scenarios.standing(scan(0))).toMatchObject({ refillScale: 0.25 });
      expect(await scenarios.lift(scan(0))).toBe(true);
      elapse(2_000);
      expect(await scenarios.standing(scan(0))).toMatchObject({ refillScale: 1 });
      expect(await scenarios.lift(scan(0))).toBe(false);
    });

    it.each<Partial<Scenario>>([
      { distinct: [{ of: 'path', atLeast: 4, windowMs: 60_000 }] },
      { distinct: [{ of: 'path', atLeast: 60, windowMs: 60_000, share: 0.7 }] },
      { perRoute: true, bucket: { capacity: 3, leakPerMinute: 1 } },
    ])('find in %j what they find without', async (sign) => {
      const scenarios: Scenario[] = [{ name: 'asked', key: 'client', filter: { status: ['404'] }, ...sign }];
      const keys = { secret: 'another of sixteen bytes', previousSecret: secret };
      for (const pages of [3, 40]) {
        const ask = async (asked: Scenarios) => {
          const told: unknown[] = [];
          for (let page = 0; page < pages; page += 1)
            told.push(await asked.observe({ ...scan(0), path: `/page-${'x'.repeat(page)}` }));
          return told;
        };
        const [steady, before] = [bench({ scenarios }), bench({ scenarios })];
        const after = bench({ scenarios, store: before.store, limiter: before.limiter, ...keys });
        expect([await ask(before.scenarios), await ask(after.scenarios)]).toEqual([
          await ask(steady.scenarios),
          await ask(steady.scenarios),
        ]);
      }
    });

    it('keep no evidence that was cleared', async () => {
      const { scenarios, elapse } = await rotated(2);
      await scenarios.observe({ ...scan(2), status: 200 });
      elapse(2_000);
      for (let index = 0; index < 2; index += 1) expect(await scenarios.observe(scan(index))).toEqual([]);
      expect(await scenarios.observe(scan(9))).toMatchObject([{ what: 'degraded' }]);
    });
  });

  it('refuse nobody for a crowd that sends the same headers and is not what the scenario is about', async () => {
    const notABrowser = { signedIn: false, headers: { without: ['cookie'] } };
    const twins: Scenario = { ...quick, key: 'headers', filter: notABrowser };
    const { scenarios } = bench({ scenarios: [twins] });
    const stranger = { ...scan(0), headerNames: ['Host', 'User-Agent'] };
    for (let index = 0; index < 5; index += 1) await scenarios.observe(stranger);
    expect(await scenarios.standing(stranger)).toMatchObject({ refusedForMs: 300_000 });
    const good = { refillScale: 1, delayMs: 0, refusedForMs: 0 };
    expect(await scenarios.standing({ ...stranger, user: 'u1' })).toEqual(good);
    const browser = { ...stranger, headerNames: ['Host', 'User-Agent', 'Cookie'] };
    expect(await scenarios.standing(browser)).toEqual(good);
  });

  it('lift what is held against a client, not what is held against a range around it', async () => {
    const own: Scenario = { ...quick, response: { block: false } };
    const around: Scenario = { ...quick, name: 'around', key: 'range' };
    const { scenarios } = bench({ scenarios: [own, around] });
    for (let index = 0; index < 6; index += 1) await scenarios.observe(scan(index));
    const neighbour = { ...scan(0), ip: '203.0.200.1' };
    expect(await scenarios.standing(neighbour)).toMatchObject({ refusedForMs: 300_000 });
    expect(await scenarios.lift(scan(0))).toBe(true);
    expect(await scenarios.standing(scan(0))).toEqual({ refillScale: 1, delayMs: 0, refusedForMs: 300_000 });
    expect(await scenarios.standing(neighbour)).toMatchObject({ refusedForMs: 300_000 });
  });

  it('only degrade, or block at once, where the response says so', async () => {
    const only = (response: Scenario['response']) => bench({ scenarios: [{ ...quick, response }] }).scenarios;
    const what = async (scenarios: Scenarios) => {
      const told: string[] = [];
      for (let index = 0; index < 6; index += 1) {
        told.push(...(await scenarios.observe(scan(index))).map((finding) => finding.what));
      }
      return told;
    };
    expect(await what(only({ block: false }))).toEqual(['degraded', 'degraded']);
    expect(await what(only({ degrade: false }))).toEqual(['blocked']);
  });

  it('slow the bucket of a limiter down to a quarter', async () => {
    const { scenarios, limiter, elapse } = bench({ scenarios: [quick] });
    for (let index = 0; index < 3; index += 1) await scenarios.observe(scan(index));
    const standing = await scenarios.standing(scan(0));
    while ((await limiter.take({ ...scan(0), standing })).allowed) elapse(0);
    const { retryAfterMs } = await limiter.take({ ...scan(0), standing });
    const { retryAfterMs: usual } = await limiter.take(scan(0));
    expect([retryAfterMs > usual, retryAfterMs <= 1_600]).toEqual([true, true]);
  });

  it('hold a call back for a time that is felt and never the same, which would tell', async () => {
    const delayedMs = async (options: Partial<ScenariosOptions> = {}) => {
      let seenMs = 0;
      const after: ScenariosOptions['after'] = (delayMs, run) => {
        seenMs = delayMs;
        queueMicrotask(run);
        return () => undefined;
      };
      const { scenarios } = bench({ after, ...options });
      await scenarios.delay({ refillScale: 0.25, delayMs: 2_000, refusedForMs: 0 });
      return seenMs;
    };
    const told = [];
    for (const part of [0, 0.5, 1]) told.push(await delayedMs({ random: () => part }));
    expect(told).toEqual([500, 1_250, 2_000]);
    const chosen = new Set<number>();
    for (let call = 0; call < 20; call += 1) chosen.add(await delayedMs());
    expect(chosen.size).toBeGreaterThan(1);
  });

  it('hold back no more calls than there is room for', async () => {
    const waiting: (() => void)[] = [];
    const { scenarios } = bench({
      mostDelayed: 2,
      random: () => 1,
      after: (delayMs, run) => {
        expect(delayMs).toBe(2_000);
        waiting.push(run);
        return () => {};
      },
    });
    const degraded = { refillScale: 0.25, delayMs: 2_000, refusedForMs: 0 };
    const leaving = new AbortController();
    const held = [scenarios.delay(degraded), scenarios.delay(degraded, leaving.signal)];
    await scenarios.delay(degraded);
    await scenarios.delay({ ...degraded, delayMs: 0 });
    expect(scenarios.counts()).toMatchObject({ delayed: 2, undelayed: 1 });
    leaving.abort();
    await held[1];
    waiting[0]?.();
    await held[0];
    const next = scenarios.delay(degraded);
    waiting[2]?.();
    await next;
    expect(scenarios.counts()).toMatchObject({ delayed: 3, undelayed: 1 });
  });

  it('hold nothing against anybody while the store fails, and say so', async () => {
    const fails = async (): Promise<never> => {
      throw new Fault('STORE_TIMEOUT', 'as told');
    };
    const { store } = bench();
    const broken: Store = { ...store, view: fails, transact: fails, held: store.held };
    const events: ScenarioEvent[] = [];
    const { immediate: _, ...withoutImmediate } = broken as Store & { immediate?: unknown };
    const scenarios = createScenarios({
      store: withoutImmediate as Store,
      secret,
      scenarios: [quick],
      onEvent: (event) => events.push(event),
    });
    expect(await scenarios.standing(scan(0))).toEqual({ refillScale: 1, delayMs: 0, refusedForMs: 0 });
    expect(await scenarios.observe(scan(0))).toEqual([]);
    expect(events).toEqual([
      { type: 'scenario', what: 'failed', doing: 'standing', code: 'STORE_TIMEOUT' },
      { type: 'scenario', what: 'failed', doing: 'observe', code: 'STORE_TIMEOUT' },
    ]);
    expect(scenarios.counts().storeFailures).toBe(2);
  });

  it('do not let every call wait for a store that is away', async () => {
    let asked = 0;
    const fails = async (): Promise<never> => {
      asked += 1;
      throw new Fault('STORE_TIMEOUT', 'as told');
    };
    const { store } = bench();
    const { immediate: _, ...shared } = store;
    const broken: Store = { ...shared, view: fails, transact: fails, held: store.held };
    const scenarios = createScenarios({ store: broken, secret, scenarios: [quick], clock: () => start });
    for (let index = 0; index < 10; index += 1) {
      expect(await scenarios.standing(scan(0))).toMatchObject({ delayMs: 0 });
      expect(await scenarios.observe(scan(0))).toEqual([]);
    }
    expect(asked).toBe(3);
    expect(scenarios.counts().storeFailures).toBe(20);
  });

  it('see what another process has found out a second later, also after the clock was set back', async () => {
    const { store, elapse } = bench();
    const { immediate: _, ...shared } = store;
    let now = start;
    const options = { store: { ...shared, held: store.held }, secret, scenarios: [quick] };
    const here = createScenarios({ ...options, clock: () => now });
    const there = createScenarios(options);
    expect(await here.standing(scan(0))).toMatchObject({ delayMs: 0 });
    for (let index = 0; index < 3; index += 1) await there.observe(scan(index));
    now -= 3_600_000;
    expect(await here.standing(scan(0))).toMatchObject({ delayMs: 2_000 });
    elapse(600_000);
    expect(await here.standing(scan(0))).toMatchObject({ delayMs: 0 });
  });

  it('see at once what they have found out themselves', async () => {
    const { store } = bench();
    const { immediate: _, ...shared } = store;
    const options = { store: { ...shared, held: store.held }, secret, scenarios: [quick] };
    const scenarios = createScenarios({ ...options, clock: () => start });
    expect(await scenarios.standing(scan(0))).toMatchObject({ delayMs: 0 });
    for (let index = 0; index < 3; index += 1) await scenarios.observe(scan(index));
    expect(await scenarios.standing(scan(0))).toMatchObject({ delayMs: 2_000 });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ store: undefined }, 'store must be a store, got nothing'],
    [{ limiter: { secret, store: createMemoryStore() } }, 'limiter must be what createLimiter gives'],
    [
      { limiter: createMemoryStore() },
      'limiter must be what createLimiter gives, got an object without block',
    ],
    [{ goodBots: { bots: [] } }, 'goodBots must be what createBotVerifier gives, got an object without '],
    [{ random: 1 }, 'random must be a function'],
    [{ scenarios: 'path-scan' }, 'scenarios must be a list, got a string of 9 characters'],
    [{ bots: [] }, 'bots is no option of scenarios: there are secret, '],
    [{ shadow: {} }, 'shadow: must be a boolean or a list of names, got an object'],
    [{ mostDelayed: -1 }, 'mostDelayed'],
  ])('say what is wrong with %j', (options, message) => {
    const make = () => bench(options as Partial<ScenariosOptions>);
    expect(make).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(make).toThrow(message);
  });

  it('say what is wrong with an event', async () => {
    const { scenarios } = bench();
    const without = { ...scan(0), path: null } as object as RequestEvent;
    await expect(scenarios.observe(without)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: 'path must be a text, got null',
    });
    await expect(scenarios.standing(without)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('say which field of an event there is not: what it should have shown would not be seen', async () => {
    const { scenarios } = bench();
    const misspelt = { ...scan(0), headersNames: ['host'] };
    const message = /^headersNames is no field of a call: there are .*headerNames, status, route$/;
    for (const asked of [
      scenarios.observe(misspelt),
      scenarios.standing(misspelt),
      observeRequests(scenarios, [scan(0), misspelt]),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: 'INPUT_INVALID', message });
    }
    await expect(scenarios.lift({ ip: scan(0).ip, usr: 'a' } as Client)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: 'usr is no field of a client: there are ip, ua, user',
    });
    expect(scenarios.counts().observed).toBe(0);
  });

  it('say which option of a run there is not, and leave fields of recorded events that they do not know', () => {
    const run = runScenarios(createMemoryStore().immediate, { secret });
    expect(run.observe({ ...scan(0), t: start } as RequestEvent, start)).toEqual([]);
    expect(() =>
      runScenarios(createMemoryStore().immediate, { secret, scenario: [] } as WatchOptions),
    ).toThrow('scenario is no option of a run of scenarios: there are secret, ');
  });

  it.each<[unknown, string]>([
    [
      createMemoryStore(),
      'store must be a store that answers at once, got one of promises: take its immediate',
    ],
    [undefined, 'store must be a store that answers at once, got nothing'],
    [{}, 'store must be a store that answers at once, got an object without view'],
  ])('say what is wrong with the store of a run: %#', (store, message) => {
    expect(() => runScenarios(store as ImmediateStore, { secret })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message }),
    );
  });

  it('judge reports of others all or not at all', async () => {
    const { scenarios } = bench({ scenarios: [quick] });
    const reported = [scan(0), scan(1), scan(2)];
    await expect(observeRequests(scenarios, [...reported, { ...scan(3), ip: 'unknown' }])).rejects.toThrow(
      'requests[3].ip must be the text of an IPv4 or IPv6 address, got a string of 7 characters',
    );
    expect(scenarios.counts().observed).toBe(0);
    expect(await observeRequests(scenarios, reported)).toMatchObject({
      observed: 3,
      findings: [{ scenario: 'quick', what: 'degraded' }],
    });
  });
});
