import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import type { Key } from '../core/records.ts';
import { createGuard } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';

const secret = 'a secret of the tests';
const admittedAgents = 50;

const kindsOf = (keys: readonly Key[]): string =>
  keys
    .map(({ text }) => text.split(':')[4])
    .sort()
    .join(' ');

/** A guard on a store that has to be waited for, or on one that answers at once, and the kinds that its views showed. */
function watchedGuard(answersAtOnce: boolean) {
  const memory = createMemoryStore({ clock: () => 1_000 });
  const views: string[] = [];
  const promised: Store = {
    ...memory,
    view: (keys, look) => {
      views.push(kindsOf(keys));
      return memory.view(keys, look);
    },
  };
  const immediate: NonNullable<Store['immediate']> = {
    view: (keys, look) => memory.immediate.view(keys, look),
    // Looks and writes in one.
    transact: (keys, step) => {
      views.push(kindsOf(keys));
      return memory.immediate.transact(keys, step);
    },
  };
  const store = answersAtOnce ? { ...promised, immediate } : promised;
  return { guard: createGuard({ secret, store }), views };
}

/** Each from another account, so that none is stopped on the way. */
const request = (major: number) => ({
  action: 'auth.otp',
  account: `a${major}`,
  ip: '192.0.2.1',
  ua: `Mozilla/5.0 Firefox/${major}.0`,
});

describe.each([
  ['that answers at once', true],
  ['that has to be waited for', false],
] as const)('an operation on a store %s', (_, answersAtOnce) => {
  it('looks once; a second time, at all records, where its agent is over the cap', async () => {
    const { guard, views } = watchedGuard(answersAtOnce);
    for (let major = 1; major <= admittedAgents; major += 1) await guard.fail(request(major));
    expect(new Set(views)).toEqual(new Set(['K1 K2 K4']));
    views.length = 0;
    await guard.check(request(1));
    expect(views).toEqual(['K1 K2 K4']);
    views.length = 0;
    await guard.check(request(admittedAgents + 1));
    expect(views).toEqual(['K1 K2 K4', 'K1 K2 K2 K4']);
  });

  it('looks once where its own agent is the one that is shared', async () => {
    const { guard, views } = watchedGuard(answersAtOnce);
    for (let major = 1; major <= admittedAgents; major += 1) await guard.fail(request(major));
    views.length = 0;
    await guard.check({ ...request(0), ua: 'curl/8.5.0' });
    expect(views).toEqual(['K1 K2 K4']);
  });

  it('is stopped by the block of the agent that it shares with others over the cap', async () => {
    const { guard } = watchedGuard(answersAtOnce);
    for (let major = 1; major <= admittedAgents; major += 1) await guard.fail(request(major));
    const strangers = [60, 61, 62, 63].map(request);
    for (const stranger of strangers.slice(0, 3)) await guard.fail(stranger);
    const { outcome, scope, rule } = await guard.check(strangers[3] ?? request(0));
    expect([outcome, scope, rule]).toEqual(['HARD_BLOCK', 'K2', 'blocked']);
    expect((await guard.check(request(1))).outcome).not.toBe('HARD_BLOCK');
  });
});

/** Of another realm: no instance of the Promise here. */
const ForeignPromise: PromiseConstructor = runInNewContext('Promise');

describe('a store with promises of another realm', () => {
  const guardOn = (view: () => Promise<never>) => {
    const store = { ...createMemoryStore(), view: () => ForeignPromise.resolve().then(view) };
    return createGuard({ secret, store, failure: { deadlineMs: 5 } });
  };

  it.each<[string, () => Promise<never>]>([
    ['fails', () => Promise.reject(new Fault('STORE_FAILED', 'as told'))],
    ['never answers', () => new Promise<never>(() => {})],
  ])('that %s is a failure of the store all the same (§12)', async (_, view) => {
    const { outcome, rule, mode } = await guardOn(view).check(request(1));
    expect([outcome, rule, mode]).toEqual(['HARD_BLOCK', 'store', 'FAIL_CLOSED']);
  });
});
