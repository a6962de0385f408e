import { describe, expect, test } from 'vitest';
import type { GuardEvents } from '../../src/guard/events.ts';
import { api, login, MINUTE, openSickGuard, SECOND, type SickGuard } from './sick-guard.ts';

/** The contract's sequence of modes, as minutes and seconds since the begin of the test. */
function storyOf(sick: SickGuard, policy: string, start: number): string[] {
  const at = (time: number) => {
    const seconds = Math.floor((time - start) / SECOND);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  };
  return sick.told.flatMap(({ name, event }) => {
    if (!('policy' in event) || event.policy !== policy) return [];
    if (name === 'mode') {
      const mode = event as GuardEvents['mode'];
      return [`${at(mode.at)} ${mode.from} → ${mode.to}`];
    }
    if (name === 'breaker') return [`${at((event as GuardEvents['breaker']).at)} ${what(event)}`];
    if (name === 'critical') {
      const critical = event as GuardEvents['critical'];
      return [`${at(critical.at)} critical until ${at(critical.until)}`];
    }
    return [];
  });
}

const what = (event: object) => (event as GuardEvents['breaker']).what;

/** A request of each policy every second, whatever it is answered. */
async function traffic({ guard, clock }: SickGuard, forMs: number): Promise<void> {
  const end = clock.now() + forMs;
  while (clock.now() < end) {
    const second = Math.floor(clock.now() / SECOND);
    await clock.complete(guard.check(login(`a${second}`, `10.0.${(second >> 8) & 255}.${second & 255}`)));
    await clock.complete(guard.consume(api()));
    await clock.advance(SECOND);
  }
}

describe('an outage of 30 minutes', () => {
  test('without a break is one degraded epoch, left when the store has been well for 2 min', async () => {
    const sick = openSickGuard();
    const start = sick.clock.now();
    await traffic(sick, MINUTE);
    sick.store.trouble({ kind: 'lose-request' });
    await traffic(sick, 30 * MINUTE);
    sick.store.trouble(null);
    await traffic(sick, 3 * MINUTE);
    // The last failed probe is that of 30:57.
    expect(storyOf(sick, 'login', start)).toEqual([
      '1:02 tripped',
      '1:02 NORMAL → DEGRADED',
      '32:57 closed',
      '32:57 DEGRADED → NORMAL',
    ]);
    expect(storyOf(sick, 'api', start)).toEqual([
      '1:02 tripped',
      '1:02 NORMAL → FAIL_OPEN',
      '32:57 closed',
      '32:57 FAIL_OPEN → NORMAL',
    ]);
  });

  test('with flapping is degraded twice, then shut for 10 min, then whatever the probes say', async () => {
    const sick = openSickGuard();
    const start = sick.clock.now();
    const sickFor = async (ms: number) => {
      sick.store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
      await traffic(sick, ms);
      sick.store.trouble(null);
    };
    await traffic(sick, MINUTE);
    await sickFor(30 * SECOND); // 1:00 to 1:30: the first entry
    await traffic(sick, 6 * MINUTE - 30 * SECOND);
    await sickFor(30 * SECOND); // 7:00 to 7:30: the second
    await traffic(sick, 6 * MINUTE - 30 * SECOND);
    await sickFor(12 * MINUTE); // 13:00 to 25:00: the third, which shuts
    await traffic(sick, 6 * MINUTE);
    const story = (closed: string, degraded: string) => [
      '1:02 tripped',
      `1:02 NORMAL → ${degraded}`,
      '6:02 closed',
      `6:02 ${degraded} → NORMAL`,
      '7:02 tripped',
      `7:02 NORMAL → ${degraded}`,
      '12:02 closed',
      `12:02 ${degraded} → NORMAL`,
      '13:02 tripped',
      '13:02 critical until 23:02',
      '13:02 NORMAL → FAIL_CLOSED',
      `23:02 FAIL_CLOSED → ${degraded}`,
      `${closed} closed`,
      `${closed} ${degraded} → NORMAL`,
    ];
    // The last failed probe is that of 24:57.
    expect(storyOf(sick, 'login', start)).toEqual(story('26:57', 'DEGRADED'));
    expect(storyOf(sick, 'api', start)).toEqual(story('26:57', 'FAIL_OPEN'));
  });

  test('with a store that is well again before a shut policy may open closes at once after 10 min', async () => {
    const sick = openSickGuard({ breaker: { shutAtEntry: 1 } });
    const start = sick.clock.now();
    sick.store.trouble({ kind: 'fault', code: 'STORE_TIMEOUT' });
    await traffic(sick, 30 * SECOND);
    sick.store.trouble(null);
    await traffic(sick, 11 * MINUTE);
    expect(storyOf(sick, 'login', start)).toEqual([
      '0:02 tripped',
      '0:02 critical until 10:02',
      '0:02 NORMAL → FAIL_CLOSED',
      '10:02 closed',
      '10:02 FAIL_CLOSED → NORMAL',
    ]);
  });

  test('lets nobody through while a policy is shut, api included', async () => {
    const { guard, store } = openSickGuard({ breaker: { shutAtEntry: 1 } });
    store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    for (let index = 0; index < 3; index += 1) {
      await guard.check(login());
      await guard.consume(api());
    }
    for (const op of ['check', 'fail', 'succeed'] as const) {
      expect(await guard[op](login())).toMatchObject({
        outcome: 'HARD_BLOCK',
        level: 2,
        rule: 'store',
        mode: 'FAIL_CLOSED',
      });
    }
    expect(await guard.consume(api())).toMatchObject({
      outcome: 'HARD_BLOCK',
      level: 2,
      rule: 'store',
      scope: 'K1',
      mode: 'FAIL_CLOSED',
    });
  });

  test('ends with an account of what was let through beside the most that could have been', async () => {
    const sick = openSickGuard({ nodes: 4 });
    sick.store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    for (let index = 0; index < 3; index += 1) await sick.guard.check(login());
    const trippedAt = sick.clock.now();
    for (let index = 0; index < 4; index += 1) {
      await sick.guard.check(login('a1'));
      await sick.guard.fail(login('a1'));
    }
    sick.store.trouble(null);
    await sick.clock.advance(14 * MINUTE);
    const [epoch] = sick.told.filter(({ name }) => name === 'degradedEpoch').map(({ event }) => event);
    // The check that tripped the breaker and two more were admitted; of the last two attempts nothing was.
    expect(epoch).toEqual({
      at: trippedAt + 5 * MINUTE,
      policy: 'login',
      from: trippedAt,
      nodes: 4,
      admitted: 3,
      refused: 3,
      bounds: [
        { scope: 'K4', mostPerNode: 3, most: 12 },
        { scope: 'K1', mostPerNode: 20, most: 80 },
      ],
    });
  });
});
