import type { ListenSettings } from '../../config/service-config.ts';
import { MINUTE_MS } from '../../core/duration.ts';

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

/** The bounds of a configuration. */
export function boundsOf(listen: ListenSettings, given: Partial<ConnectionBounds> = {}): ConnectionBounds {
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
