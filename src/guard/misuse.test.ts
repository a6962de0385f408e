import { describe, expect, it } from 'vitest';
import { defaultApi, defaultLogin } from '../core/policy.ts';
import { createGuard, type Guard, type GuardOptions } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { AttemptOptions } from './attempt.ts';
import type { GuardEvents, Listener } from './events.ts';
import type { OperationTime } from './guard.ts';
import type { Placement } from './operator-calls.ts';
import type { GuardRequest } from './signals.ts';

const secret = 'a secret of the tests';
const request = { action: 'auth.login', account: 'a1', ip: '192.0.2.1' };

describe('the options of a guard', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ windowMs: 60_000 }, 'windowMs is no option of a guard: there are secret, previousSecret, store, '],
    [{ previousSecret: 'short' }, 'previousSecret must have at least 16 bytes, got 5'],
    [{ store: 'redis://127.0.0.1' }, 'store must be a store, got a string of 17 characters'],
    [{ store: Promise.resolve() }, 'store must be a store, got an object'],
    [{ store: null }, 'store must be a store, got null'],
    [{ store: createMemoryStore().immediate }, 'store must be a store, got an object without ping'],
    [{ store: createGuard({ secret }) }, 'store must be a store, got an object without view'],
    [{ policies: {} }, 'policies must be a list, got an object'],
    [{ policies: [{ ...defaultLogin, kind: 'login' }] }, 'policies[0].kind must be "credential" or "rate"'],
    [
      { policies: [{ ...defaultLogin, ownerLane: 'no' }] },
      'policies[0].ownerLane must be a boolean, got a string',
    ],
    [{ policies: [{ ...defaultLogin, budget: null }] }, 'policies[0].budget must be an object, got null'],
    [
      { policies: [defaultApi, { ...defaultLogin, score: { ...defaultLogin.score, softFrom: Number.NaN } }] },
      'policies[1].score.softFrom must be a whole number of at least 0, got the number NaN',
    ],
    [
      { policies: [{ ...defaultLogin, ladder: { ...defaultLogin.ladder, durationsMs: [15_000, 0.5] } }] },
      'policies[0].ladder.durationsMs[1] must be a whole number of at least 0, got the number 0.5',
    ],
    [
      { policies: [{ ...defaultApi, limits: { minor: 10, moderate: 20 } }] },
      'policies[0].limits.severe must be a whole number of at least 0, got nothing',
    ],
    [{ policies: ['login'] }, 'policies[0] must be a policy with a name and actions, got a string of 5'],
    [
      { policies: [{ name: 'login' }] },
      'policies[0] must be a policy with a name and actions, got an object',
    ],
    [{ environment: 5 }, 'environment must be 1 to 64 letters'],
    [{ failure: 'closed' }, 'failure must be an object, got a string of 6 characters'],
    [{ failure: { deadline: 5 } }, 'deadline is no option of failure: there are deadlineMs, nodes, '],
    [
      { failure: { breaker: { trips: 5 } } },
      'trips is no option of failure.breaker: there are tripFailures, ',
    ],
    [{ failure: { caps: { login: 5 } } }, 'failure.caps.login must be a list, got an integer of 1 digit'],
    [{ failure: { caps: { login: [5] } } }, 'failure.caps.login[0].count must be'],
    [
      { failure: { caps: { login: [{ scope: 'account', count: 1, windowMs: 1 }] } } },
      'caps.login[0].scope must be',
    ],
    [{ failure: { pinned: 'closed' } }, 'pinned must be a function'],
    [{ failure: { clock: Date.now } }, 'clock must be an object, got a function'],
  ])('are refused by name: %j', (options, message) => {
    expect(() => createGuard({ secret, ...options } as GuardOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });
});

describe('a guard that is misused', () => {
  it.each([null, undefined, 'a1', [request]])('says so of a request that is %j', async (nothing) => {
    const guard = createGuard({ secret });
    const given = nothing as unknown as GuardRequest;
    for (const asked of [guard.check(given), guard.fail(given), guard.explain(given)]) {
      await expect(asked).rejects.toMatchObject({ code: 'INPUT_INVALID', message: /request must be/ });
    }
  });

  it.each(['acount', 'userAgent', 'deviceId', 'constructor'])(
    'says so of a request with the field "%s", which would not count',
    async (field) => {
      const guard = createGuard({ secret });
      await guard.check({ ...request, ip: '192.0.2.2' });
      const given = { ...request, [field]: 'what is meant for another field' };
      const message = `${field} is no field of a request: there are action, account, ip, ua, device`;
      const note = { by: 'tests', why: 'as told', level: 1, scope: 'K1' } as const;
      const call = { ...given, action: 'api.heavy' };
      for (const asked of [
        guard.check(given),
        guard.fail(given),
        guard.succeed(given),
        guard.attempt(given, () => true),
        guard.consume(call),
        guard.explain(given),
        guard.place(given, note),
      ]) {
        await expect(asked).rejects.toMatchObject({ code: 'INPUT_INVALID', message });
      }
    },
  );

  it('says so of a field that there is not where everything else of the request was seen before', async () => {
    const guard = createGuard({ secret });
    const seen = { ...request, ua: 'Mozilla/5.0' };
    await guard.check(seen);
    const given = { ...seen, devise: { id: 'd1', confidence: 'HIGH' } };
    for (const asked of [guard.check(given), guard.fail(given), guard.attempt(given, () => true)]) {
      await expect(asked).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        message: /^devise is no field of a request/,
      });
    }
  });

  it('says so of a time by another name, which would be the present', async () => {
    const guard = createGuard({ secret });
    const time = { t: 5 } as OperationTime;
    for (const asked of [guard.check(request, time), guard.explain(request, time)]) {
      await expect(asked).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        message: 't is no field of a time: there is at',
      });
    }
  });

  it.each([
    ['account', { account: 'a\ud800' }],
    ['account', { account: '\udc00\ud800' }],
    ['device.id', { device: { id: 'd\udfff', confidence: 'LOW' } as const }],
  ])('takes no %s that UTF-8 cannot tell from others', async (field, signals) => {
    const guard = createGuard({ secret });
    const message = `${field} must not contain half of a surrogate pair`;
    const given = { ...request, ...signals };
    for (const asked of [guard.check(given), guard.fail(given), guard.explain(given)]) {
      await expect(asked).rejects.toMatchObject({ code: 'INPUT_INVALID', message });
    }
  });

  it('takes whole characters outside of the first plane, and any user agent', async () => {
    const guard = createGuard({ secret });
    const device = { id: '\u{1f512}', confidence: 'LOW' } as const;
    const asked = guard.check({ ...request, account: 'a\u{1f600}', device, ua: 'Half/1 \ud83d' });
    await expect(asked).resolves.toMatchObject({ outcome: 'ALLOW' });
  });

  it.each([1.5, -1, Number.NaN, 2 ** 53, '5', null])('takes no time that is %j', async (given) => {
    const guard = createGuard({ secret });
    const time = { at: given as number };
    const call = { action: 'api.heavy', ip: '192.0.2.1' };
    for (const asked of [
      guard.check(request, time),
      guard.fail(request, time),
      guard.succeed(request, time),
      guard.consume(call, 1, time),
      guard.explain(request, time),
    ]) {
      await expect(asked).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        message: /^at must be whole milliseconds from 0 on, got /,
      });
    }
    expect(await guard.fail(request, { at: 0 })).toMatchObject({ mode: 'NORMAL' });
  });

  it.each([5, null, 'now'])('takes no time in place of an object: %j', async (given) => {
    const guard = createGuard({ secret });
    const time = given as unknown as OperationTime;
    const message = /^time must be an object with at, got /;
    for (const asked of [guard.check(request, time), guard.explain(request, time)]) {
      await expect(asked).rejects.toMatchObject({ code: 'INPUT_INVALID', message });
    }
  });

  it.each<[Record<string, unknown>, string]>([
    [{ isLastFactor: 'false' }, 'isLastFactor must be true or false, got a string of 5 characters'],
    [{ lastFactor: false }, 'lastFactor is no option of an attempt: there are isLastFactor'],
  ])('looks at nothing where an attempt has the options %j', async (given, message) => {
    const guard = createGuard({ secret });
    let looked = false;
    const verify = () => {
      looked = true;
      return true;
    };
    const attempt = guard.attempt(request, verify, given as AttemptOptions);
    await expect(attempt).rejects.toMatchObject({ code: 'INPUT_INVALID', message });
    expect(looked).toBe(false);
  });

  it.each<[string, (guard: Guard, nothing: undefined) => Promise<unknown>]>([
    ['lift', (guard, nothing) => guard.lift(`login:K4:${'a'.repeat(22)}`, nothing as unknown as Placement)],
    ['forgetDevice', (guard, nothing) => guard.forgetDevice('a1', 'd1', nothing as unknown as Placement)],
    ['place', (guard, nothing) => guard.place(request, nothing as unknown as Placement)],
  ])('does nothing at %s where nobody says who and why', async (_, act) => {
    const guard = createGuard({ secret });
    await expect(act(guard, undefined)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: /must be an object with .*by and why, got nothing$/,
    });
  });

  it.each<[unknown, unknown, string]>([
    [undefined, 'd1', 'account must be a string that is not empty, got nothing'],
    ['a1', '', 'device.id must be a string that is not empty, got an empty string'],
  ])('forgets no device of %j with the id %j', async (account, id, message) => {
    const guard = createGuard({ secret });
    const asked = guard.forgetDevice(account as string, id as string, { by: 'alice', why: 'lost' });
    await expect(asked).rejects.toMatchObject({ code: 'INPUT_INVALID', message });
  });

  it('looks at nothing where an attempt has no way to verify', async () => {
    const guard = createGuard({ secret });
    const decisions: unknown[] = [];
    guard.on('decision', (event) => decisions.push(event));
    const verify = undefined as unknown as () => true;
    await expect(guard.attempt(request, verify)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: 'verify must be a function, got nothing',
    });
    expect(decisions).toEqual([]);
  });

  it('looks at nothing where a policy is not about credentials', async () => {
    const guard = createGuard({ secret });
    const looked: string[] = [];
    const attempt = guard.attempt({ ...request, action: 'api.heavy' }, () => looked.push('at the password'));
    await expect(attempt).rejects.toMatchObject({
      code: 'OPERATION_UNKNOWN',
      message: 'the policy "api" has no operation "fail"',
    });
    expect(looked).toEqual([]);
  });

  it.each(['decisions', 'toString'])('knows no event that is not told: %s', (name) => {
    const guard = createGuard({ secret });
    expect(() => guard.on(name as keyof GuardEvents, () => {})).toThrow(
      /^event must be one of decision, audit, .*, listenerFault, got a string of \d characters$/,
    );
  });

  it('takes no listener that cannot listen', () => {
    const guard = createGuard({ secret });
    const deaf = undefined as unknown as Listener<unknown>;
    expect(() => guard.on('decision', deaf)).toThrow('listener must be a function, got nothing');
  });
});
