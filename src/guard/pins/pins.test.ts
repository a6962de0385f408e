import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../core/duration.ts';
import { Fault } from '../../core/fault.ts';
import { defaultPolicies } from '../../core/policy.ts';
import { createIdentifier } from '../../identity/identifier.ts';
import { createGuard } from '../../index.ts';
import { createLimiter } from '../../limits/index.ts';
import type { PinOrder } from '../../operators/pin-order.ts';
import { createMemoryStore } from '../../stores/memory/index.ts';
import type { Store } from '../../stores/store.ts';
import type { AuditEvent } from '../events.ts';
import type { PinRequest } from './pin.ts';
import { pinKey } from './pin-steps.ts';
import { pinnedPolicies } from './pinned-policies.ts';
import { Pins, type PinsOptions } from './pins.ts';

const secret = 'a secret of sixteen bytes or more';
const note: PinOrder = { by: 'alice', why: 'attack on the list', forMs: HOUR_MS };

/** A node over a store, on a clock that is moved by hand. */
function node(given: { store?: Store; time?: { now: number } } & Partial<Omit<PinsOptions, 'store'>> = {}) {
  const time = given.time ?? { now: 1_000_000 };
  const store = given.store ?? createMemoryStore({ clock: () => time.now });
  const acts: AuditEvent[] = [];
  const due: (() => void)[] = [];
  const pins = new Pins({
    environment: 'test',
    identifier: createIdentifier({ secret }),
    names: () => ({ policies: defaultPolicies, scenarios: ['path-scan'] }),
    onAudit: (act) => acts.push(act),
    ...given,
    store,
    clock: {
      now: () => time.now,
      after: (_, run) => {
        due.push(run);
        return () => due.splice(due.indexOf(run), 1);
      },
    },
  });
  /** Lets the planned look happen, and waits for it: the memory store answers in a few turns. */
  const look = async () => {
    due.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { pins, store, time, acts, look };
}

const anonymous: PinRequest = { kind: 'limit', for: 'anonymous', ratePerSecond: 1 };

describe('Pins', () => {
  it('hold a limit, with who, why and until', async () => {
    const { pins, time } = node();
    const pin = await pins.put(anonymous, note);
    expect(pin).toEqual({
      kind: 'limit',
      for: 'anonymous',
      subject: null,
      ratePerSecond: 1,
      burst: null,
      id: 'limit:anonymous',
      by: 'alice',
      why: 'attack on the list',
      from: 1_000_000,
      until: 1_000_000 + HOUR_MS,
    });
    expect(pins.current.limitFor({ ip: '192.0.2.1' })).toEqual({ ratePerSecond: 1, burst: undefined });
    expect(pins.current.limitFor({ ip: '192.0.2.1', user: 'bob' })).toBeNull();
    time.now += HOUR_MS;
    expect(pins.current.limitFor({ ip: '192.0.2.1' })).toBeNull();
    expect(await pins.list()).toEqual([]);
  });

  it('hold on where an older look is answered after a newer one', async () => {
    const memory = createMemoryStore({ clock: () => 1_000_000 });
    let answer = () => {};
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let views = 0;
    const store: Store = {
      ...memory,
      view: async (keys, look) => {
        views += 1;
        const isFirst = views === 1;
        const seen = await memory.view(keys, look);
        if (isFirst) await late;
        return seen;
      },
    };
    const { pins } = node({ store });
    const started = pins.start();
    await pins.put(anonymous, note);
    answer();
    await started;
    expect(pins.current.all()).toMatchObject([{ id: 'limit:anonymous' }]);
    pins.close();
  });

  it('leave an audit record each', async () => {
    const { pins, acts, store } = node();
    await pins.put(anonymous, note);
    await pins.remove('limit:anonymous', { by: 'bob', why: 'over' });
    expect(acts.map(({ what, block, by }) => ({ what, block, by }))).toEqual([
      { what: 'pinned', block: 'limit:anonymous', by: 'alice' },
      { what: 'unpinned', block: 'limit:anonymous', by: 'bob' },
    ]);
    const guard = createGuard({ secret, store, environment: 'test' });
    expect(await guard.audit()).toEqual(acts);
  });

  it('are seen by every node, and told once each time they change', async () => {
    const { pins: here, store, time } = node();
    const seen: string[][] = [];
    const there = node({ store, time, onChange: (pins) => seen.push(pins.map(({ id }) => id)) });
    await there.pins.start();
    await here.put(anonymous, note);
    await there.look();
    await there.look();
    time.now += HOUR_MS;
    await there.look();
    expect(seen).toEqual([['limit:anonymous'], []]);
    there.pins.close();
  });

  it('go by the clock of the store, not by their own', async () => {
    const time = { now: 1_000_000 };
    const store = createMemoryStore({ clock: () => time.now + 10 * HOUR_MS });
    const { pins } = node({ store, time });
    await pins.put(anonymous, note);
    expect(pins.current.limitFor({ ip: '192.0.2.1' })).not.toBeNull();
    time.now += HOUR_MS - 1;
    expect(pins.current.limitFor({ ip: '192.0.2.1' })).not.toBeNull();
    time.now += 1;
    expect(pins.current.limitFor({ ip: '192.0.2.1' })).toBeNull();
  });

  it('stay as they are known while the store is away', async () => {
    const time = { now: 1_000_000 };
    const memory = createMemoryStore({ clock: () => time.now });
    let isAway = false;
    const store: Store = {
      view: (keys, look) =>
        isAway ? Promise.reject(new Fault('STORE_FAILED', 'away')) : Promise.resolve(memory.view(keys, look)),
      transact: async (keys, step) => memory.transact(keys, step),
      ping: () => memory.ping(),
      held: (prefix) => memory.held(prefix),
      close: () => memory.close(),
    };
    const faults: string[] = [];
    const { pins, look } = node({ store, time, onFault: ({ code }) => faults.push(code) });
    await pins.start();
    await pins.put(anonymous, note);
    isAway = true;
    await look();
    expect(faults).toEqual(['STORE_FAILED']);
    expect(pins.current.limitFor({ ip: '192.0.2.1' })).not.toBeNull();
  });

  it('stay as they are known where what stands in their place is none, and somebody hears of it', async () => {
    const faults: string[] = [];
    const { pins, store, look } = node({ onFault: ({ code }) => faults.push(code) });
    await pins.start();
    await pins.put(anonymous, note);
    const key = pinKey('test');
    const kept = { keepMs: HOUR_MS, softMs: 0, hardMs: 0 };
    await store.transact([key], (records, now) => records.put(key, { at: now, pins: {} as never }, kept));
    await look();
    expect(faults).toEqual(['INVARIANT_BROKEN']);
    expect(pins.current.limitFor({ ip: '192.0.2.1' })).not.toBeNull();
    await look();
    expect(faults).toHaveLength(2);
  });

  it('hold for one user or one network without storing either', async () => {
    const { pins, store } = node();
    await pins.put({ kind: 'limit', for: 'user', user: 'carol', ratePerSecond: 2 }, note);
    await pins.put({ kind: 'limit', for: 'network', ip: '2001:db8::1', ratePerSecond: 3, burst: 2 }, note);
    const { current } = pins;
    expect(current.limitFor({ ip: '192.0.2.1', user: 'carol' })?.ratePerSecond).toBe(2);
    expect(current.limitFor({ ip: '192.0.2.1', user: 'dave' })).toBeNull();
    expect(current.limitFor({ ip: '2001:db8::ffff' })).toEqual({ ratePerSecond: 3, burst: 2 });
    expect(current.limitFor({ ip: '2001:db8:0:1::1' })).toBeNull();
    const stored = JSON.stringify(await new Pins({ ...optionsOf(store) }).list());
    expect(stored).not.toMatch(/carol|2001:/);
  });

  it('hold for one user through a rotation of the secret', async () => {
    const { pins, store, time } = node();
    await pins.put({ kind: 'limit', for: 'user', user: 'carol', ratePerSecond: 2 }, note);
    const identifier = createIdentifier({ secret: 'another secret of enough bytes', previousSecret: secret });
    const rotated = node({ store, time, identifier });
    await rotated.pins.start();
    expect(rotated.pins.current.limitFor({ ip: '192.0.2.1', user: 'carol' })?.ratePerSecond).toBe(2);
    rotated.pins.close();
  });

  it.each<PinRequest>([
    { kind: 'limit', for: 'user', user: 'carol', ratePerSecond: 1 },
    { kind: 'limit', for: 'network', ip: '192.0.2.1', ratePerSecond: 1 },
  ])('replace one of the same from before a rotation of the secret: %o', async (request) => {
    const { pins, store, time } = node({ most: 1 });
    await pins.put({ ...request, ratePerSecond: 100 } as PinRequest, { ...note, forMs: 2 * HOUR_MS });
    const identifier = createIdentifier({ secret: 'another secret of enough bytes', previousSecret: secret });
    const rotated = node({ store, time, identifier, most: 1 });
    const pin = await rotated.pins.put(request, note);
    expect(await rotated.pins.list()).toEqual([pin]);
    const call = { ip: '192.0.2.1', user: 'carol' };
    expect(rotated.pins.current.limitFor(call)?.ratePerSecond).toBe(1);
    time.now += HOUR_MS;
    expect(rotated.pins.current.limitFor(call)).toBeNull();
  });

  it('hold a scenario off, a rule in shadow and a failure mode', async () => {
    const { pins } = node();
    await pins.put({ kind: 'scenario', scenario: 'path-scan' }, note);
    await pins.put({ kind: 'shadow', policy: 'login', rule: 'spray' }, note);
    await pins.put({ kind: 'failure', policy: 'login', mode: 'closed' }, note);
    const { current } = pins;
    expect(current.isScenarioOff('path-scan')).toBe(true);
    expect(current.isScenarioOff('scraping')).toBe(false);
    expect(current.shadowOf('login')).toEqual(['spray']);
    expect(current.shadowOf('api')).toEqual([]);
    expect([current.failureOf('login'), current.failureOf('api')]).toEqual(['closed', null]);
  });

  it('are no more than they may be; one of the same takes the place of the last', async () => {
    const { pins } = node({ most: 2 });
    await pins.put(anonymous, note);
    await pins.put({ ...anonymous, ratePerSecond: 2 }, note);
    await pins.put({ kind: 'limit', for: 'signedIn', ratePerSecond: 1 }, note);
    await expect(pins.put({ kind: 'scenario', scenario: 'path-scan' }, note)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    expect((await pins.list()).map(({ id }) => id)).toEqual(['limit:anonymous', 'limit:signedIn']);
  });

  it('take as much of who and why as other acts do', async () => {
    const { pins } = node();
    const long = { by: 'b'.repeat(500), why: 'w'.repeat(500) };
    await pins.put(anonymous, { ...note, ...long });
    expect(await pins.list()).toMatchObject([long]);
    const tooLong = { ...long, by: 'b'.repeat(501) };
    await expect(pins.remove('limit:anonymous', tooLong)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await pins.remove('limit:anonymous', long)).toBe(true);
  });

  it.each([
    ['a rate out of range', { ...anonymous, ratePerSecond: 0 }, note, 'ratePerSecond'],
    ['a burst out of range', { ...anonymous, burst: 9 }, note, 'burst'],
    ['a policy that there is not', { kind: 'shadow', policy: 'x', rule: 'spray' }, note, 'policy'],
    ['a rule that cannot be in shadow', { kind: 'shadow', policy: 'login', rule: 'store' }, note, 'rule'],
    ['a rule that the policy does not have', { kind: 'shadow', policy: 'api', rule: 'spray' }, note, 'rule'],
    ['a scenario that there is not', { kind: 'scenario', scenario: 'x' }, note, 'scenario'],
    ['nobody', anonymous, { ...note, by: '' }, 'by'],
    ['no reason', anonymous, { ...note, why: '' }, 'why'],
    ['no time', anonymous, { ...note, forMs: 0 }, 'forMs'],
    ['too long a time', anonymous, { ...note, forMs: 31 * 24 * HOUR_MS }, 'forMs'],
    ['an address that is none', { kind: 'limit', for: 'network', ip: 'x', ratePerSecond: 1 }, note, 'ip'],
  ] as const)('are refused with %s', async (_, request, given, field) => {
    const { pins, acts } = node();
    const refused = pins.put(request, given);
    await expect(refused).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(refused).rejects.toThrow(field);
    expect(acts).toEqual([]);
  });

  it('never throw anything but a fault, whatever is asked for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.anything(), async (request, given) => {
        const { pins } = node();
        const body = { kind: 'limit', ...(request as object) } as PinRequest;
        const error = await pins.put(body, { ...note, ...(given as object) }).then(
          () => null,
          (cause: unknown) => cause,
        );
        expect(error === null || error instanceof Fault).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('change what a limiter allows, at once', async () => {
    const { pins, store } = node();
    const limiter = createLimiter({
      store,
      secret,
      ratePerSecond: 100,
      limitFor: (call) => pins.current.limitFor(call),
      warn: () => {},
    });
    const call = { method: 'GET', path: '/', ip: '192.0.2.1' };
    expect((await limiter.take(call)).quota?.capacity).toBe(75);
    await pins.put(anonymous, note);
    expect((await limiter.take(call)).quota?.capacity).toBe(3);
  });

  it('change what a guard answers without its store', async () => {
    const { pins } = node();
    const away: Store = {
      view: () => Promise.reject(new Fault('STORE_FAILED', 'away')),
      transact: () => Promise.reject(new Fault('STORE_FAILED', 'away')),
      ping: () => Promise.reject(new Fault('STORE_FAILED', 'away')),
      held: () => {
        throw new Fault('STORE_FAILED', 'away');
      },
      close: async () => {},
    };
    const guard = createGuard({
      secret,
      store: away,
      failure: { pinned: (policy) => pins.current.failureOf(policy) },
    });
    const api = { action: 'api.heavy', ip: '192.0.2.1' };
    const login = { action: 'auth.login', account: 'a', ip: '192.0.2.1' };
    expect((await guard.consume(api)).mode).toBe('FAIL_OPEN');
    expect((await guard.check(login)).mode).toBe('FAIL_CLOSED');
    await pins.put({ kind: 'failure', policy: 'api', mode: 'closed' }, note);
    await pins.put({ kind: 'failure', policy: 'login', mode: 'caps' }, note);
    expect((await guard.consume(api)).mode).toBe('FAIL_CLOSED');
    expect(await guard.check(login)).toMatchObject({ outcome: 'ALLOW', mode: 'DEGRADED' });
    await guard.close();
  });
});

describe('pinnedPolicies', () => {
  it('run a rule in shadow for as long as it is pinned', async () => {
    const { pins, store, time } = node();
    const guard = createGuard({
      secret,
      store,
      policies: pinnedPolicies(defaultPolicies, pins),
      environment: 'test',
    });
    const fail = (account: string) => guard.fail({ action: 'auth.login', account, ip: '192.0.2.1' });
    await pins.put({ kind: 'shadow', policy: 'login', rule: 'score' }, note);
    for (let n = 0; n < 3; n += 1) await fail('a');
    const { outcome, shadow = [] } = await fail('a');
    expect({ outcome, rules: shadow.map(({ rule }) => rule) }).toEqual({
      outcome: 'ALLOW',
      rules: ['score', 'score'],
    });
    time.now += HOUR_MS;
    for (let n = 0; n < 3; n += 1) await fail('b');
    expect((await fail('b')).outcome).toBe('HARD_BLOCK');
  });
});

const optionsOf = (store: Store): PinsOptions => ({
  store,
  environment: 'test',
  identifier: createIdentifier({ secret }),
  names: () => ({ policies: [], scenarios: [] }),
});
