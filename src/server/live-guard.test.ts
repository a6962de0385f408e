import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { defaultApi, defaultLogin, type Policy } from '../core/policy.ts';
import { readFailureOptions } from '../guard/failure/failure-options.ts';
import { assembleGuard, type Guard } from '../guard/guard.ts';
import { createIdentifier } from '../identity/identifier.ts';
import { createGuard } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { LiveGuard, lentStore } from './live-guard.ts';

const secret = 'a secret of enough bytes';
const login = { action: 'auth.login', account: 'a', ip: '192.0.2.1' };

describe('a guard that is replaced', () => {
  it('keeps records and listeners, and goes by the new policies', async () => {
    const store = createMemoryStore();
    const guardOf = (policies: Parameters<typeof createGuard>[0]['policies']) =>
      createGuard({ secret, store: lentStore(store), ...(policies === undefined ? {} : { policies }) });
    const live = new LiveGuard(guardOf([defaultLogin]));
    const told: string[] = [];
    const stop = live.on('decision', ({ op, decision }) => told.push(`${op} ${decision.outcome}`));
    await live.fail(login);
    await live.fail(login);
    await expect(live.consume({ action: 'api.heavy', ip: '192.0.2.1' })).rejects.toThrow(
      'action must be one',
    );
    await live.replace(guardOf([defaultLogin, defaultApi]));
    expect((await live.check(login)).outcome).toBe('HARD_BLOCK');
    expect((await live.consume({ action: 'api.heavy', ip: '192.0.2.1' })).outcome).toBe('ALLOW');
    expect(told).toEqual(['fail ALLOW', 'fail HARD_BLOCK', 'check HARD_BLOCK', 'consume ALLOW']);
    stop();
    await live.check(login);
    expect(told).toHaveLength(4);
  });

  it('lets what is under way end where it began', async () => {
    const store = createMemoryStore();
    const make = () => createGuard({ secret, store: lentStore(store) });
    const live = new LiveGuard(make());
    const underWay = Array.from({ length: 20 }, (_, n) =>
      live.fail({ ...login, account: `a${n}`, ip: `192.0.2.${n}` }),
    );
    const replaced = live.replace(make());
    const decisions = await Promise.all(underWay);
    await replaced;
    expect(decisions.map(({ mode }) => mode)).toEqual(decisions.map(() => 'NORMAL'));
  });

  it('counts a guess that was being verified meanwhile', async () => {
    const store = createMemoryStore();
    const make = () => createGuard({ secret, store: lentStore(store) });
    const live = new LiveGuard(make());
    const wrong = await live.attempt(login, async () => {
      await live.replace(make());
      return null;
    });
    expect(wrong).toMatchObject({ allowed: false, decision: { mode: 'NORMAL' } });
    expect((await live.explain(login)).keys).not.toEqual([]);
    const right = await live.attempt({ ...login, account: 'b', ip: '192.0.2.2' }, async () => {
      await live.replace(make());
      return 'b';
    });
    expect(right).toMatchObject({ allowed: true, value: 'b' });
  });

  it('tells nobody who has stopped listening, also of what the guard before has under way', async () => {
    const store = createMemoryStore();
    const late = { ...lentStore(store), immediate: undefined, viewNow: undefined };
    const live = new LiveGuard(createGuard({ secret, store: late }));
    let told = 0;
    const stop = live.on('decision', () => {
      told += 1;
    });
    const underWay = [live.check(login), live.check(login)];
    await live.replace(createGuard({ secret, store: late }));
    stop();
    await Promise.all(underWay);
    await live.check(login);
    expect(told).toBe(0);
  });

  it('lends its store without letting anybody close it', async () => {
    const store = createMemoryStore();
    await lentStore(store).close();
    await expect(store.ping()).resolves.toBeUndefined();
  });
});

describe('a guard that is replaced while its store is away', () => {
  function sick() {
    const clock = new VirtualClock(1_700_000_000_000);
    const memory = createMemoryStore({ clock: () => clock.now() });
    let isDown = true;
    const unlessDown =
      <A extends readonly unknown[], T>(call: (...given: A) => Promise<T>) =>
      (...given: A) =>
        isDown ? Promise.reject(new Fault('STORE_FAILED', 'away')) : call(...given);
    const store: Store = {
      ...lentStore(memory),
      immediate: undefined,
      viewNow: undefined,
      view: (keys, look) => unlessDown(() => memory.view(keys, look))(),
      transact: (keys, step) => unlessDown(() => memory.transact(keys, step))(),
      // Slow, so that some change meets a probe that is under way.
      ping: unlessDown(() => new Promise<void>((resolve) => void clock.after(500, resolve))),
    };
    const make = (before?: Guard, policies: readonly Policy[] = [defaultLogin, defaultApi]) =>
      assembleGuard({
        store,
        policies,
        identifier: createIdentifier({ secret }),
        environment: 'default',
        failure: readFailureOptions({ clock, deadlineMs: null }),
        before,
      });
    const live = new LiveGuard(make());
    const reload = (policies?: readonly Policy[]) => live.replace(make(live.current, policies));
    const heal = () => {
      isDown = false;
    };
    return { clock, live, reload, heal };
  }

  const modesOf = (live: LiveGuard) => live.modes().map(({ policy, mode }) => `${policy} ${mode}`);

  it('lets nobody have more attempts than the local caps allow', async () => {
    const { live, reload } = sick();
    const outcomes: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      for (let m = 0; m < 6; m += 1) outcomes.push((await live.check(login)).outcome);
      await reload();
    }
    // Those before the breaker trips are refused; then three in ten minutes pass.
    expect(outcomes.filter((outcome) => outcome === 'ALLOW')).toHaveLength(3);
    expect(live.modes()[0]).toMatchObject({ policy: 'login', mode: 'DEGRADED', fault: 'STORE_FAILED' });
  });

  it('goes on probing, and tells once when the store is back', async () => {
    const { clock, live, reload, heal } = sick();
    const told: string[] = [];
    live.on('mode', ({ policy, from, to }) => told.push(`${policy} ${from} to ${to}`));
    live.on('degradedEpoch', ({ policy, admitted }) => told.push(`${policy} admitted ${admitted}`));
    for (let n = 0; n < 4; n += 1) await live.check(login);
    await reload();
    expect(modesOf(live)).toEqual(['login DEGRADED', 'api NORMAL']);
    heal();
    await clock.advance(5 * 60_000 + 10_000);
    expect(modesOf(live)).toEqual(['login NORMAL', 'api NORMAL']);
    expect(told).toEqual(['login NORMAL to DEGRADED', 'login admitted 2', 'login DEGRADED to NORMAL']);
    expect((await live.check(login)).mode).toBe('NORMAL');
    await live.close();
  });

  it('recovers as soon as without any change, however many there are, and tells it once', async () => {
    const { clock, live, reload, heal } = sick();
    const told: string[] = [];
    live.on('mode', ({ from, to }) => told.push(`${from} to ${to}`));
    for (let n = 0; n < 4; n += 1) await live.check(login);
    heal();
    for (let n = 0; n < 78; n += 1) {
      await clock.advance(4_000);
      await reload();
    }
    expect(told).toEqual(['NORMAL to DEGRADED', 'DEGRADED to NORMAL']);
    await clock.advance(5 * 60_000);
    expect(told).toHaveLength(2);
    await live.close();
  });

  it('leaves it to the new guard to tell what a probe under way has found', async () => {
    const { clock, live, reload, heal } = sick();
    const told: string[] = [];
    live.on('mode', ({ from, to }) => told.push(`${from} to ${to}`));
    for (let n = 0; n < 4; n += 1) await live.check(login);
    heal();
    await clock.advance(5 * 60_000 + 200);
    await reload();
    await clock.advance(10 * 60_000);
    expect(told).toEqual(['NORMAL to DEGRADED', 'DEGRADED to NORMAL']);
    await live.close();
  });

  it('starts anew with a policy that was not there, or is of another kind', async () => {
    const { live, reload } = sick();
    for (let n = 0; n < 4; n += 1) await live.check(login);
    await reload([defaultApi]);
    expect(modesOf(live)).toEqual(['api NORMAL']);
    await reload();
    expect(modesOf(live)).toEqual(['login NORMAL', 'api NORMAL']);
    for (let n = 0; n < 4; n += 1) await live.check(login);
    await reload([{ ...defaultApi, name: 'login' }]);
    expect(modesOf(live)).toEqual(['login NORMAL']);
    await live.close();
  });
});

/** How many arguments each call has that is passed on as it is; `attempt`, `on` and `close` have tests of their own. */
const passedOn: Readonly<Record<Exclude<keyof Guard, 'attempt' | 'on' | 'close'>, number>> = {
  check: 2,
  fail: 2,
  succeed: 2,
  recheck: 1,
  withdraw: 1,
  consume: 3,
  explain: 2,
  blocks: 1,
  lift: 2,
  place: 2,
  forgetDevice: 3,
  audit: 0,
  modes: 0,
};

it.each(Object.entries(passedOn))('passes on all that %s is given', (name, count) => {
  const heard: unknown[][] = [];
  const guard = new Proxy({} as Guard, {
    get:
      () =>
      (...args: unknown[]) =>
        heard.push(args),
  });
  const args = Array.from({ length: count }, (_, place) => ({ place }));
  const call = new LiveGuard(guard)[name as keyof typeof passedOn] as (...args: unknown[]) => unknown;
  call(...args);
  expect(heard).toEqual([args]);
});
