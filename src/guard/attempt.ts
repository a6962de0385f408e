import type { Decision } from '../core/decision.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import type { GuardRequest } from './signals.ts';

/** How an attempt ended. `decision` is the one that settled it. */
export type Attempt<T> =
  | { readonly allowed: true; readonly value: T; readonly decision: Decision }
  | { readonly allowed: false; readonly value: null; readonly decision: Decision };

/** What a verifier resolves to when the credentials were wrong. */
export type Wrong = null | undefined | false;

interface Parts {
  check(request: GuardRequest): Promise<Decision>;
  fail(request: GuardRequest): Promise<Decision>;
  succeed(request: GuardRequest): Promise<Decision>;
}

/**
 * check → verify → fail or succeed. A block stops before the credentials are looked at, unless it is deferred; a
 * success that a HARD block has overtaken is refused. What `verify` throws is passed on and counts as nothing.
 */
export async function attempt<T>(
  guard: Parts,
  request: GuardRequest,
  verify: () => Promise<T | Wrong> | T | Wrong,
): Promise<Attempt<T>> {
  if (typeof verify !== 'function') {
    throw new Fault('INPUT_INVALID', `verify must be a function, got ${shapeOf(verify)}`);
  }
  const checked = await guard.check(request);
  if (checked.outcome !== 'ALLOW' && !checked.deferred)
    return { allowed: false, value: null, decision: checked };
  const value = await verify();
  if (value === null || value === undefined || value === false) {
    return { allowed: false, value: null, decision: await guard.fail(request) };
  }
  const decision = await guard.succeed(request);
  if (decision.outcome === 'HARD_BLOCK') return { allowed: false, value: null, decision };
  return { allowed: true, value, decision };
}
