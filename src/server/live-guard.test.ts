import { describe, expect, it } from 'vitest';
import { defaultApi, defaultLogin } from '../core/policy.ts';
import { createGuard } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { LiveGuard, lentStore } from './live-guard.ts';

const secret = 'a secret of enough bytes';
const login = { action: 'auth.login', account: 'a', ip: '192.0.2.1' };

describe('a guard that is replaced', () => {
  it('keeps records and listeners, and goes by the new policies', async () => {
    const store = createMemoryStore();
    const guardOf = (policies: Parameters<typeof createGuard>[0]['policies']) =>
      createGuard({ secret, store: lentStore(store), ...(policies === undefined ? {} : { policies }) });
    const live = new LiveGuard(guardOf([defaultLogin]));
    const told: string[] = [];
    const stop = live.on('decision', ({ op, decision }) => told.push(`${op} ${decision.outcome}`));
    await live.fail(login);
    await live.fail(login);
    await expect(live.consume({ action: 'api.heavy', ip: '192.0.2.1' })).rejects.toThrow(
      'action must be one',
    );
    await live.replace(guardOf([defaultLogin, defaultApi]));
    expect((await live.check(login)).outcome).toBe('HARD_BLOCK');
    expect((await live.consume({ action: 'api.heavy', ip: '192.0.2.1' })).outcome).toBe('ALLOW');
    expect(told).toEqual(['fail ALLOW', 'fail HARD_BLOCK', 'check HARD_BLOCK', 'consume ALLOW']);
    stop();
    await live.check(login);
    expect(told).toHaveLength(4);
  });

  it('lets what is under way end where it began', async () => {
    const store = createMemoryStore();
    const make = () => createGuard({ secret, store: lentStore(store) });
    const live = new LiveGuard(make());
    const underWay = Array.from({ length: 20 }, (_, n) =>
      live.fail({ ...login, account: `a${n}`, ip: `192.0.2.${n}` }),
    );
    const replaced = live.replace(make());
    const decisions = await Promise.all(underWay);
    await replaced;
    expect(decisions.map(({ mode }) => mode)).toEqual(decisions.map(() => 'NORMAL'));
  });

  it('counts a guess that was being verified meanwhile', async () => {
    const store = createMemoryStore();
    const make = () => createGuard({ secret, store: lentStore(store) });
    const live = new LiveGuard(make());
    const wrong = await live.attempt(login, async () => {
      await live.replace(make());
      return null;
    });
    expect(wrong).toMatchObject({ allowed: false, decision: { mode: 'NORMAL' } });
    expect((await live.explain(login)).keys).not.toEqual([]);
    const right = await live.attempt({ ...login, account: 'b', ip: '192.0.2.2' }, async () => {
      await live.replace(make());
      return 'b';
    });
    expect(right).toMatchObject({ allowed: true, value: 'b' });
  });

  it('tells nobody who has stopped listening, also of what the guard before has under way', async () => {
    const store = createMemoryStore();
    const late = { ...lentStore(store), immediate: undefined, viewNow: undefined };
    const live = new LiveGuard(createGuard({ secret, store: late }));
    let told = 0;
    const stop = live.on('decision', () => {
      told += 1;
    });
    const underWay = [live.check(login), live.check(login)];
    await live.replace(createGuard({ secret, store: late }));
    stop();
    await Promise.all(underWay);
    await live.check(login);
    expect(told).toBe(0);
  });

  it('lends its store without letting anybody close it', async () => {
    const store = createMemoryStore();
    await lentStore(store).close();
    await expect(store.ping()).resolves.toBeUndefined();
  });
});
