import { describe, expect, test } from 'vitest';
import { api, login, MINUTE, openSickGuard, tripLogin } from './sick-guard.ts';

describe('an explanation while the policy does not decide on its store', () => {
  test('says so first, and does not call what the store says the present', async () => {
    const sick = openSickGuard();
    await tripLogin(sick);
    sick.store.trouble(null);
    const { now, next, words } = await sick.guard.explain(login());
    expect(now).toMatchObject({ outcome: 'ALLOW', mode: 'DEGRADED' });
    expect(next.decision.mode).toBe('DEGRADED');
    expect(now.mode).toBe((await sick.guard.check(login())).mode);
    expect(words.slice(0, 2)).toEqual([
      'The policy is DEGRADED: local caps decide while the store is away. What follows is what the store says.',
      'By the store: ALLOW.',
    ]);
    expect(words.filter((line) => line.startsWith('Now:'))).toEqual([]);
  });

  test('says that nobody passes when the policy is shut', async () => {
    const sick = openSickGuard({ breaker: { shutAtEntry: 1 } });
    await tripLogin(sick);
    sick.store.trouble(null);
    const { now, words } = await sick.guard.explain(login());
    expect(now.mode).toBe('FAIL_CLOSED');
    expect(words[0]).toMatch(/^The policy is FAIL_CLOSED: everybody is refused while the store is away\./);
  });

  test('is of its own policy alone, and as ever once the store is back', async () => {
    const sick = openSickGuard();
    await tripLogin(sick);
    sick.store.trouble(null);
    expect((await sick.guard.explain(api())).words[0]).toBe('Now: ALLOW.');
    await sick.clock.advance(6 * MINUTE);
    const { now, words } = await sick.guard.explain(login());
    expect([now.mode, words[0]]).toEqual(['NORMAL', 'Now: ALLOW.']);
  });

  test('is a fault of the store where it cannot be read', async () => {
    const sick = openSickGuard();
    await tripLogin(sick);
    await expect(sick.guard.explain(login())).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  test('is refused for a wrong request as a rejection, never as a throw', async () => {
    const explaining = openSickGuard().guard.explain({ action: 'auth.login', account: 'a1', ip: 'nowhere' });
    await expect(explaining).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});
