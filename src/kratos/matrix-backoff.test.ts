import { describe, expect, it } from 'vitest';
import { createGuard } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { createFaultyStore } from '../testing/faulty-store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import type { LoginOutcome } from './events.ts';
import type { LoginAttempt } from './login-backoff.ts';
import { MatrixBackoff, type MatrixBackoffOptions } from './matrix-backoff.ts';
import type { Allowed, Verdict } from './verdict.ts';

function scene(options: Omit<MatrixBackoffOptions, 'guard'> = {}) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const store = createFaultyStore(createMemoryStore({ clock: () => clock.now() }), clock);
  const guard = createGuard({ secret: 'a secret for tests only', store, failure: { clock } });
  return { clock, store, guard, backoff: new MatrixBackoff({ guard, ...options }) };
}

const login = (ip: string, identifier = 'alice@example.com'): LoginAttempt => ({
  identifiers: [identifier],
  guesses: ['password'] as const,
  hasCredential: true,
  provesIdentifier: true,
  ip,
  ua: null,
});

describe('logins at once, over the engine', () => {
  it.each([
    ['which is right', 'success'],
    ['which is wrong', 'failure'],
  ] satisfies [string, LoginOutcome][])(
    'say of one that a block has overtaken no word on %s',
    async (_, outcome) => {
      const { guard, backoff } = scene();
      const overtaken = login('192.0.2.200');
      const verdict = await backoff.attempt(overtaken);
      if (!verdict.allowed) expect.unreachable();
      for (let guess = 0; guess < 3; guess += 1)
        await backoff.settle(login(`192.0.2.${guess}`), verdict, 'failure');
      expect(await backoff.settle(overtaken, verdict, outcome)).toMatchObject({
        allowed: false,
        reason: 'identifier',
        retryAfterSeconds: 300,
      });
      const elsewhere = { action: 'auth.login', account: 'bob@example.com', ip: '192.0.2.200' };
      expect(await guard.fail(elsewhere)).toMatchObject({ outcome: 'HARD_BLOCK', level: 2, scope: 'K2' });
    },
  );

  it('charge nobody for one that a block has overtaken and that guessed at nothing', async () => {
    const { guard, backoff } = scene();
    const overtaken = { ...login('192.0.2.200'), hasCredential: false };
    const verdict = admitted(await backoff.attempt(overtaken));
    for (let guess = 0; guess < 3; guess += 1)
      await backoff.settle(login(`192.0.2.${guess}`), verdict, 'failure');
    expect(await backoff.settle(overtaken, verdict, 'likely-success')).toMatchObject({ allowed: false });
    const elsewhere = { action: 'auth.login', account: 'bob@example.com', ip: '192.0.2.200' };
    expect(await guard.fail(elsewhere)).toMatchObject({ outcome: 'ALLOW' });
  });

  it('leave the answer to Kratos where no block ran before it', async () => {
    const { backoff } = scene();
    const verdict = await backoff.attempt(login('192.0.2.1'));
    if (!verdict.allowed) expect.unreachable();
    const answers = await Promise.all(
      [1, 2, 3].map((host) => backoff.settle(login(`192.0.2.${host}`), verdict, 'failure')),
    );
    expect(answers).toEqual([null, null, null]);
  });
});

const sick = { kind: 'fault', code: 'STORE_FAILED' } as const;

function admitted(verdict: Verdict): Allowed {
  return verdict.allowed ? verdict : expect.unreachable('The attempt was to be let through.');
}

describe('the engine in front of Kratos, with its store away', () => {
  it('lets nobody pass at first, then as many as the local caps allow', async () => {
    const { store, backoff } = scene();
    store.trouble(sick);
    for (let failure = 0; failure < 2; failure += 1)
      expect(await backoff.attempt(login('192.0.2.1'))).toEqual({
        allowed: false,
        reason: 'store',
        retryAfterSeconds: 60,
        mode: 'FAIL_CLOSED',
      });
    const verdicts = [];
    for (let host = 0; host < 4; host += 1) verdicts.push(await backoff.attempt(login(`192.0.2.${host}`)));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
    expect(verdicts[3]).toMatchObject({ reason: 'identifier', mode: 'DEGRADED' });
    expect(backoff.status()).toMatchObject({ mode: 'DEGRADED', fault: 'STORE_FAILED' });
  });

  it('takes what Kratos never got back from the local caps, once', async () => {
    const { store, backoff } = scene();
    store.trouble(sick);
    for (let failure = 0; failure < 2; failure += 1) await backoff.attempt(login('192.0.2.1'));
    for (let attempt = 0; attempt < 30; attempt += 1) {
      const verdict = admitted(await backoff.attempt(login('192.0.2.1')));
      expect(await backoff.settle(login('192.0.2.1'), verdict, 'undelivered')).toBeNull();
    }
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const verdict = admitted(await backoff.attempt(login('192.0.2.1')));
      expect(await backoff.settle(login('192.0.2.1'), verdict, 'failure')).toBeNull();
      await backoff.settle(login('192.0.2.1'), verdict, 'undelivered');
    }
    expect(await backoff.attempt(login('192.0.2.1'))).toMatchObject({ allowed: false, reason: 'identifier' });
  });

  it('takes nothing back that the caps have not counted', async () => {
    const { store, backoff } = scene();
    const before = admitted(await backoff.attempt(login('192.0.2.1')));
    store.trouble(sick);
    for (let failure = 0; failure < 2; failure += 1) await backoff.attempt(login('192.0.2.1'));
    for (let attempt = 0; attempt < 3; attempt += 1) admitted(await backoff.attempt(login('192.0.2.1')));
    await backoff.settle(login('192.0.2.1'), before, 'undelivered');
    expect(await backoff.attempt(login('192.0.2.1'))).toMatchObject({ allowed: false, reason: 'identifier' });
  });

  it.each(['success', 'likely-success', 'failure'] satisfies LoginOutcome[])(
    'refuses in the same words a login that it could not note: %s',
    async (outcome) => {
      const { store, backoff } = scene();
      const verdict = admitted(await backoff.attempt(login('192.0.2.1')));
      store.trouble(sick);
      expect(await backoff.settle(login('192.0.2.1'), verdict, outcome)).toEqual({
        allowed: false,
        reason: 'store',
        retryAfterSeconds: 60,
        mode: 'FAIL_CLOSED',
      });
    },
  );

  it('asks the store for a success once: what fails without it is no guess', async () => {
    const { store, backoff } = scene();
    const verdict = admitted(await backoff.attempt(login('192.0.2.1')));
    store.trouble(sick);
    const calls = store.calls.view;
    await backoff.settle(login('192.0.2.1'), verdict, 'success');
    expect(store.calls.view - calls).toBe(1);
  });

  it('counts a login once on the local caps, however it ends', async () => {
    const { store, backoff } = scene();
    store.trouble(sick);
    for (let failure = 0; failure < 3; failure += 1) await backoff.attempt(login('192.0.2.1', 'nobody'));
    for (const outcome of ['failure', 'success', 'unknown'] as const) {
      const verdict = admitted(await backoff.attempt(login('192.0.2.9')));
      expect(await backoff.settle(login('192.0.2.9'), verdict, outcome)).toBeNull();
    }
    expect(await backoff.attempt(login('192.0.2.9'))).toMatchObject({ allowed: false });
  });

  it('lets everybody pass where that was asked for, and says so', async () => {
    const { store, backoff, clock } = scene({ onStoreFailure: 'open' });
    store.trouble(sick);
    for (let attempt = 0; attempt < 30; attempt += 1) {
      const verdict = await backoff.attempt(login('192.0.2.1'));
      expect(verdict).toMatchObject({ allowed: true, mode: 'FAIL_OPEN' });
      const outcome = attempt % 2 === 0 ? 'failure' : 'success';
      expect(await backoff.settle(login('192.0.2.1'), admitted(verdict), outcome)).toBeNull();
    }
    store.trouble(null);
    await clock.advance(6 * 60_000);
    expect(await backoff.attempt(login('192.0.2.1'))).toMatchObject({ allowed: true, mode: 'NORMAL' });
  });
});

describe('the engine in front of Kratos, and owners', () => {
  const guess = (ip: string, device: string) => ({
    action: 'auth.login',
    account: 'alice@example.com',
    ip,
    device: { id: device, confidence: 'MEDIUM' as const },
  });

  it('are let in by right credentials while only a SOFT block runs', async () => {
    const { guard, backoff } = scene();
    const verdict = admitted(await backoff.attempt(login('192.0.2.200')));
    for (const device of ['d1', 'd2']) await guard.fail(guess('192.0.2.1', device));
    expect(await backoff.attempt(login('192.0.2.200'))).toMatchObject({ allowed: false });
    expect(await backoff.settle(login('192.0.2.200'), verdict, 'success')).toBeNull();
  });

  it('get to show their password while a budget alone speaks', async () => {
    const { guard, backoff, clock } = scene();
    // A guess an hour from a device of its own: enough for the budget, too few for any other rule.
    for (let hour = 0; hour < 22; hour += 1) {
      await guard.fail(guess(`198.51.100.${hour}`, `d${hour}`));
      if (hour < 21) await clock.advance(60 * 60_000);
    }
    const shown = await guard.check({
      action: 'auth.login',
      account: 'alice@example.com',
      ip: '192.0.2.200',
    });
    expect(shown).toMatchObject({ outcome: 'SOFT_BLOCK', rule: 'budget', deferred: true });
    expect(await backoff.attempt(login('192.0.2.200'))).toMatchObject({ allowed: true });
  });

  it('are met by what guards codes only where a code is guessed', async () => {
    const { guard, backoff } = scene();
    for (let wrong = 0; wrong < 4; wrong += 1)
      await guard.fail({ ...guess('192.0.2.1', `d${wrong}`), action: 'auth.otp' });
    const code = { ...login('192.0.2.200'), guesses: ['code'] as const };
    expect(await backoff.attempt(code)).toMatchObject({ allowed: false, reason: 'identifier' });
    expect(await backoff.attempt(login('192.0.2.200'))).toMatchObject({ allowed: true });
  });

  it('are met by both, and counted by both, where they may be either', async () => {
    const { guard, backoff } = scene();
    const either = (ip: string) => ({ ...login(ip), guesses: ['password', 'code'] as const });
    const verdict = admitted(await backoff.attempt(either('192.0.2.200')));
    for (let wrong = 0; wrong < 3; wrong += 1)
      await backoff.settle(either(`192.0.2.${wrong}`), verdict, 'failure');
    const only = (kind: 'password' | 'code') => ({ ...login('192.0.2.201'), guesses: [kind] });
    for (const kind of ['password', 'code'] as const)
      expect(await backoff.attempt(only(kind))).toMatchObject({ allowed: false, reason: 'identifier' });
    await guard.close();
  });

  it('in which a password is guessed are met by its block whatever else they say', async () => {
    const { guard, backoff } = scene();
    for (let wrong = 0; wrong < 4; wrong += 1) await guard.fail(guess('192.0.2.1', `d${wrong}`));
    const disguised = { ...login('192.0.2.200'), guesses: ['password', 'code'] as const };
    expect(await backoff.attempt(disguised)).toMatchObject({ allowed: false, reason: 'identifier' });
    await guard.close();
  });

  it('are judged by every account that a login names, and told of the longest wait', async () => {
    const { guard, backoff } = scene();
    const fail = (account: string, device: string) => guard.fail({ ...guess('192.0.2.1', device), account });
    for (const device of ['d1', 'd2']) await fail('soft@example.com', device);
    for (const device of ['d1', 'd2', 'd3']) await fail('hard@example.com', device);
    const both = { ...login('192.0.2.200'), identifiers: ['soft@example.com', 'hard@example.com'] };
    for (const identifiers of [both.identifiers, [...both.identifiers].reverse()])
      expect(await backoff.attempt({ ...both, identifiers })).toMatchObject({
        allowed: false,
        retryAfterSeconds: 60,
      });
  });

  it.each(['', 'x'.repeat(1_025), 'nul\0'])('can have any name: %j', async (name) => {
    const { backoff } = scene();
    const strange = { ...login('192.0.2.1', name), ua: 'x'.repeat(100_000) };
    const verdict = admitted(await backoff.attempt(strange));
    for (let wrong = 0; wrong < 3; wrong += 1)
      await backoff.settle({ ...strange, ip: `192.0.2.${wrong}` }, verdict, 'failure');
    expect(await backoff.attempt(strange)).toMatchObject({ allowed: false, reason: 'identifier' });
  });
});
