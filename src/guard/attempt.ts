import type { Decision } from '../core/decision.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { type OptionKinds, optionProblem } from '../core/options.ts';
import type { GuardRequest } from './signals.ts';

/** How an attempt ended. `decision` is the one that settled it. */
export type Attempt<T> =
  | { readonly allowed: true; readonly value: T; readonly decision: Decision }
  | { readonly allowed: false; readonly value: null; readonly decision: Decision };

/** What a verifier resolves to when the credentials were wrong. */
export type Wrong = null | undefined | false;

/** Looks at the credentials: resolves to a value, or to what says that they are wrong. */
export type Verify<T> = () => Promise<T | Wrong> | T | Wrong;

/** What an attempt is a part of. */
export interface AttemptOptions {
  /**
   * Whether right credentials are all that a sign-in takes. Default true. False where another factor follows: then they
   * make no device known to the account. The book of devices is one for all policies, and whoever has only the password
   * would meet the code as somebody who is known.
   */
  readonly isLastFactor?: boolean | undefined;
}

const optionKinds: OptionKinds<AttemptOptions> = { isLastFactor: 'boolean' };

interface Parts {
  check(request: GuardRequest): Promise<Decision>;
  fail(request: GuardRequest): Promise<Decision>;
  succeed(request: GuardRequest): Promise<Decision>;
  recheck?(request: GuardRequest): Promise<Decision>;
}

/** What the guard is told of right credentials, after what it had said before; a HARD_BLOCK refuses them. */
type Conclude = (checked: Decision) => Promise<Decision>;

/**
 * check → verify → fail or succeed. A block stops before the credentials are looked at, unless it is deferred; a
 * success that a HARD block has overtaken is refused as if it were none. What `verify` throws is passed on and counts as
 * nothing on the store; without it the `check` has counted already (engine contract §12).
 */
export function attempt<T>(
  guard: Parts,
  request: GuardRequest,
  verify: Verify<T>,
  options?: AttemptOptions,
): Promise<Attempt<T>> {
  const problem = options === undefined ? null : optionProblem('an attempt', options, optionKinds);
  if (problem !== null) return Promise.reject(new Fault('INPUT_INVALID', problem));
  const { isLastFactor = true } = options ?? {};
  const conclude: Conclude = isLastFactor
    ? () => guard.succeed(request)
    : (checked) => lookAgain(guard, request, checked);
  return attemptThen(guard, request, verify, conclude);
}

/** The same with another end for right credentials. */
export async function attemptThen<T>(
  guard: Parts,
  request: GuardRequest,
  verify: Verify<T>,
  conclude: Conclude,
): Promise<Attempt<T>> {
  if (typeof verify !== 'function') {
    throw new Fault('INPUT_INVALID', `verify must be a function, got ${shapeOf(verify)}`);
  }
  const checked = await guard.check(request);
  if (!isLetThrough(checked)) return { allowed: false, value: null, decision: checked };
  const value = await verify();
  if (value === null || value === undefined || value === false) {
    return { allowed: false, value: null, decision: await guard.fail(request) };
  }
  const decision = await conclude(checked);
  if (decision.outcome !== 'HARD_BLOCK') return { allowed: true, value, decision };
  // Keys that no block stops remember a failure: whoever has guessed from many addresses at once would find the right guess
  // by the one that left no trace. Where the block lies on the account nothing is written there, and without the store
  // nothing at all.
  const refusal = decision.mode === 'NORMAL' ? await guard.fail(request) : decision;
  return { allowed: false, value: null, decision: refusal };
}

/** Whether a host goes on to look at the credentials after this check. */
export const isLetThrough = ({ outcome, deferred }: Decision): boolean => outcome === 'ALLOW' || deferred;

/**
 * Whether the end of an attempt was refused whatever its credentials are: by a block that came after its check, or because
 * the store was lost meanwhile.
 */
export const isOvertaken = ({ reasons }: Decision): boolean =>
  reasons.some(({ rule, outcome }) => outcome === 'HARD_BLOCK' && (rule === 'blocked' || rule === 'store'));

/**
 * Right credentials that are not all: what a guess in parallel has brought meanwhile refuses them, and nothing is written.
 * Without the store every check counts as an attempt, so that there is no second one.
 */
export async function lookAgain(guard: Parts, request: GuardRequest, checked: Decision): Promise<Decision> {
  if (checked.mode !== 'NORMAL') return checked;
  return guard.recheck === undefined ? guard.check(request) : guard.recheck(request);
}
