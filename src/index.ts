import { Fault } from './core/fault.ts';
import { assertOptions, type OptionKinds } from './core/options.ts';
import { defaultPolicies, type Policy } from './core/policy.ts';
import { type FailureOptions, readFailureOptions } from './guard/failure/failure-options.ts';
import { assembleGuard, type Guard } from './guard/guard.ts';
import { assertSecret, type Secret } from './identity/hmac.ts';
import { createIdentifier } from './identity/identifier.ts';
import { warnOfDeployment } from './limits/deployment-warnings.ts';
import { assertStore } from './stores/assert-store.ts';
import { createMemoryStore } from './stores/memory/index.ts';
import type { Store } from './stores/store.ts';

/** How to make a guard. */
export interface GuardOptions {
  /** Server-side secret for the keys, at least 16 bytes. */
  readonly secret: Secret;
  /** The secret before this one, while a key rotation runs. */
  readonly previousSecret?: Secret | undefined;
  /** Where records live; default: a memory store of its own. */
  readonly store?: Store | undefined;
  /** Default: login, otp and api with the numbers of the engine contract. */
  readonly policies?: readonly Policy[] | undefined;
  /** Part of every key, so that environments can share a store; default `default`. */
  readonly environment?: string | undefined;
  /** What happens when the store fails; default: the numbers of the engine contract. */
  readonly failure?: FailureOptions | undefined;
  /** Of ALLOW decisions in mode NORMAL, every how many are told as `decision` events; default 1: all. */
  readonly allowEventEvery?: number | undefined;
}

const optionKinds: OptionKinds<GuardOptions> = {
  secret: 'checked',
  previousSecret: 'checked',
  store: 'checked',
  policies: 'list',
  environment: 'checked',
  failure: 'object',
  allowEventEvery: 'checked',
};

/**
 * A guard over a store.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or out of range, or the policies contradict
 * each other; the message names it.
 */
export function createGuard(options: GuardOptions): Guard {
  assertSecret((options as Partial<GuardOptions> | undefined)?.secret);
  assertOptions('a guard', options, optionKinds);
  if (options.store !== undefined) assertStore(options.store);
  const { secret, previousSecret, policies = defaultPolicies, environment = 'default' } = options;
  const store = options.store ?? createMemoryStore();
  // A memory store of its own answers before any timer could run.
  const failure = options.store ? options.failure : { deadlineMs: null, ...options.failure };
  const guard = assembleGuard({
    failure: readFailureOptions(failure),
    allowEventEvery: options.allowEventEvery ?? 1,
    store,
    identifier: createIdentifier({ secret, previousSecret }),
    policies,
    environment,
  });
  warnOfDeployment(store);
  return guard;
}

export type { Decision, Mode, Outcome, Reason, Rule, Scope } from './core/decision.ts';
export type { FaultCode } from './core/fault.ts';
export { faultCatalogue } from './core/fault.ts';
export type { CredentialPolicy, Policy, RatePolicy } from './core/policy.ts';
export { defaultApi, defaultLogin, defaultOtp, defaultPolicies } from './core/policy.ts';
export type { Key, Records, Retention, StoredRecord } from './core/records.ts';
export type { Confidence } from './core/subject.ts';
export type { Attempt, AttemptOptions, Verify, Wrong } from './guard/attempt.ts';
export type { ActiveBlock } from './guard/block-steps.ts';
export type {
  AuditEvent,
  BreakerEvent,
  CapEvent,
  CorruptEvent,
  CriticalEvent,
  DecisionEvent,
  DegradedEpochEvent,
  GuardEvents,
  Listener,
  ListenerFaultEvent,
  ModeEvent,
  StoreEvent,
} from './guard/events.ts';
export type { BudgetExplanation, Explanation, KeyExplanation, Moment } from './guard/explanation.ts';
export type { Clock } from './guard/failure/clock.ts';
export type { FailureOptions } from './guard/failure/failure-options.ts';
export type { BreakerPolicy, CapScope, DegradedCap } from './guard/failure/failure-policy.ts';
export type { PolicyStatus } from './guard/failure/policy-mode.ts';
export type { Guard, OperationTime } from './guard/guard.ts';
export type { Placement } from './guard/operator-calls.ts';
export type { GuardRequest } from './guard/signals.ts';
export type { Secret } from './identity/hmac.ts';
export type { OperatorNote } from './operators/operator-note.ts';
export type { HeldRecord, Store } from './stores/store.ts';
export { Fault };
