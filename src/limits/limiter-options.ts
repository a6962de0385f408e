import { Fault, shapeOf } from '../core/fault.ts';
import { assertKind, assertOptions, type OptionKinds } from '../core/options.ts';
import type { Secret } from '../identity/hmac.ts';
import { assertStore } from '../stores/assert-store.ts';
import type { Store } from '../stores/store.ts';
import type { AllowListOptions } from './allow-list.ts';
import type { Limit } from './allowance.ts';
import type { Call } from './call.ts';
import type { LimitListener } from './events.ts';
import type { Route } from './route-table.ts';
import type { WarningListener } from './warning.ts';

/** Another limit for one user, or for the addresses of a range. */
export interface LimitOverride extends Limit {
  readonly user?: string | undefined;
  readonly cidr?: string | undefined;
}

/** Rules that can run in shadow. */
export type ShadowRule = 'limit' | 'auto-block';

/** How a limiter is made. Only `store` and `secret` are needed. */
export interface LimiterOptions {
  /** Where clients are remembered. Limiters may share a store when their names differ. */
  readonly store: Store;
  /** Hashes users and addresses before they become keys. At least 16 bytes. */
  readonly secret: Secret;
  /** The secret before this one, while a key rotation runs. */
  readonly previousSecret?: Secret | undefined;
  /** Part of every key, so that environments can share a store. Default `default`. */
  readonly environment?: string | undefined;
  /** Part of every key, and the policy's name in the RateLimit headers. Default `default`. */
  readonly name?: string | undefined;
  /** Steady rate of a signed-in user, in units of cost. Default 10. */
  readonly ratePerSecond?: number | undefined;
  /** How many seconds of the rate may be spent at once, from 2 to 4. Default 3. */
  readonly burst?: number | undefined;
  /** The limit of everybody else. Default: a quarter of the rate, but not less than 0.001, and the same burst. */
  readonly anonymous?: Partial<Limit> | undefined;
  /** What routes cost; the first match wins. Default: the table of `defaultRoutes`. */
  readonly routes?: readonly Route[] | undefined;
  /** What a call costs that no route matches. Default 1. */
  readonly otherCost?: number | undefined;
  /** Other limits for some; one for the user counts before one for its address. */
  readonly overrides?: readonly LimitOverride[] | undefined;
  /** Another limit for this call, before all others: an operator's pin, a customer's plan. */
  readonly limitFor?: ((call: Call) => Limit | null | undefined) | undefined;
  /** Who is not limited. Default: nobody. */
  readonly allow?: AllowListOptions | undefined;
  /** Rules that decide and tell, but never refuse; `true` for all. Default none. */
  readonly shadow?: boolean | readonly ShadowRule[] | undefined;
  /** Of the refill rate, from 0.1 to 1: how much the service can bear now. Default 1. */
  readonly refillScale?: ((call: Call) => number) | undefined;
  readonly onEvent?: LimitListener | undefined;
  /** Told of mistakes in the set-up. Default: a warning of the process. */
  readonly warn?: WarningListener | undefined;
  /** Time in ms while the store fails. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

/** Which rules run in shadow. */
export interface Shadows {
  readonly limit: boolean;
  readonly autoBlock: boolean;
}

/** @throws Fault `CONFIG_INVALID` when a rule is not known. */
export function shadowsOf(shadow: LimiterOptions['shadow'] = false): Shadows {
  if (typeof shadow === 'boolean') return { limit: shadow, autoBlock: shadow };
  assertKind('shadow', shadow, 'list');
  for (const rule of shadow) {
    if (rule === 'limit' || rule === 'auto-block') continue;
    throw new Fault('CONFIG_INVALID', `shadow must list "limit" or "auto-block", got ${shapeOf(rule)}`);
  }
  return { limit: shadow.includes('limit'), autoBlock: shadow.includes('auto-block') };
}

const optionKinds: OptionKinds<LimiterOptions> = {
  store: 'checked',
  secret: 'checked',
  previousSecret: 'checked',
  environment: 'checked',
  name: 'checked',
  ratePerSecond: 'checked',
  burst: 'checked',
  anonymous: 'object',
  routes: 'list',
  otherCost: 'checked',
  overrides: 'list',
  limitFor: 'function',
  allow: 'object',
  shadow: 'checked',
  refillScale: 'function',
  onEvent: 'function',
  warn: 'function',
  clock: 'function',
};

/** @throws Fault `CONFIG_INVALID` when an option is unknown, or of a kind that would only fail once it is used. */
export function assertKinds(options: LimiterOptions): void {
  assertOptions('a limiter', options, optionKinds);
  assertStore(options.store);
}
