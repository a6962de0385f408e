import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/core/decision.ts';
import type { GuardRequest } from '../../src/guard/signals.ts';
import { api, login, MINUTE, openSickGuard, otp, SECOND, type SickGuard, tripLogin } from './sick-guard.ts';

type Operation = 'check' | 'fail' | 'succeed';

async function openDegraded(): Promise<SickGuard> {
  const sick = openSickGuard();
  await tripLogin(sick);
  return sick;
}

async function outcomes({ guard }: SickGuard, op: Operation, requests: readonly GuardRequest[]) {
  const decisions: Decision[] = [];
  for (const request of requests) decisions.push(await guard[op](request));
  return decisions.map(({ outcome }) => outcome);
}

const allow = (count: number) => Array<string>(count).fill('ALLOW');

describe('degraded caps of login', () => {
  test('let 3 attempts on an account through within 10 min', async () => {
    const sick = await openDegraded();
    const everywhere = Array.from({ length: 5 }, (_, index) => login('a1', `203.0.113.${index}`));
    expect(await outcomes(sick, 'check', everywhere)).toEqual([...allow(3), 'HARD_BLOCK', 'HARD_BLOCK']);
    await sick.clock.advance(10 * MINUTE - 1);
    expect(await outcomes(sick, 'check', [login()])).toEqual(['HARD_BLOCK']);
    await sick.clock.advance(1);
    expect(await outcomes(sick, 'check', [login()])).toEqual(['ALLOW']);
  });

  test('let 20 attempts from a network through within 10 min', async () => {
    const sick = await openDegraded();
    const requests = Array.from({ length: 21 }, (_, index) => login(`a${index}`));
    expect(await outcomes(sick, 'check', requests)).toEqual([...allow(20), 'HARD_BLOCK']);
  });

  test('answer in full: level 2, rule degraded, one reason for each cap that is reached', async () => {
    const sick = await openDegraded();
    for (let index = 0; index < 17; index += 1) await sick.guard.check(login(`a${index}`));
    for (let index = 0; index < 3; index += 1) await sick.guard.check(login('a1x'));
    const until = sick.clock.now() + 60 * SECOND;
    const reason = { rule: 'degraded', outcome: 'HARD_BLOCK', level: 2, until };
    expect(await sick.guard.check(login('a1x'))).toEqual({
      outcome: 'HARD_BLOCK',
      level: 2,
      until,
      retryAfterMs: 60 * SECOND,
      rule: 'degraded',
      scope: 'K4',
      deferred: false,
      mode: 'DEGRADED',
      reasons: [
        { ...reason, scope: 'K4' },
        { ...reason, scope: 'K1' },
      ],
    });
    const caps = sick.told.filter(({ name }) => name === 'cap').map(({ event }) => event);
    expect(caps).toEqual([
      {
        at: sick.clock.now(),
        policy: 'login',
        op: 'check',
        mode: 'DEGRADED',
        outcome: 'HARD_BLOCK',
        scopes: ['K4', 'K1'],
      },
    ]);
  });

  test('count an attempt once: check and its fail are one', async () => {
    const sick = await openDegraded();
    const seen: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      seen.push(...(await outcomes(sick, 'check', [login()])), ...(await outcomes(sick, 'fail', [login()])));
    }
    expect(seen).toEqual(allow(6));
    expect(await outcomes(sick, 'check', [login()])).toEqual(['HARD_BLOCK']);
  });

  test('count a fail that no check has announced', async () => {
    const sick = await openDegraded();
    expect(await outcomes(sick, 'fail', Array(4).fill(login()))).toEqual([...allow(3), 'HARD_BLOCK']);
  });

  test.each<[string, Partial<GuardRequest>]>([
    ['another network', { ip: '203.0.113.99' }],
    ['another agent', { ua: 'Mozilla/5.0 Firefox/130.0' }],
    ['another device', { device: { id: 'd2', confidence: 'MEDIUM' } }],
    ['no device', { device: null }],
  ])('let a check pay for no attempt from %s', async (_, other) => {
    const sick = await openDegraded();
    const checked: GuardRequest = { ...login(), device: { id: 'd1', confidence: 'MEDIUM' } };
    expect(await outcomes(sick, 'check', [checked, checked])).toEqual(allow(2));
    const unannounced = { ...checked, ...other };
    expect(await outcomes(sick, 'fail', [unannounced, unannounced])).toEqual(['ALLOW', 'HARD_BLOCK']);
    expect(await outcomes(sick, 'fail', [checked, checked])).toEqual(allow(2));
  });

  test('count an attempt once where another factor follows', async () => {
    const sick = await openDegraded();
    const attempt = () => sick.guard.attempt(login(), () => 'the user', { isLastFactor: false });
    const allowed: boolean[] = [];
    for (let index = 0; index < 4; index += 1) allowed.push((await attempt()).allowed);
    expect(allowed).toEqual([true, true, true, false]);
  });

  test('count what was checked before the breaker tripped, and refuse the success that comes too late', async () => {
    const sick = openSickGuard();
    for (let index = 0; index < 5; index += 1) await sick.guard.check(login());
    await tripLogin(sick);
    expect(await outcomes(sick, 'fail', Array(3).fill(login()))).toEqual(allow(3));
    expect(await outcomes(sick, 'succeed', [login()])).toEqual(['HARD_BLOCK']);
  });

  test('count an attempt at its check, also where its credentials could not be looked at', async () => {
    const sick = await openDegraded();
    const verify = () => Promise.reject(new Error('the database is away as well'));
    for (let index = 0; index < 3; index += 1) {
      await expect(sick.guard.attempt(login(), verify)).rejects.toThrow('as well');
    }
    expect(await sick.guard.attempt(login(), verify)).toMatchObject({ allowed: false });
  });

  test('are not reset by successes', async () => {
    const sick = await openDegraded();
    for (let index = 0; index < 3; index += 1) {
      expect(await outcomes(sick, 'check', [login()])).toEqual(['ALLOW']);
      expect(await outcomes(sick, 'succeed', [login()])).toEqual(['ALLOW']);
    }
    expect(await outcomes(sick, 'check', [login()])).toEqual(['HARD_BLOCK']);
  });

  test('are not used up by attempts that were refused', async () => {
    const sick = await openDegraded();
    await outcomes(sick, 'check', Array(3).fill(login()));
    for (let minute = 0; minute < 10; minute += 1) {
      expect(await outcomes(sick, 'check', [login()])).toEqual(['HARD_BLOCK']);
      await sick.clock.advance(MINUTE);
    }
    expect(await outcomes(sick, 'check', Array(3).fill(login()))).toEqual(allow(3));
  });

  test('hold from one degraded epoch to the next, and an old check pays for no new attempt', async () => {
    const sick = openSickGuard();
    await tripLogin(sick);
    sick.store.trouble(null);
    await sick.clock.advance(4 * MINUTE);
    expect(await outcomes(sick, 'check', Array(2).fill(login()))).toEqual(allow(2));
    await sick.clock.advance(MINUTE);
    expect(sick.guard.modes()[0]?.mode).toBe('NORMAL');
    await tripLogin(sick);
    expect(await outcomes(sick, 'fail', Array(2).fill(login()))).toEqual(['ALLOW', 'HARD_BLOCK']);
  });

  test('write nothing: the store holds after an outage what it held before', async () => {
    const sick = openSickGuard();
    const request = { ...login(), device: { id: 'd1', confidence: 'MEDIUM' } } as const;
    await sick.guard.fail(request);
    const before = await sick.guard.explain(request);
    await tripLogin(sick);
    for (let index = 0; index < 10; index += 1) await sick.guard.fail(request);
    sick.store.trouble(null);
    await sick.clock.advance(6 * MINUTE);
    expect((await sick.guard.explain(request)).keys).toEqual(before.keys);
    expect((await sick.guard.check(request)).mode).toBe('NORMAL');
  });
});

describe('degraded caps of otp', () => {
  test('let 2 attempts on an account and 10 from a network through within 15 min', async () => {
    const sick = openSickGuard();
    sick.store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    await outcomes(sick, 'check', Array(3).fill(otp('other', '198.51.100.1')));
    expect(await outcomes(sick, 'check', Array(3).fill(otp()))).toEqual([...allow(2), 'HARD_BLOCK']);
    const others = Array.from({ length: 9 }, (_, index) => otp(`b${index}`));
    expect(await outcomes(sick, 'check', others)).toEqual([...allow(8), 'HARD_BLOCK']);
    await sick.clock.advance(15 * MINUTE - 1);
    expect(await outcomes(sick, 'check', [otp()])).toEqual(['HARD_BLOCK']);
    await sick.clock.advance(1);
    expect(await outcomes(sick, 'check', [otp()])).toEqual(['ALLOW']);
  });
});

describe('guardrails of api', () => {
  async function calls({ guard }: SickGuard, count: number, request: GuardRequest) {
    const decisions: Decision[] = [];
    for (let index = 0; index < count; index += 1) decisions.push(await guard.consume(request));
    return decisions;
  }

  test('slow an agent down after 60 calls in a minute, a network after 120', async () => {
    const sick = openSickGuard();
    sick.store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    const first = await calls(sick, 61, api());
    expect(first.map(({ outcome }) => outcome)).toEqual([...allow(60), 'SOFT_BLOCK']);
    expect(first.every(({ mode }) => mode === 'FAIL_OPEN')).toBe(true);
    const until = sick.clock.now() + 15 * SECOND;
    expect(first.at(-1)?.reasons).toEqual([
      { rule: 'degraded', scope: 'K2', outcome: 'SOFT_BLOCK', level: 1, until },
    ]);
    const second = await calls(sick, 61, api(undefined, 'Mozilla/5.0 Firefox/131.0'));
    expect(second.at(-1)?.reasons.map(({ scope }) => scope)).toEqual(['K2', 'K1']);
    expect((await calls(sick, 1, api(undefined, 'Mozilla/5.0 Firefox/132.0')))[0]?.scope).toBe('K1');
    await sick.clock.advance(MINUTE);
    expect((await calls(sick, 1, api()))[0]).toMatchObject({ outcome: 'ALLOW', mode: 'FAIL_OPEN' });
  });

  test('are shown by check, which takes nothing', async () => {
    const sick = openSickGuard();
    sick.store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    expect(await outcomes(sick, 'check', Array(100).fill(api()))).toEqual(allow(100));
    await calls(sick, 60, api());
    expect(await outcomes(sick, 'check', [api()])).toEqual(['SOFT_BLOCK']);
  });
});

describe('many subjects', () => {
  test('beyond 4096 share one', async () => {
    const sick = await openDegraded();
    // The breaker was tripped by one admitted attempt: the third of its failures.
    for (let index = 0; index < 4095; index += 1) {
      const address = `10.${index >> 12}.${(index >> 6) & 63}.${index & 63}`;
      await sick.guard.check(login(`account ${index}`, address));
    }
    const late = Array.from({ length: 4 }, (_, index) => login(`late ${index}`, '10.0.0.1'));
    expect(await outcomes(sick, 'check', late)).toEqual([...allow(3), 'HARD_BLOCK']);
    expect(await outcomes(sick, 'check', [login('account 0', '10.0.0.1')])).toEqual(['ALLOW']);
  });
});
