import { describe, expect, it } from 'vitest';
import { createGuard } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { LoginOutcome } from './events.ts';
import type { LoginAttempt } from './login-backoff.ts';
import { MatrixBackoff } from './matrix-backoff.ts';

function scene() {
  const now = Date.UTC(2026, 0, 1);
  const guard = createGuard({
    secret: 'a secret for tests only',
    store: createMemoryStore({ clock: () => now }),
  });
  return { guard, backoff: new MatrixBackoff({ guard }) };
}

const login = (ip: string, identifier = 'alice@example.com'): LoginAttempt => ({
  identifiers: [identifier],
  isOneTimeCode: false,
  hasCredential: true,
  provesIdentifier: true,
  ip,
  ua: null,
});

describe('logins at once, over the engine', () => {
  it.each([
    ['which is right', 'success'],
    ['which is wrong', 'failure'],
  ] satisfies [string, LoginOutcome][])(
    'say of one that a block has overtaken no word on %s',
    async (_, outcome) => {
      const { guard, backoff } = scene();
      const overtaken = login('192.0.2.200');
      const verdict = await backoff.attempt(overtaken);
      if (!verdict.allowed) expect.unreachable();
      for (let guess = 0; guess < 3; guess += 1)
        await backoff.settle(login(`192.0.2.${guess}`), verdict, 'failure');
      expect(await backoff.settle(overtaken, verdict, outcome)).toMatchObject({
        allowed: false,
        reason: 'identifier',
        retryAfterSeconds: 300,
      });
      const elsewhere = { action: 'auth.login', account: 'bob@example.com', ip: '192.0.2.200' };
      expect(await guard.fail(elsewhere)).toMatchObject({ outcome: 'HARD_BLOCK', level: 2, scope: 'K2' });
    },
  );

  it('leave the answer to Kratos where no block ran before it', async () => {
    const { backoff } = scene();
    const verdict = await backoff.attempt(login('192.0.2.1'));
    if (!verdict.allowed) expect.unreachable();
    const answers = await Promise.all(
      [1, 2, 3].map((host) => backoff.settle(login(`192.0.2.${host}`), verdict, 'failure')),
    );
    expect(answers).toEqual([null, null, null]);
  });
});
