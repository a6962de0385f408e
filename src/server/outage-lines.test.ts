import { describe, expect, it } from 'vitest';
import { defaultBreaker } from '../guard/failure/failure-policy.ts';
import { createGuard } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { createLog } from '../telemetry/log.ts';
import { createFaultyStore } from '../testing/faulty-store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { logOutages } from './outage-lines.ts';

const startMs = 1_700_000_000_000;

function scene(shutAtEntry = defaultBreaker.shutAtEntry) {
  const clock = new VirtualClock(startMs);
  const store = createFaultyStore(createMemoryStore({ clock: () => clock.now() }), clock);
  const breaker = { ...defaultBreaker, shutAtEntry };
  const guard = createGuard({ secret: 'a secret of enough bytes', store, failure: { clock, breaker } });
  const lines: Record<string, unknown>[] = [];
  logOutages(
    createLog({ destination: { write: (line) => void lines.push(JSON.parse(line)) } }),
    guard,
    breaker,
  );
  const attempt = () => guard.check({ action: 'auth.login', account: 'a1', ip: '203.0.113.7' });
  return { clock, store, guard, lines, attempt };
}

describe('the log of an outage', () => {
  it('says why, who decides meanwhile, and for how long at least', async () => {
    const { clock, store, guard, lines, attempt } = scene();
    store.trouble({ kind: 'fault', code: 'STORE_FULL' });
    await attempt();
    store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    for (let n = 0; n < 2; n += 1) await attempt();
    expect(lines).toEqual([
      expect.objectContaining({ what: 'tripped', policy: 'login', code: 'STORE_FAILED' }),
      expect.objectContaining({
        policy: 'login',
        to: 'DEGRADED',
        code: 'STORE_FAILED',
        until: startMs + 5 * 60_000,
        msg: 'the store failed: local caps decide for 5 min at least',
      }),
    ]);
    expect(guard.modes().map(({ policy, fault }) => [policy, fault])).toEqual([
      ['login', 'STORE_FAILED'],
      ['otp', null],
      ['api', null],
    ]);
    store.trouble(null);
    await clock.advance(6 * 60_000);
    expect(lines.slice(2)).toEqual([
      expect.not.objectContaining({ code: 'STORE_FAILED' }),
      expect.objectContaining({ to: 'NORMAL', msg: 'a policy changed its mode' }),
    ]);
    expect(guard.modes().map(({ fault }) => fault)).toEqual([null, null, null]);
  });

  it('says that nobody passes when the trip shuts the policy', async () => {
    const { store, lines, attempt } = scene(1);
    store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    for (let n = 0; n < 3; n += 1) await attempt();
    expect(lines.at(-1)).toMatchObject({
      to: 'FAIL_CLOSED',
      until: startMs + 10 * 60_000,
      msg: 'the store failed: nobody passes for 10 min at least',
    });
  });
});
