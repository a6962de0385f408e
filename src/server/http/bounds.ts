/** What a connection may take of the service. Times in milliseconds. */
export interface ConnectionBounds {
  /** Bytes of all headers of a request. Default 16 KiB; more is answered with 431. */
  readonly headerBytes: number;
  /** Until all headers of a request are here. Default 10 s; then 408. */
  readonly headersMs: number;
  /** Until a whole request is here. Default 15 s; then 408. */
  readonly requestMs: number;
  /** How long a connection may stay without a request. Default 65 s, longer than proxies keep theirs. */
  readonly idleMs: number;
  /** Connections at once. Default 20,000; further ones are closed as they come. */
  readonly connections: number;
  /** From the signal on: how long requests are still taken, so that clients learn to go elsewhere. Default 250 ms. */
  readonly graceMs: number;
  /** Until connections are cut, whatever they do. Default 10 s. */
  readonly drainMs: number;
}

export const defaultBounds: ConnectionBounds = {
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 15_000,
  idleMs: 65_000,
  connections: 20_000,
  graceMs: 250,
  drainMs: 10_000,
};

/** Headers of one request; Node drops the rest. */
export const mostHeaders = 100;
