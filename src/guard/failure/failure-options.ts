import { assertWhole } from '../../core/amounts.ts';
import { LONGEST_TIMER_MS } from '../../core/duration.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import { assertKind, assertOptions, type OptionKinds } from '../../core/options.ts';
import type { Policy } from '../../core/policy.ts';
import { defaultDeadlineMs } from '../../stores/default-deadline.ts';
import { capsMisfits } from './caps-fit.ts';
import { type Clock, systemClock } from './clock.ts';
import { DegradedCaps, type LocalCaps } from './degraded-caps.ts';
import {
  type BreakerPolicy,
  type CapScope,
  type DegradedCap,
  defaultBreaker,
  defaultCaps,
} from './failure-policy.ts';

/** What a guard does when its store fails, as a host may set it. */
export interface FailureOptions {
  /**
   * Time for one operation on the store, in milliseconds. Default 50. Null: none, for a store that keeps a deadline
   * of its own.
   */
  readonly deadlineMs?: number | null | undefined;
  /** How many nodes share the store. Only the reported bounds depend on it. Default 1. */
  readonly nodes?: number | undefined;
  /** Time and timers. Default: those of the process. */
  readonly clock?: Clock | undefined;
  /** Numbers of the breaker. The defaults are the contract's; others are for tests and drills. */
  readonly breaker?: Partial<BreakerPolicy> | undefined;
  /** Local caps by policy name. The defaults are the contract's; others are for tests and drills. */
  readonly caps?: Readonly<Record<string, readonly DegradedCap[]>> | undefined;
  /**
   * What an operator wants of a policy while the store is away: that nobody passes, or that those within the local
   * caps do, also while it would be shut. Null: what the contract says. Default: null.
   */
  readonly pinned?: ((policy: string) => 'closed' | 'caps' | null) | undefined;
}

/** The same, complete. */
export interface FailureSettings {
  readonly deadlineMs: number | null;
  readonly nodes: number;
  readonly clock: Clock;
  readonly breaker: BreakerPolicy;
  /** Those that were named, by policy. */
  readonly caps: NonNullable<FailureOptions['caps']>;
  readonly capsOf: (policy: Policy) => readonly DegradedCap[];
  readonly pinned: (policy: string) => 'closed' | 'caps' | null;
  readonly openCaps: (caps: readonly DegradedCap[]) => LocalCaps;
}

const optionKinds: OptionKinds<FailureOptions> = {
  deadlineMs: 'checked',
  nodes: 'checked',
  clock: 'object',
  breaker: 'object',
  caps: 'object',
  pinned: 'function',
};

const breakerKinds: OptionKinds<BreakerPolicy> = {
  tripFailures: 'checked',
  tripWindowMs: 'checked',
  minOpenMs: 'checked',
  probeEveryMs: 'checked',
  healthyMs: 'checked',
  shutAtEntry: 'checked',
  entryWindowMs: 'checked',
  shutMs: 'checked',
};

/** @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or out of range. */
export function readFailureOptions(options: FailureOptions = {}): FailureSettings {
  assertOptions('failure', options, optionKinds);
  assertOptions('failure.breaker', options.breaker ?? {}, breakerKinds);
  const { deadlineMs = defaultDeadlineMs, nodes = 1, clock = systemClock, caps = {} } = options;
  if (deadlineMs !== null) assertPositive('failure.deadlineMs', deadlineMs, LONGEST_TIMER_MS);
  assertPositive('failure.nodes', nodes);
  const breaker = { ...defaultBreaker, ...options.breaker };
  for (const [name, value] of Object.entries(breaker)) assertPositive(`failure.breaker.${name}`, value);
  assertPositive('failure.breaker.probeEveryMs', breaker.probeEveryMs, LONGEST_TIMER_MS);
  for (const [name, policyCaps] of Object.entries(caps)) assertCaps(`failure.caps.${name}`, policyCaps);
  return {
    deadlineMs,
    nodes,
    clock,
    breaker,
    caps,
    capsOf: (policy) =>
      (Object.hasOwn(caps, policy.name) ? caps[policy.name] : undefined) ?? defaultCaps(policy),
    pinned: options.pinned ?? (() => null),
    openCaps: (policyCaps) => new DegradedCaps(policyCaps),
  };
}

/** @throws Fault `CONFIG_INVALID` that tells the first of {@link capsMisfits} */
export function assertCapsFit({ caps }: FailureSettings, policies: readonly Policy[]): void {
  const [misfit] = capsMisfits(caps, policies);
  if (misfit === undefined) return;
  const { policy, place, message } = misfit;
  throw new Fault('CONFIG_INVALID', `failure.caps.${policy}${place} ${message}`);
}

const capScopes: ReadonlySet<unknown> = new Set<CapScope>(['K4', 'K2', 'K1']);

function assertCaps(path: string, caps: readonly DegradedCap[]): void {
  assertKind(path, caps, 'list');
  if (caps.length === 0) {
    throw new Fault('CONFIG_INVALID', `${path} must have one cap at least: without any, all would pass`);
  }
  caps.forEach(({ scope, count, windowMs }: DegradedCap, index) => {
    assertPositive(`${path}[${index}].count`, count);
    assertPositive(`${path}[${index}].windowMs`, windowMs);
    if (!capScopes.has(scope)) {
      throw new Fault(
        'CONFIG_INVALID',
        `${path}[${index}].scope must be K4, K2 or K1, got ${shapeOf(scope)}`,
      );
    }
  });
}

function assertPositive(path: string, value: number, most?: number): void {
  assertWhole('CONFIG_INVALID', path, value, 1, most);
}
