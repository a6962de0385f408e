import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { defaultPolicies } from '../core/policy.ts';
import { createIdentifier } from '../identity/identifier.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import { assembleGuard } from './guard.ts';
import type { DecidedCall, Witness } from './witness.ts';

const identifier = createIdentifier({ secret: 'a secret of some length' });
const guardWith = (witness: Witness | undefined, store: Store = createMemoryStore({ clock: () => 5_000 })) =>
  assembleGuard({ store, identifier, policies: defaultPolicies, environment: 'test', witness });
const request = { action: 'auth.login', account: 'erika', ip: '2001:db8::1' };

describe('a witness', () => {
  it('sees every decision with its hashes and the time of the store, before the caller does', async () => {
    const seen: DecidedCall[] = [];
    const guard = guardWith((decided) => void seen.push(decided));
    for (const op of ['check', 'fail', 'succeed'] as const) {
      const decision = await guard[op](request);
      expect(seen.at(-1)).toEqual({
        ...{ op, action: 'auth.login', cost: 1, t: 5_000, decision },
        subject: identifier.identify(request),
      });
    }
    await guard.consume({ action: 'api.heavy', ip: '192.0.2.1' }, 3, { at: 7_000 });
    expect(seen).toHaveLength(4);
    expect(seen[3]).toMatchObject({
      op: 'consume',
      cost: 3,
      t: 7_000,
      subject: { account: null, macros: null },
    });
  });

  it('sees decisions that are made without the store, at the time of the node', async () => {
    const seen: DecidedCall[] = [];
    const failing: Store = {
      ...createMemoryStore(),
      view: () => Promise.reject(new Fault('STORE_FAILED', 'away')),
    };
    const before = Date.now();
    await guardWith((decided) => void seen.push(decided), failing).fail(request);
    expect(seen.map(({ decision }) => decision.mode)).toEqual(['FAIL_CLOSED']);
    expect(Number.isInteger(seen[0]?.t)).toBe(true);
    expect(Math.abs((seen[0]?.t ?? 0) - before)).toBeLessThan(60_000);
  });

  it('changes nothing for a decision when it throws; that is told', async () => {
    const faults: unknown[] = [];
    const guard = guardWith(() => {
      throw new TypeError('a broken witness');
    });
    guard.on('listenerFault', ({ event, error }) => void faults.push([event, String(error)]));
    expect((await guard.fail(request)).outcome).toBe('ALLOW');
    expect(faults).toEqual([['decided', 'TypeError: a broken witness']]);
  });

  it('is a warning of the process when it throws and nobody listens to faults', async () => {
    const guard = guardWith(() => {
      throw new TypeError('a broken witness');
    });
    const warnings: Error[] = [];
    const note = (warning: Error) => {
      if ('code' in warning && warning.code === 'PORTCULLIS_LISTENER') warnings.push(warning);
    };
    process.on('warning', note);
    expect((await guard.fail(request)).outcome).toBe('ALLOW');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toMatchObject([{ detail: expect.stringContaining('a broken witness') }]);
  });

  it('takes nothing into the events that anybody may listen to', async () => {
    const told: unknown[] = [];
    const guard = guardWith(() => {});
    guard.on('decision', (event) => void told.push(Object.keys(event).sort()));
    await guard.fail(request);
    expect(told).toEqual([['action', 'decision', 'op', 'policy']]);
  });
});
