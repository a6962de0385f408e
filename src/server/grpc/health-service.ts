import type { handleServerStreamingCall, handleUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { isMalformed } from './grpc-library.ts';
import { statusCodes, unreadable } from './status-codes.ts';

interface HealthRequest {
  readonly service: string;
}

interface HealthResponse {
  readonly status: number;
}

type Watcher = ServerWritableStream<HealthRequest, HealthResponse>;

const serving = 1;
const notServing = 2;
const serviceUnknown = 3;
const notFound = { code: statusCodes.NOT_FOUND, details: 'There is no service of this name' };
const exhausted = { code: statusCodes.RESOURCE_EXHAUSTED, details: 'Too many watch this service' };

/** Streams stay open for as long as their clients like. */
const mostWatchers = 256;

/** `grpc.health.v1.Health`: serving until the service drains. Anybody may ask, as over HTTP. */
export class HealthService {
  readonly #names: ReadonlySet<string>;
  readonly #watchers = new Set<Watcher>();
  #isServing = true;

  /** @param names full names of the services; the empty name, for all of them, is always known. */
  constructor(names: readonly string[]) {
    this.#names = new Set(['', ...names]);
  }

  /** Tells everybody who watches that nothing is served any more, and lets them go. */
  drain(): void {
    this.#isServing = false;
    for (const watcher of this.#watchers) {
      watcher.write({ status: notServing });
      watcher.end();
    }
    this.#watchers.clear();
  }

  readonly check: handleUnaryCall<HealthRequest, HealthResponse> = (call, callback) => {
    if (isMalformed(call.request)) return callback(unreadable);
    if (!this.#names.has(call.request.service)) return callback(notFound);
    return callback(null, { status: this.#status });
  };

  readonly watch: handleServerStreamingCall<HealthRequest, HealthResponse> = (call) => {
    if (isMalformed(call.request)) return void call.emit('error', asError(unreadable));
    if (this.#watchers.size >= mostWatchers) return void call.emit('error', asError(exhausted));
    call.write({ status: this.#names.has(call.request.service) ? this.#status : serviceUnknown });
    if (!this.#isServing) return void call.end();
    this.#watchers.add(call);
    const leave = () => this.#watchers.delete(call);
    call.once('cancelled', leave);
    call.once('close', leave);
    return undefined;
  };

  get #status(): number {
    return this.#isServing ? serving : notServing;
  }
}

/** The library reads the status off the error that a stream emits; one that is destroyed with it sends none, and is left open. */
function asError(status: { readonly code: number; readonly details: string }): Error {
  return Object.assign(new Error(status.details), status);
}
