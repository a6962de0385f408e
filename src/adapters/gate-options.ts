import type { Caps } from '../concurrency/index.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { assertKind, assertOptions, assertPart, type OptionKinds } from '../core/options.ts';
import { attemptedActions } from '../guard/attempted-actions.ts';
import type { Guard } from '../guard/guard.ts';
import type { Limiter } from '../limits/index.ts';
import type { CapGateOptions } from './cap-gate.ts';
import type { ClientAddressOptions } from './client-address.ts';
import type { LimitOptions } from './limit-gate.ts';
import { defaultAction, type ProtectOptions } from './sign-in-gate.ts';

/** The options that an adapter has beside those of all. */
type OwnKinds<Options, Common> = OptionKinds<Omit<Options, keyof Common>>;

type CommonLimit = LimitOptions<[]>;
type CommonCap = CapGateOptions<[]>;
type CommonProtect = ProtectOptions<[], unknown>;

const addressKinds: OptionKinds<ClientAddressOptions> = {
  trustedProxies: 'checked',
  forwardingHeader: 'checked',
  warn: 'function',
};

/** @throws Fault `CONFIG_INVALID` when an option is unknown or of the wrong type. */
export function assertClientAddress(options: ClientAddressOptions): void {
  assertOptions('a client address', options, addressKinds);
}

const limitKinds: OptionKinds<CommonLimit> = {
  user: 'function',
  skip: 'function',
  basePath: 'text',
  skipSuccessfulRequests: 'boolean',
  skipFailedRequests: 'boolean',
  requestWasSuccessful: 'function',
  scenarios: 'checked',
  standardHeaders: 'boolean',
  legacyHeaders: 'boolean',
  ...addressKinds,
};

const capKinds: OptionKinds<CommonCap> = { route: 'function', basePath: 'text', pressureHeader: 'boolean' };

const protectKinds: OptionKinds<CommonProtect> = {
  account: 'function',
  verify: 'function',
  action: 'text',
  devices: 'checked',
  isLastFactor: 'boolean',
  ...addressKinds,
};

/** Whatever the framework hands to the functions among them. */
type CommonOf<Common> = { readonly [Name in keyof Common]?: unknown };

/** @throws Fault `CONFIG_INVALID` when there is no limiter, or an option is unknown or of the wrong type. */
export function assertLimit<Options extends CommonOf<CommonLimit>>(
  limiter: Limiter,
  options: Options,
  own: OwnKinds<Options, CommonLimit>,
): void {
  assertPart('limiter', limiter, ['take', 'settle'], 'what createLimiter gives');
  assertOptions('limit', options, { ...limitKinds, ...own });
  if (options.scenarios !== undefined) {
    const methods = ['standing', 'delay', 'observe'];
    assertPart('scenarios', options.scenarios, methods, 'what createScenarios gives');
  }
}

/** @throws Fault `CONFIG_INVALID` when there are no caps, or an option is unknown or of the wrong type. */
export function assertCap<Options extends object>(
  caps: Caps,
  options: Options,
  own: OwnKinds<Options, CommonCap>,
): void {
  // One cap alone admits too, but knows no routes.
  assertPart('caps', caps, ['admit', 'cap'], 'what createCaps gives');
  assertOptions('cap', options, { ...capKinds, ...own });
}

/**
 * A sign-in is protected less than was asked for where an option is not read: `isLastFactor` under another name lets a
 * device be known by the password alone.
 *
 * @throws Fault `CONFIG_INVALID` when there is no guard, or an option is unknown, missing or of the wrong type.
 */
export function assertProtect<Options extends CommonOf<CommonProtect>>(
  guard: Guard,
  options: Options,
  own: OwnKinds<Options, CommonProtect>,
): void {
  assertPart('guard', guard, ['check', 'fail', 'succeed'], 'what createGuard gives');
  assertOptions('protect', options, { ...protectKinds, ...own });
  assertAction(guard, options.action);
  assertKind('account', options.account, 'function');
  assertKind('verify', options.verify, 'function');
  if (options.devices !== undefined)
    assertPart('devices', options.devices, ['show', 'issue'], 'what createDevices gives');
}

/** Else every sign-in would end in a fault. */
function assertAction(guard: Guard, action: unknown = defaultAction): void {
  const actions: readonly unknown[] = attemptedActions.get(guard) ?? [action];
  if (actions.includes(action)) return;
  throw new Fault('CONFIG_INVALID', `action must be one of ${actions.join(', ')}, got ${shapeOf(action)}`);
}
