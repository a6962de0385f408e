import { describe, expect, test } from 'vitest';
import { createScenarios, type ScenarioEvent } from '../../src/abuse/index.ts';
import { PortcullisStore } from '../../src/adapters/express-rate-limit/index.ts';
import { defaultPolicies } from '../../src/core/policy.ts';
import type { CorruptEvent } from '../../src/guard/events.ts';
import { Pins } from '../../src/guard/pins/pins.ts';
import { createIdentifier } from '../../src/identity/identifier.ts';
import { createGuard, type GuardRequest } from '../../src/index.ts';
import { createDescriptorLimiter } from '../../src/limits/descriptors/descriptor-limiter.ts';
import { createLimiter, type LimitEvent } from '../../src/limits/index.ts';
import { createCorruptibleStore } from './corruptible-store.ts';

const secret = 'a secret of sixteen bytes or more';
const note = { by: 'alice', why: 'attack' };
const login = (account: string, ip = '2001:db8:1:1::1'): GuardRequest => ({
  action: 'auth.login',
  account,
  ip,
  device: null,
});

type Face = NonNullable<Parameters<typeof createCorruptibleStore>[0]>;

function openGuard(face?: Face, deadlineMs?: number | null) {
  const store = createCorruptibleStore(face);
  const guard = createGuard({ store, secret, failure: { deadlineMs } });
  const told: CorruptEvent[] = [];
  guard.on('corrupt', (event) => told.push(event));
  return { store, guard, told };
}

/** Whoever meets the record throws once; then it is out of the way. */
async function throwsOnce(work: () => Promise<unknown>): Promise<void> {
  await expect(work()).rejects.toMatchObject({ code: 'RECORD_CORRUPT' });
  await work();
}

describe('a record that cannot be read is set aside by whoever meets it', () => {
  describe.each<[Face, number | null]>([
    ['promises', 1_000],
    ['promises', null],
    ['viewNow', 1_000],
    ['viewNow', null],
    ['immediate', null],
  ])('by a guard, on a store with %s and a deadline of %s', (face, deadlineMs) => {
    test.each(['K4', 'K1', 'P48', 'P40', 'P32'])('a login failure, in %s', async (kind) => {
      const { store, guard, told } = openGuard(face, deadlineMs);
      await guard.fail(login('a'));
      store.corrupt(`:${kind}:`);
      await throwsOnce(() => guard.fail(login('a')));
      expect(told).toEqual([{ policy: 'login', op: 'fail', setAside: 1 }]);
      expect(guard.modes().every(({ mode }) => mode === 'NORMAL')).toBe(true);
    });

    test('a check', async () => {
      const { store, guard, told } = openGuard(face, deadlineMs);
      await guard.fail(login('a'));
      store.corrupt(':K4:');
      await throwsOnce(() => guard.check(login('a')));
      expect(told).toEqual([{ policy: 'login', op: 'check', setAside: 1 }]);
    });

    test('a check that sees the record of agents over the cap', async () => {
      const { store, guard, told } = openGuard(face, deadlineMs);
      const shown = (major: number) => ({
        ...login(`a${major}`, '203.0.113.1'),
        action: 'auth.otp',
        ua: `Firefox/${major}`,
      });
      for (let major = 1; major <= 51; major += 1) await guard.fail(shown(major));
      const { otherAgent } = createIdentifier({ secret }).identify({ ip: '203.0.113.1' });
      store.corrupt(`:${otherAgent.hash}`);
      await throwsOnce(() => guard.check(shown(52)));
      expect(told).toEqual([{ policy: 'otp', op: 'check', setAside: 1 }]);
    });
  });

  test('the audit trail', async () => {
    const { store, guard, told } = openGuard();
    const place = () => guard.place(login('a'), { scope: 'K4', level: 1, ...note });
    await place();
    store.corrupt(':audit:');
    await throwsOnce(place);
    expect(told).toEqual([{ policy: null, op: 'operator', setAside: 1 }]);
    store.corrupt(':audit:');
    await throwsOnce(() => guard.audit());
  });

  test('what is explained', async () => {
    const { store, guard, told } = openGuard();
    await guard.fail(login('a'));
    store.corrupt(':K4:');
    await throwsOnce(() => guard.explain(login('a')));
    expect(told).toEqual([{ policy: null, op: 'operator', setAside: 1 }]);
  });

  test('a block that an operator lifts', async () => {
    const { store, guard, told } = openGuard();
    const { id } = await guard.place(login('a'), { scope: 'K4', level: 1, ...note });
    store.corrupt(':K4:');
    await throwsOnce(() => guard.lift(id, note));
    expect(told).toEqual([{ policy: null, op: 'operator', setAside: 1 }]);
  });

  test('the pins, and whoever goes by them hears of it', async () => {
    const store = createCorruptibleStore();
    const faults: string[] = [];
    const pins = new Pins({
      store,
      environment: 'test',
      identifier: createIdentifier({ secret }),
      names: () => ({ policies: defaultPolicies, scenarios: [] }),
      onFault: ({ code }) => faults.push(code),
    });
    const put = () =>
      pins.put({ kind: 'limit', for: 'anonymous', ratePerSecond: 1 }, { ...note, forMs: 60_000 });
    await put();
    store.corrupt(':pins:');
    await throwsOnce(put);
    store.corrupt(':pins:');
    await pins.start();
    // What is known goes on: nobody is let in because a record rots. An operator who acts starts anew.
    expect([faults, pins.current.all().length]).toEqual([['RECORD_CORRUPT'], 1]);
    await throwsOnce(put);
    pins.close();
    expect(store.unreadable).toBe(0);
  });

  test('a limiter', async () => {
    const store = createCorruptibleStore();
    const told: LimitEvent[] = [];
    const limiter = createLimiter({ store, secret, onEvent: (event) => told.push(event) });
    const call = { method: 'GET', path: '/list', ip: '198.51.100.1' };
    await limiter.take(call);
    for (const work of [() => limiter.take(call), () => limiter.block(call), () => limiter.lift(call)]) {
      store.corrupt(':limits.');
      await throwsOnce(work);
    }
    expect(told).toEqual(Array(3).fill({ type: 'record-corrupt', setAside: 1 }));
    expect(limiter.counts().storeFailures).toBe(0);
  });

  test('a limiter by descriptors', async () => {
    const store = createCorruptibleStore();
    const told: object[] = [];
    const limiter = createDescriptorLimiter({
      store,
      secret,
      domains: [
        { domain: 'd', descriptors: [{ key: 'k', rate_limit: { unit: 'minute', requests_per_unit: 5 } }] },
      ],
      onEvent: (event) => told.push(event),
    });
    const decide = () => limiter.decide('d', [{ pairs: [{ key: 'k', value: 'v' }], hits: 1 }]);
    await decide();
    store.corrupt('portcullis:');
    await throwsOnce(decide);
    expect(told).toEqual([{ type: 'record-corrupt', setAside: 1 }]);
  });

  test('the counts of express-rate-limit', async () => {
    const store = createCorruptibleStore();
    const counts = new PortcullisStore({ store, secret });
    await counts.increment('a');
    store.corrupt('portcullis:');
    await throwsOnce(() => counts.increment('a'));
  });

  test('scenarios', async () => {
    const store = createCorruptibleStore();
    const told: ScenarioEvent[] = [];
    const scenarios = createScenarios({ store, secret, onEvent: (event) => told.push(event) });
    const call = { method: 'GET', path: '/.env', ip: '198.51.100.1' };
    await scenarios.observe({ ...call, status: 404 });
    for (const work of [
      () => scenarios.observe({ ...call, status: 404 }),
      () => scenarios.lift({ ip: call.ip }),
    ]) {
      store.corrupt('portcullis:');
      await throwsOnce(work);
    }
    const corrupt = told.filter(({ what }) => what === 'corrupt');
    expect(corrupt).toEqual(Array(2).fill({ type: 'scenario', what: 'corrupt', setAside: 1 }));
  });
});
