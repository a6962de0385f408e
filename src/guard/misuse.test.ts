import { describe, expect, it } from 'vitest';
import { createGuard } from '../index.ts';
import type { Listener } from './events.ts';
import type { GuardRequest } from './signals.ts';

const secret = 'a secret of the tests';
const request = { action: 'auth.login', account: 'a1', ip: '192.0.2.1' };

describe('a guard that is misused', () => {
  it.each([null, undefined, 'a1', [request]])('says so of a request that is %j', async (nothing) => {
    const guard = createGuard({ secret });
    const given = nothing as unknown as GuardRequest;
    for (const asked of [guard.check(given), guard.fail(given), guard.explain(given)]) {
      await expect(asked).rejects.toMatchObject({ code: 'INPUT_INVALID', message: /request must be/ });
    }
  });

  it('looks at nothing where an attempt has no way to verify', async () => {
    const guard = createGuard({ secret });
    const decisions: unknown[] = [];
    guard.on('decision', (event) => decisions.push(event));
    const verify = undefined as unknown as () => true;
    await expect(guard.attempt(request, verify)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: 'verify must be a function, got nothing',
    });
    expect(decisions).toEqual([]);
  });

  it('takes no listener that cannot listen', () => {
    const guard = createGuard({ secret });
    const deaf = undefined as unknown as Listener<unknown>;
    expect(() => guard.on('decision', deaf)).toThrow('listener must be a function, got nothing');
  });
});
