import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createGuard } from '../index.ts';
import { EventHub, type GuardEvents } from './events.ts';

const secret = 'a secret for tests only';
const request = { action: 'auth.login', account: 'a1', ip: '203.0.113.7' } as const;
const boom = new RangeError('boom');
const throwing = (): never => {
  throw boom;
};
const rejecting = (): unknown => Promise.reject(boom);

describe('listeners', () => {
  test('are called until they are taken away', () => {
    const hub = new EventHub<GuardEvents>();
    const seen: string[] = [];
    const off = hub.on('mode', ({ to }) => seen.push(to));
    hub.emit('mode', { at: 1, policy: 'login', from: 'NORMAL', to: 'DEGRADED' });
    off();
    hub.emit('mode', { at: 2, policy: 'login', from: 'DEGRADED', to: 'NORMAL' });
    expect(seen).toEqual(['DEGRADED']);
  });

  test('that throw change neither the decision nor what other listeners hear', async () => {
    const guard = createGuard({ secret });
    const heard: string[] = [];
    const faults: unknown[] = [];
    guard.on('decision', throwing);
    guard.on('decision', ({ decision }) => heard.push(decision.outcome));
    guard.on('listenerFault', (fault) => faults.push(fault));
    expect((await guard.check(request)).outcome).toBe('ALLOW');
    expect(heard).toEqual(['ALLOW']);
    expect(faults).toEqual([{ event: 'decision', error: boom }]);
    await guard.close();
  });

  test('whose promise is rejected change nothing, end nothing and are told like those that throw', async () => {
    const guard = createGuard({ secret });
    const faults: unknown[] = [];
    guard.on('decision', rejecting);
    guard.on('listenerFault', (fault) => faults.push(fault));
    expect((await guard.check(request)).outcome).toBe('ALLOW');
    await new Promise((resolve) => setImmediate(resolve));
    expect(faults).toEqual([{ event: 'decision', error: boom }]);
    await guard.close();
  });

  test.each([
    ['nobody listens for faults', []],
    ['the listener for faults throws too', ['listenerFault'] as const],
  ])('that throw are a warning of the process when %s', async (_, alsoThrowing) => {
    const hub = new EventHub<GuardEvents>();
    hub.on('corrupt', throwing);
    for (const name of alsoThrowing) hub.on(name, throwing);
    const warned = once(process, 'warning');
    hub.emit('corrupt', { policy: 'login', op: 'check', setAside: 0 });
    const [warning] = await warned;
    expect(warning).toMatchObject({ name: 'PortcullisWarning', code: 'PORTCULLIS_LISTENER' });
    expect(warning.detail).toContain('boom');
  });
});

describe('a guard', () => {
  test('tells every denial and, as configured, some of what it allows', async () => {
    const guard = createGuard({ secret, allowEventEvery: 3 });
    const told: string[] = [];
    guard.on('decision', ({ decision }) => told.push(decision.outcome));
    for (let index = 0; index < 10; index += 1) await guard.check({ ...request, account: `a${index}` });
    expect(told).toEqual(['ALLOW', 'ALLOW', 'ALLOW']);
    for (let index = 0; index < 4; index += 1) await guard.fail(request);
    expect(told.filter((outcome) => outcome !== 'ALLOW').length).toBeGreaterThanOrEqual(2);
    await guard.close();
  });

  test('tells as many of each operation and policy, in whatever order they come', async () => {
    const guard = createGuard({ secret, allowEventEvery: 2 });
    const told: string[] = [];
    guard.on('decision', ({ policy, op }) => told.push(`${policy} ${op}`));
    for (let index = 0; index < 4; index += 1) {
      const subject = { account: `a${index}`, ip: `10.0.${index}.1` };
      await guard.attempt({ ...subject, action: 'auth.login' }, () => true);
      await guard.check({ ...subject, action: 'auth.otp' });
      await guard.consume({ ...subject, action: 'api.heavy' });
    }
    const round = ['login check', 'login succeed', 'otp check', 'api consume'];
    expect(told).toEqual([...round, ...round]);
    await guard.close();
  });

  test('tells how long the store took', async () => {
    const guard = createGuard({ secret });
    const calls: GuardEvents['store'][] = [];
    guard.on('store', (call) => calls.push(call));
    await guard.check(request);
    await guard.fail(request);
    expect(calls).toMatchObject([
      { policy: 'login', op: 'check', fault: null },
      { policy: 'login', op: 'fail', fault: null },
    ]);
    for (const { durationMs } of calls) expect(durationMs).toBeGreaterThanOrEqual(0);
    await guard.close();
  });

  test('tells whoever begins to listen of what begins then', async () => {
    const guard = createGuard({ secret });
    await guard.check(request);
    const told: string[] = [];
    const stop = guard.on('store', ({ op }) => told.push(`store ${op}`));
    guard.on('decision', ({ op }) => told.push(`decision ${op}`));
    await guard.fail(request);
    stop();
    await guard.check(request);
    expect(told).toEqual(['store fail', 'decision fail', 'decision check']);
    await guard.close();
  });

  test.each([
    [{ allowEventEvery: 0 }, 'allowEventEvery'],
    [{ failure: { deadlineMs: 0 } }, 'failure.deadlineMs'],
    [{ failure: { nodes: 1.5 } }, 'failure.nodes'],
    [{ failure: { breaker: { shutMs: -1 } } }, 'failure.breaker.shutMs'],
    [
      { failure: { caps: { login: [{ scope: 'K4', count: 0, windowMs: 1 }] } } },
      'failure.caps.login[0].count',
    ],
  ] as const)('refuses the options %j', (options, path) => {
    expect(() => createGuard({ secret, ...options })).toThrow(path);
  });
});

describe('the page of events', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const fieldsOf = (source: string, name: string) => {
    const [, body = ''] = new RegExp(`export interface ${name} \\{\\n(.*?)\\n\\}`, 's').exec(source) ?? [];
    return [...body.matchAll(/^ {2}(?:readonly )?(\w+):/gm)].map(([, field]) => field);
  };

  test('has a row for every event with every field, and no other row', () => {
    const source = read('./events.ts');
    const rows = new Map(
      [...read('../../docs/reference/events.md').matchAll(/^\| `(\w+)` \| .* \| (.*) \|$/gm)].map(
        ([, name, fields = '']) => [name, fields],
      ),
    );
    const names = fieldsOf(source, 'GuardEvents');
    expect([...rows.keys()].sort()).toEqual([...names].sort());
    for (const name of names) {
      const [, type = ''] = new RegExp(`^ {2}${name}: (\\w+);`, 'm').exec(source) ?? [];
      for (const field of fieldsOf(source, type)) expect(rows.get(name), name).toContain(`\`${field}\``);
    }
  });
});
