import type { ListenSettings } from '../../config/service-config.ts';
import { assertNumber } from '../../core/amounts.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { assertOptions, type OptionKinds } from '../../core/options.ts';

/** What a connection may take of the service. Times in milliseconds. */
export interface ConnectionBounds {
  /** Bytes of all headers of a request; more is answered with 431. */
  readonly headerBytes: number;
  /** Until a whole request is here; then 408. */
  readonly requestMs: number;
  /** How long a connection may stay without a request. */
  readonly idleMs: number;
  /** How long nothing may move on a connection that has an answer to take. Default 60 s; the live feed says something more often. */
  readonly stalledMs: number;
  /** Connections at once. Near the bound idle ones go first, then those that have brought no request yet. */
  readonly connections: number;
  /** Requests of one connection without an answer yet; with one more it ends. Default 32. */
  readonly requestsAtOnce?: number | undefined;
  /** From the signal on: how long requests are still taken, so that clients learn to go elsewhere. Default 250 ms. */
  readonly graceMs: number;
  /** Until connections are cut, whatever they do. */
  readonly drainMs: number;
}

const graceMs = 250;
const stalledMs = MINUTE_MS;

const boundKinds: OptionKinds<ConnectionBounds> = {
  headerBytes: 'checked',
  requestMs: 'checked',
  idleMs: 'checked',
  stalledMs: 'checked',
  connections: 'checked',
  requestsAtOnce: 'checked',
  graceMs: 'checked',
  drainMs: 'checked',
};

/**
 * The bounds of a configuration, and those that a host gives instead.
 *
 * @throws Fault `CONFIG_INVALID` when a bound is unknown or no number: it would bound nothing.
 */
export function boundsOf(listen: ListenSettings, given: Partial<ConnectionBounds> = {}): ConnectionBounds {
  assertOptions('bounds', given, boundKinds);
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) assertNumber('CONFIG_INVALID', `bounds.${name}`, value, 0);
  }
  return {
    headerBytes: listen.maxHeaderBytes,
    requestMs: listen.requestTimeoutMs,
    idleMs: listen.keepAliveTimeoutMs,
    connections: listen.maxConnections,
    graceMs,
    stalledMs,
    drainMs: listen.drainMs,
    ...given,
  };
}
