import { describe, expect, test } from 'vitest';
import type { FailureOptions } from '../guard/failure/failure-options.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { createFaultyStore } from '../testing/faulty-store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { type CounterBackoff, type CounterBackoffOptions, createLoginBackoff } from './counter-backoff.ts';
import type { WarningEvent } from './events.ts';
import { createWebhooks } from './webhooks.ts';

const MINUTE = 60_000;
const login = { identifiers: ['alice@example.com'], ip: '203.0.113.7' };
const from = (ip: string) => ({ identifiers: [], ip });
const submitted = {
  ...login,
  guesses: ['password'] as const,
  hasCredential: true,
  provesIdentifier: true,
  ua: null,
};

/** Login backoff over a store that can be made sick, on virtual time. */
function open(options: Partial<CounterBackoffOptions> = {}, failure: FailureOptions = {}) {
  const clock = new VirtualClock(1_700_000_000_000);
  const store = createFaultyStore(createMemoryStore({ clock: () => clock.now() }), clock);
  const backoff = createLoginBackoff({
    store,
    secret: 'a secret that is long enough',
    failure: { clock, ...failure },
    ...options,
  });
  const warnings: WarningEvent['code'][] = [];
  const modes: string[] = [];
  backoff.events.on('warning', ({ code }) => warnings.push(code));
  backoff.events.on('mode', ({ from: was, to }) => modes.push(`${was} → ${to}`));
  return { clock, store, backoff, warnings, modes };
}

const sick = { kind: 'fault', code: 'STORE_FAILED' } as const;

/** Three failures, from an address of their own that names nobody. */
async function degrade(
  backoff: CounterBackoff,
  store: { trouble(trouble: typeof sick): void },
): Promise<void> {
  store.trouble(sick);
  for (let failure = 0; failure < 3; failure += 1) await backoff.attempt(from('192.0.2.250'));
}

describe('when the store fails', () => {
  test('nobody passes at first; then, degraded, as many as the local caps allow', async () => {
    const { backoff, store, modes } = open();
    await backoff.attempt(login);
    store.trouble(sick);
    for (let failure = 0; failure < 2; failure += 1) {
      expect(await backoff.attempt(login)).toEqual({
        allowed: false,
        reason: 'store',
        retryAfterSeconds: 60,
        mode: 'FAIL_CLOSED',
      });
    }
    const verdicts = [];
    for (let attempt = 0; attempt < 5; attempt += 1) verdicts.push(await backoff.attempt(login));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false]);
    expect(verdicts[4]).toEqual({
      allowed: false,
      reason: 'identifier',
      retryAfterSeconds: 60,
      mode: 'DEGRADED',
    });
    expect(modes).toEqual(['NORMAL → DEGRADED']);
    const calls = store.calls.transact;
    await backoff.attempt(login);
    expect(store.calls.transact).toBe(calls);
  });

  test('twenty from one address pass while degraded, whatever accounts they are at', async () => {
    const { backoff, store } = open();
    store.trouble(sick);
    for (let failure = 0; failure < 2; failure += 1) await backoff.attempt(from('192.0.2.1'));
    const verdicts = [];
    for (let attempt = 0; attempt < 22; attempt += 1) {
      verdicts.push(await backoff.attempt({ identifiers: [`user${attempt}`], ip: '203.0.113.9' }));
    }
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(20);
    expect(verdicts[21]).toMatchObject({ reason: 'ip', mode: 'DEGRADED' });
  });

  test('refused attempts use nothing up: whoever keeps trying keeps no owner out', async () => {
    const { backoff, store, clock } = open();
    await degrade(backoff, store);
    for (let attempt = 0; attempt < 3; attempt += 1) await backoff.attempt(login);
    for (let minute = 0; minute < 10; minute += 1) {
      expect(await backoff.attempt(login)).toMatchObject({ allowed: false, reason: 'identifier' });
      await clock.advance(MINUTE);
    }
    expect(await backoff.attempt(login)).toMatchObject({ allowed: true, mode: 'DEGRADED' });
  });

  test('an address over its cap counts for nobody that it names', async () => {
    const { backoff, store } = open();
    await degrade(backoff, store);
    const spray = (names: string[]) => backoff.attempt({ identifiers: names, ip: '203.0.113.9' });
    for (let attempt = 0; attempt < 20; attempt += 1) await spray([`user${attempt}`]);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await spray(['alice@example.com'])).toMatchObject({ allowed: false, reason: 'ip' });
    }
    expect(await backoff.attempt(login)).toMatchObject({ allowed: true });
    for (let attempt = 0; attempt < 2; attempt += 1) await backoff.attempt(login);
    expect(await spray(['alice@example.com'])).toMatchObject({ allowed: false, reason: 'identifier' });
  });

  test('what Kratos never got is taken back from the local caps too', async () => {
    const { backoff, store, clock } = open();
    await degrade(backoff, store);
    for (let lost = 0; lost < 30; lost += 1) {
      const verdict = await backoff.attempt(submitted);
      if (!verdict.allowed) expect.unreachable();
      await clock.advance(1_000);
      await backoff.settle(submitted, verdict, 'undelivered');
    }
    const verdicts = [];
    for (let attempt = 0; attempt < 4; attempt += 1) verdicts.push(await backoff.attempt(submitted));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
  });

  test.each(['success', 'likely-success', 'failure', 'unknown'] as const)(
    'a login whose outcome is %s stays counted on the local caps',
    async (outcome) => {
      const { backoff, store } = open();
      await degrade(backoff, store);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const verdict = await backoff.attempt(submitted);
        if (!verdict.allowed) expect.unreachable();
        await backoff.settle(submitted, verdict, outcome);
      }
      expect(await backoff.attempt(submitted)).toMatchObject({ allowed: false, reason: 'identifier' });
    },
  );

  test.each(['hmac', 'plain'] as const)(
    'with %s keys the local caps count an address by the network that one subscriber has',
    async (keys) => {
      const { backoff, store } = open({ keys });
      await degrade(backoff, store);
      const from64 = (host: number, identifier = `user${host}`) =>
        backoff.attempt({ identifiers: [identifier], ip: `2001:db8:1:2::${host.toString(16)}` });
      const verdicts = [];
      for (let host = 1; host <= 22; host += 1) verdicts.push(await from64(host));
      expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(20);
      expect(verdicts[21]).toMatchObject({ reason: 'ip', mode: 'DEGRADED' });
      const neighbour = { identifiers: ['neighbour'], ip: '2001:db8:1:3::1' };
      expect(await backoff.attempt(neighbour)).toMatchObject({ allowed: true });
    },
  );

  test('a store that never answers is a store that fails', async () => {
    const { backoff, store, clock } = open();
    store.trouble({ kind: 'lose-request' });
    const verdict = await clock.complete(backoff.attempt(login));
    expect(verdict).toMatchObject({ allowed: false, mode: 'FAIL_CLOSED' });
  });

  test('after five minutes of probes that succeed the counters count again', async () => {
    const { backoff, store, clock, modes } = open();
    store.trouble(sick);
    for (let failure = 0; failure < 3; failure += 1) await backoff.attempt(login);
    store.trouble(null);
    await clock.advance(4 * MINUTE);
    expect(backoff.status().mode).toBe('DEGRADED');
    await clock.advance(MINUTE + 5_000);
    expect(await backoff.attempt(login)).toMatchObject({
      allowed: true,
      identifierAttempts: 1,
      mode: 'NORMAL',
    });
    expect(modes).toEqual(['NORMAL → DEGRADED', 'DEGRADED → NORMAL']);
  });

  test('at the third time within half an hour everybody waits', async () => {
    const { backoff, store, clock } = open();
    const fallIll = async () => {
      store.trouble(sick);
      for (let failure = 0; failure < 3; failure += 1) await backoff.attempt(login);
      store.trouble(null);
    };
    for (let entry = 0; entry < 2; entry += 1) {
      await fallIll();
      await clock.advance(5 * MINUTE + 5_000);
    }
    await fallIll();
    expect(backoff.status().mode).toBe('FAIL_CLOSED');
    expect(await backoff.attempt(from('192.0.2.77'))).toMatchObject({ allowed: false, reason: 'store' });
  });

  test("an operator's pin on the login policy has the last word, in every phase", async () => {
    let pinned: 'closed' | 'caps' | null = 'caps';
    const asked: string[] = [];
    const { backoff, store } = open(
      {},
      {
        pinned: (policy) => {
          asked.push(policy);
          return pinned;
        },
        breaker: { shutAtEntry: 1 },
      },
    );
    store.trouble(sick);
    expect(await backoff.attempt(login)).toMatchObject({ allowed: true, mode: 'DEGRADED' });
    for (let failure = 0; failure < 2; failure += 1) await backoff.attempt(from('192.0.2.1'));
    expect(backoff.status().mode).toBe('FAIL_CLOSED');
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await backoff.attempt(login)).toMatchObject({ allowed: true, mode: 'DEGRADED' });
    expect(await backoff.attempt(login)).toMatchObject({ allowed: false, reason: 'identifier' });
    pinned = null;
    expect(await backoff.attempt(from('192.0.2.2'))).toMatchObject({ allowed: false, reason: 'store' });
    expect(new Set(asked)).toEqual(new Set(['login']));
  });

  test('a pin that closes refuses also while the local caps would admit', async () => {
    const { backoff, store } = open({}, { pinned: () => 'closed' });
    await degrade(backoff, store);
    expect(backoff.status().mode).toBe('DEGRADED');
    expect(await backoff.attempt(login)).toMatchObject({ allowed: false, reason: 'store' });
    store.trouble(null);
  });

  test('everybody passes where it was asked for, and the counts of the store go on afterwards', async () => {
    const { backoff, store, clock, modes } = open({ onStoreFailure: 'open' });
    await backoff.attempt(login);
    store.trouble(sick);
    for (let attempt = 0; attempt < 50; attempt += 1) {
      expect(await backoff.attempt(login)).toMatchObject({ allowed: true, mode: 'FAIL_OPEN' });
    }
    expect(modes).toEqual(['NORMAL → FAIL_OPEN']);
    store.trouble(null);
    await clock.advance(6 * MINUTE);
    expect(await backoff.attempt(login)).toMatchObject({
      allowed: true,
      identifierAttempts: 1,
      mode: 'NORMAL',
    });
  });

  test('a reset that fails is told, and the webhook says what it always says', async () => {
    const { backoff, store, warnings } = open();
    store.trouble(sick);
    const answer = await createWebhooks(backoff).afterLogin(Buffer.from('{"email":"alice@example.com"}'));
    expect(answer).toEqual({ status: 200, body: { status: 'success', message: 'counters reset' } });
    expect(warnings).toEqual(['KRATOS_RESET_FAILED']);
  });

  test('a record that cannot be read is no failure of the store: it is thrown', async () => {
    const { backoff, store } = open();
    store.trouble({ kind: 'fault', code: 'RECORD_CORRUPT' });
    await expect(backoff.attempt(login)).rejects.toThrow('told to fail');
    expect(backoff.status().mode).toBe('NORMAL');
  });
});

describe('a window', () => {
  test('ends for everybody 120 seconds after its first attempt, to the millisecond', async () => {
    const { backoff, clock } = open();
    for (let attempt = 0; attempt < 11; attempt += 1) {
      await clock.advance(1_000);
      await backoff.attempt(login);
    }
    await clock.advance(119_999 - 10_000);
    expect(await backoff.attempt(login)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    await clock.advance(1);
    expect(await backoff.attempt(login)).toMatchObject({
      allowed: true,
      identifierAttempts: 1,
      ipAttempts: 1,
    });
  });

  test('takes nothing back from the next one', async () => {
    const { backoff, clock } = open();
    const lost = await backoff.attempt(submitted);
    await clock.advance(120_000);
    await backoff.attempt(submitted);
    if (lost.allowed) await backoff.settle(submitted, lost, 'undelivered');
    expect(await backoff.attempt(submitted)).toMatchObject({ identifierAttempts: 2, ipAttempts: 2 });
  });

  test('survives a rotation of the secret', async () => {
    const store = createMemoryStore();
    const old = createLoginBackoff({ store, secret: 'the secret before this one' });
    for (let attempt = 0; attempt < 9; attempt += 1) await old.attempt(login);
    const rotated = createLoginBackoff({
      store,
      secret: 'the secret that is new now',
      previousSecret: 'the secret before this one',
    });
    expect(await rotated.attempt(login)).toMatchObject({ identifierAttempts: 10, ipAttempts: 10 });
    expect(await rotated.attempt(login)).toMatchObject({ allowed: false });
    await rotated.reset('alice@example.com', '203.0.113.7');
    expect(await rotated.attempt(login)).toMatchObject({ identifierAttempts: 1, ipAttempts: 1 });
  });
});
