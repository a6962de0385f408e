import { describe, expect, it, vi } from 'vitest';
import { createGuard } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { createFaultyStore } from '../testing/faulty-store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import type { DecisionEvent } from './events.ts';
import type { GuardRequest } from './signals.ts';

const HOUR = 3_600_000;
const owner: GuardRequest = { action: 'auth.login', account: 'alice', ip: '192.0.2.200' };
const guess = (from: number): GuardRequest => ({
  ...owner,
  ip: `198.51.100.${from}`,
  device: { id: `d${from}`, confidence: 'MEDIUM' },
});

function open(allowEventEvery = 1) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const store = createFaultyStore(createMemoryStore({ clock: () => clock.now() }), clock);
  const guard = createGuard({
    secret: 'a secret for tests only',
    store,
    failure: { clock },
    allowEventEvery,
  });
  return { clock, store, guard };
}

/** An account whose budget speaks and nothing else: somebody has guessed slowly, from a new device each time. */
async function openSpent() {
  const opened = open();
  for (let hour = 0; hour < 22; hour += 1) {
    await opened.guard.fail(guess(hour));
    if (hour < 21) await opened.clock.advance(HOUR);
  }
  expect(await opened.guard.check(owner)).toMatchObject({ outcome: 'SOFT_BLOCK', deferred: true });
  return opened;
}

describe('an attempt', () => {
  it('lets an owner in whose budget others have spent', async () => {
    const { guard } = await openSpent();
    expect(await guard.attempt(owner, () => 'alice')).toMatchObject({
      allowed: true,
      value: 'alice',
      decision: { outcome: 'ALLOW' },
    });
  });

  it('refuses wrong credentials on such an account, and tells what they brought', async () => {
    const { guard } = await openSpent();
    expect(await guard.attempt(owner, () => null)).toMatchObject({
      allowed: false,
      value: null,
      decision: { outcome: 'HARD_BLOCK', rule: 'equilibrium' },
    });
  });

  it.each([
    ['SOFT', 2, 'SOFT_BLOCK'],
    ['HARD', 3, 'HARD_BLOCK'],
  ])('does not look at credentials while a %s block runs', async (_, failures, outcome) => {
    const { guard } = open();
    for (let from = 0; from < failures; from += 1) await guard.fail(guess(from));
    const verify = vi.fn(() => 'alice');
    expect(await guard.attempt(owner, verify)).toMatchObject({
      allowed: false,
      value: null,
      decision: { outcome, deferred: false },
    });
    expect(verify).not.toHaveBeenCalled();
  });

  it('lets right credentials in that a SOFT block has overtaken, and not those that a HARD one has', async () => {
    for (const [failures, allowed] of [
      [2, true],
      [3, false],
    ] as const) {
      const { guard } = open();
      const overtaken = await guard.attempt(owner, async () => {
        for (let from = 0; from < failures; from += 1) await guard.fail(guess(from));
        return 'alice';
      });
      expect(overtaken).toMatchObject({ allowed, value: allowed ? 'alice' : null });
    }
  });
});

describe('what is told of attempts', () => {
  it('has all that were decided without the store, however few of the others', async () => {
    const { guard, store } = open(1_000);
    const told: DecisionEvent[] = [];
    guard.on('decision', (event) => told.push(event));
    await guard.check(owner);
    expect(told).toEqual([]);
    store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    for (let from = 0; from < 6; from += 1) await guard.check({ ...owner, account: `account ${from}` });
    expect(told.map(({ decision }) => `${decision.outcome} ${decision.mode}`)).toEqual([
      ...Array(2).fill('HARD_BLOCK FAIL_CLOSED'),
      ...Array(4).fill('ALLOW DEGRADED'),
    ]);
  });
});
