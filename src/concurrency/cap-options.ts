import { assertNumber, assertWhole } from '../core/amounts.ts';
import { DAY_MS, MINUTE_MS } from '../core/duration.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';
import { harmless } from '../listeners/listener-warnings.ts';
import type { CapListener } from './admission.ts';
import { type Clock, systemClock } from './clock.ts';
import { fixedLimit, type Limit } from './limit.ts';
import { assertLimitIsFree } from './limit-holding.ts';
import { PressureMeter } from './pressure.ts';

/** How one cap behaves. */
export interface CapOptions {
  /** How many calls run at once: a number, or a limit that moves (`gradientLimit`). */
  readonly limit: number | Limit;
  /** Its name in denials and events. Default `default`. */
  readonly route?: string;
  /** How many wait at most; as many health checks besides. Default: the limit it starts with. */
  readonly queue?: number;
  /** How long a call waits at most. Default 1 s. */
  readonly queueDeadlineMs?: number;
  /** Slots beside the limit that health checks alone take: the load of others never sheds them. Default 2. */
  readonly healthReserve?: number;
  /** After this, or an eighth later, a slot is taken back from a call that has not ended, with an event. Default 60 s. */
  readonly maxRunMs?: number;
  /**
   * What the limit learns from: the time calls keep their slot (`handler`, default), or only what `observe` and
   * `measure` tell (`reported`). Choose `reported` where a slow reader can stretch a response.
   */
  readonly learnFrom?: 'handler' | 'reported';
  /** Decides and tells, never denies, lets wait or aborts; adds no pressure. Default false. */
  readonly shadow?: boolean;
  readonly clock?: Clock;
  readonly onEvent?: CapListener;
  /** Where pressure is counted; caps of one service share it. Default: one of its own. */
  readonly meter?: PressureMeter;
}

/** A cap's options, without those that its service decides for all. */
export type RouteOptions = Omit<CapOptions, 'route' | 'clock' | 'onEvent' | 'meter'>;

export const routeKinds: OptionKinds<RouteOptions> = {
  limit: 'checked',
  queue: 'checked',
  queueDeadlineMs: 'checked',
  healthReserve: 'checked',
  maxRunMs: 'checked',
  learnFrom: 'checked',
  shadow: 'boolean',
};

const optionKinds: OptionKinds<CapOptions> = {
  ...routeKinds,
  route: 'text',
  clock: 'object',
  onEvent: 'function',
  meter: 'object',
};

/** The options with their defaults, checked. */
export interface CapSettings {
  readonly limit: Limit;
  readonly route: string;
  readonly queue: number;
  readonly queueDeadlineMs: number;
  readonly healthReserve: number;
  readonly maxRunMs: number;
  readonly learnsFromHandler: boolean;
  readonly shadow: boolean;
  readonly clock: Clock;
  readonly onEvent: CapListener;
  readonly meter: PressureMeter;
}

/** The most calls a cap lets run or wait. */
export const LARGEST_LIMIT = 1_000_000;
/** The longest time a cap measures: timers of a day are exact, those of a month overflow. */
const LONGEST_MS = DAY_MS;

/**
 * Only looks whether the limit is free: whoever makes the cap holds it.
 *
 * @param beside of the caps that are made together with this one
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or out of range, or the limit another cap's.
 */
export function completeCapOptions(options: CapOptions, beside: readonly CapSettings[] = []): CapSettings {
  assertOptions('a cap', options, optionKinds);
  const limit = readLimit(options.limit);
  const { queue = limit.current, queueDeadlineMs = 1_000, healthReserve = 2, maxRunMs = MINUTE_MS } = options;
  const settings = Object.freeze({
    limit,
    route: options.route ?? 'default',
    queue,
    queueDeadlineMs,
    healthReserve,
    maxRunMs,
    learnsFromHandler: readSource(options.learnFrom) === 'handler' && typeof options.limit !== 'number',
    shadow: options.shadow ?? false,
    clock: options.clock ?? systemClock,
    onEvent: options.onEvent === undefined ? () => {} : harmless('cap', options.onEvent),
    meter: options.meter ?? new PressureMeter(),
  });
  assertWhole('CONFIG_INVALID', 'limit', limit.current, 1, LARGEST_LIMIT);
  assertNumber('CONFIG_INVALID', 'limit.strain', limit.strain, 0, 1);
  assertWhole('CONFIG_INVALID', 'queue', queue, 0, LARGEST_LIMIT);
  assertWhole('CONFIG_INVALID', 'queueDeadlineMs', queueDeadlineMs, 1, LONGEST_MS);
  assertWhole('CONFIG_INVALID', 'healthReserve', healthReserve, 1, LARGEST_LIMIT);
  assertWhole('CONFIG_INVALID', 'maxRunMs', maxRunMs, 1, LONGEST_MS);
  assertLimitIsFree(limit, beside);
  return settings;
}

function readSource(source: CapOptions['learnFrom'] = 'handler'): 'handler' | 'reported' {
  if (source === 'handler' || source === 'reported') return source;
  throw new Fault('CONFIG_INVALID', `learnFrom must be "handler" or "reported", got ${shapeOf(source)}`);
}

function readLimit(limit: CapOptions['limit']): Limit {
  if (typeof limit === 'number') return fixedLimit(limit);
  if (typeof limit === 'object' && limit !== null && typeof limit.observe === 'function') return limit;
  throw new Fault('CONFIG_INVALID', `limit must be a number or a limit that moves, got ${shapeOf(limit)}`);
}
