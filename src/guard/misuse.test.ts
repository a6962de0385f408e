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

  it.each([1.5, -1, Number.NaN, 2 ** 53, '5', null])('takes no time that is %j', async (given) => {
    const guard = createGuard({ secret });
    const time = { at: given as number };
    const call = { action: 'api.heavy', ip: '192.0.2.1' };
    for (const asked of [
      guard.check(request, time),
      guard.fail(request, time),
      guard.succeed(request, time),
      guard.consume(call, 1, time),
      guard.explain(request, time),
    ]) {
      await expect(asked).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        message: /^at must be whole milliseconds from 0 on, got /,
      });
    }
    expect(await guard.fail(request, { at: 0 })).toMatchObject({ mode: 'NORMAL' });
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
