import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/core/fault.ts';
import { api, login, MINUTE, openSickGuard, otp, SECOND, tripLogin } from './sick-guard.ts';

const failed = { kind: 'fault', code: 'STORE_FAILED' } as const;

describe('before the breaker trips', () => {
  test.each([
    ['login', login()],
    ['otp', otp()],
  ])('%s is closed', async (_, request) => {
    const { guard, store, clock } = openSickGuard();
    store.trouble(failed);
    const until = clock.now() + 60 * SECOND;
    const reason = { rule: 'store', scope: 'K4', outcome: 'HARD_BLOCK', level: 2, until };
    for (const op of ['check', 'fail'] as const) {
      expect(await guard[op](request)).toEqual({
        outcome: 'HARD_BLOCK',
        level: 2,
        until,
        retryAfterMs: 60 * SECOND,
        rule: 'store',
        scope: 'K4',
        deferred: false,
        mode: 'FAIL_CLOSED',
        reasons: [reason],
      });
    }
    expect(guard.modes().every(({ mode }) => mode === 'NORMAL')).toBe(true);
  });

  test('a success is refused: nobody gets in unseen', async () => {
    const { guard, store } = openSickGuard();
    store.trouble((call) => (call === 'transact' ? failed : null));
    const request = { ...login(), device: { id: 'd1', confidence: 'MEDIUM' } } as const;
    const result = await guard.attempt(request, () => 'the user');
    expect(result).toMatchObject({
      allowed: false,
      value: null,
      decision: { mode: 'FAIL_CLOSED', rule: 'store' },
    });
  });

  test('a success that the store could not take is one failure of it, and no guess', async () => {
    const { guard, store } = openSickGuard();
    store.trouble((call) => (call === 'transact' ? failed : null));
    const request = { ...login(), device: { id: 'd1', confidence: 'MEDIUM' } } as const;
    for (let index = 0; index < 2; index += 1) {
      expect(await guard.attempt(request, () => 'the user')).toMatchObject({ allowed: false });
    }
    expect(store.calls).toMatchObject({ view: 4, transact: 2 });
    expect(guard.modes()[0]?.mode).toBe('NORMAL');
  });

  test('api stays open under its guardrails, and says so', async () => {
    const { guard, store } = openSickGuard();
    store.trouble(failed);
    expect(await guard.consume(api())).toMatchObject({ outcome: 'ALLOW', mode: 'FAIL_OPEN' });
    expect(guard.modes().find(({ policy }) => policy === 'api')?.mode).toBe('NORMAL');
  });

  test('failures further apart than 10 s never trip it', async () => {
    const { guard, store, clock } = openSickGuard();
    store.trouble(failed);
    for (let index = 0; index < 20; index += 1) {
      expect(await guard.check(login())).toMatchObject({ mode: 'FAIL_CLOSED', rule: 'store' });
      await clock.advance(5 * SECOND);
    }
    store.trouble(null);
    expect(await guard.check(login())).toMatchObject({ outcome: 'ALLOW', mode: 'NORMAL' });
  });
});

describe('why a policy is where it is', () => {
  test('is told while it is not on its store, and not before and after', async () => {
    const sick = openSickGuard();
    const fault = () => sick.guard.modes()[0]?.fault;
    sick.store.trouble({ kind: 'fault', code: 'STORE_FULL' });
    await sick.guard.check(login());
    expect(fault()).toBeNull();
    await tripLogin(sick);
    expect(fault()).toBe('STORE_FAILED');
    sick.store.trouble(null);
    await sick.clock.advance(6 * MINUTE);
    expect(fault()).toBeNull();
  });
});

describe('the deadline', () => {
  test('makes a failure of a store that does not answer in 50 ms', async () => {
    const { guard, store, clock } = openSickGuard();
    store.trouble({ kind: 'late', delayMs: 51 });
    const startedAt = clock.now();
    expect(await clock.complete(guard.check(login()))).toMatchObject({ mode: 'FAIL_CLOSED' });
    expect(clock.now() - startedAt).toBe(50);
  });

  test('waits for one that answers in time', async () => {
    const { guard, store, clock } = openSickGuard();
    store.trouble({ kind: 'late', delayMs: 49 });
    expect(await clock.complete(guard.check(login()))).toMatchObject({ mode: 'NORMAL' });
  });

  test('is for the whole operation, and nothing of it reaches the store afterwards', async () => {
    const { guard, store, clock } = openSickGuard();
    store.trouble((call) => ({ kind: 'late', delayMs: call === 'view' ? 60 : 0 }));
    expect(await clock.complete(guard.fail(login()))).toMatchObject({ mode: 'FAIL_CLOSED' });
    await clock.advance(SECOND);
    expect(store.calls).toEqual({ view: 1, transact: 0, ping: 0 });
  });

  test('can be left to the store', async () => {
    const { guard, store, clock } = openSickGuard({ deadlineMs: null });
    store.trouble({ kind: 'late', delayMs: 5_000 });
    expect(await clock.complete(guard.check(login()))).toMatchObject({ mode: 'NORMAL' });
  });
});

describe('three failures within 10 s', () => {
  test('trip the breaker: the store is called no more, except by a probe every 5 s', async () => {
    const sick = openSickGuard();
    await tripLogin(sick);
    const { guard, store, clock } = sick;
    expect(store.calls).toEqual({ view: 3, transact: 0, ping: 0 });
    for (let minute = 0; minute < 4; minute += 1) {
      for (const op of ['check', 'fail', 'succeed'] as const) await guard[op](login(`b${minute}`));
      await clock.advance(MINUTE);
    }
    expect(store.calls).toEqual({ view: 3, transact: 0, ping: 4 * 12 });
  });

  test('are answered by the mode they lead to, the third one by the caps', async () => {
    const { guard, store } = openSickGuard();
    store.trouble(failed);
    const modes = [];
    for (let index = 0; index < 4; index += 1) modes.push((await guard.check(login(`a${index}`))).mode);
    expect(modes).toEqual(['FAIL_CLOSED', 'FAIL_CLOSED', 'DEGRADED', 'DEGRADED']);
  });

  test('trip one policy only', async () => {
    const sick = openSickGuard();
    await tripLogin(sick);
    expect(sick.guard.modes().map(({ policy, mode }) => [policy, mode])).toEqual([
      ['login', 'DEGRADED'],
      ['otp', 'NORMAL'],
      ['api', 'NORMAL'],
    ]);
  });

  test('keep the rest of an operation that is under way from the store', async () => {
    const sick = openSickGuard();
    sick.store.trouble((call) => ({ kind: 'late', delayMs: call === 'view' ? 20 : 0 }));
    const underWay = sick.guard.fail(login());
    await tripLogin(sick);
    await sick.clock.advance(SECOND);
    expect((await underWay).mode).toBe('DEGRADED');
    expect(sick.store.calls.transact).toBe(0);
  });

  test.each(['STORE_FAILED', 'STORE_TIMEOUT', 'STORE_CONFLICT', 'STORE_FULL', 'STORE_CLOSED'] as const)(
    'may be of code %s',
    async (code) => {
      const { guard, store } = openSickGuard();
      store.trouble({ kind: 'fault', code });
      for (let index = 0; index < 3; index += 1) await guard.check(login(`a${index}`));
      expect(guard.modes()[0]).toMatchObject({ policy: 'login', mode: 'DEGRADED' });
    },
  );
});

describe('what is not a failure of the store', () => {
  test('is thrown and trips nothing: a corrupt record, and it is told', async () => {
    const { guard, store, told } = openSickGuard();
    store.trouble({ kind: 'fault', code: 'RECORD_CORRUPT' });
    for (let index = 0; index < 5; index += 1) {
      await expect(guard.check(login())).rejects.toMatchObject({ code: 'RECORD_CORRUPT' });
    }
    expect(told).toEqual(
      Array(5).fill({ name: 'corrupt', event: { policy: 'login', op: 'check', setAside: 0 } }),
    );
    store.trouble(null);
    expect((await guard.check(login())).mode).toBe('NORMAL');
  });

  test('is thrown and trips nothing: a bug', async () => {
    const { guard, store, told } = openSickGuard();
    const bug = new TypeError('a bug');
    store.trouble(() => {
      throw bug;
    });
    for (let index = 0; index < 5; index += 1) await expect(guard.check(login())).rejects.toBe(bug);
    expect(told).toEqual([]);
  });

  test('is thrown although the breaker is open: misuse', async () => {
    const sick = openSickGuard();
    await tripLogin(sick);
    await expect(sick.guard.consume(login())).rejects.toBeInstanceOf(Fault);
    await expect(sick.guard.check({ ...login(), ip: 'nowhere' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });
});

describe('a guard that is closed', () => {
  test('probes no more and refuses to decide', async () => {
    const sick = openSickGuard();
    await tripLogin(sick);
    const { guard, clock, store } = sick;
    await clock.advance(11 * SECOND);
    await guard.close();
    await clock.advance(10 * MINUTE);
    expect(store.calls.ping).toBe(2);
    await expect(guard.check(login())).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  test('lets what is under way trip no breaker', async () => {
    const { guard, clock, store, told } = openSickGuard();
    store.trouble({ kind: 'lose-request' });
    const underWay = [0, 1, 2, 3].map((index) => guard.check(login(`a${index}`)));
    await guard.close();
    await clock.advance(MINUTE);
    for (const decision of await Promise.all(underWay))
      expect(decision).toMatchObject({ outcome: 'HARD_BLOCK', rule: 'store', mode: 'FAIL_CLOSED' });
    expect([told, store.calls.ping]).toEqual([[], 0]);
  });
});
