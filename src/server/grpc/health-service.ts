import type { MethodDefinition } from '@grpc/proto-loader';
import type { GrpcCall } from './grpc-call.ts';
import { codes, type GrpcStatus, unreadable } from './grpc-status.ts';
import { isMalformed } from './service-definitions.ts';

interface HealthRequest {
  readonly service: string;
}

const serving = 1;
const notServing = 2;
const serviceUnknown = 3;
const notFound: GrpcStatus = { code: codes.NOT_FOUND, details: 'There is no service of this name' };
const exhausted: GrpcStatus = { code: codes.RESOURCE_EXHAUSTED, details: 'Too many watch this service' };

/** Streams stay open for as long as their clients like. */
const mostWatchers = 256;

/** `grpc.health.v1.Health`: serving until the service drains. Anybody may ask, as over HTTP. */
export class HealthService {
  readonly #method: MethodDefinition<object, object>;
  readonly #names: ReadonlySet<string>;
  readonly #watchers = new Set<GrpcCall>();
  #isServing = true;

  /**
   * @param method of the service, any: all of them take and give the same
   * @param names full names of the services; the empty name, for all of them, is always known.
   */
  constructor(method: MethodDefinition<object, object>, names: readonly string[]) {
    this.#method = method;
    this.#names = new Set(['', ...names]);
  }

  /** Tells everybody who watches that nothing is served any more, and lets them go. */
  drain(): void {
    this.#isServing = false;
    for (const watcher of this.#watchers) watcher.end(this.#answer(notServing));
    this.#watchers.clear();
  }

  check(bytes: Buffer, call: GrpcCall): void {
    const request = this.#read(bytes);
    if (request === null) call.refuse(unreadable);
    else if (this.#names.has(request.service)) call.end(this.#answer(this.#status));
    else call.refuse(notFound);
  }

  /** Gives what is to be called when the watcher has gone; null when it does not stay. */
  watch(bytes: Buffer, call: GrpcCall): (() => void) | null {
    const request = this.#read(bytes);
    if (request === null) return this.#turnAway(call, unreadable);
    if (this.#watchers.size >= mostWatchers) return this.#turnAway(call, exhausted);
    call.write(this.#answer(this.#names.has(request.service) ? this.#status : serviceUnknown));
    if (call.isOver) return null;
    if (!this.#isServing) {
      call.end();
      return null;
    }
    this.#watchers.add(call);
    return () => void this.#watchers.delete(call);
  }

  #turnAway(call: GrpcCall, status: GrpcStatus): null {
    call.refuse(status);
    return null;
  }

  #read(bytes: Buffer): HealthRequest | null {
    const message = this.#method.requestDeserialize(bytes);
    return isMalformed(message) ? null : (message as HealthRequest);
  }

  #answer(status: number): Buffer {
    return this.#method.responseSerialize({ status });
  }

  get #status(): number {
    return this.#isServing ? serving : notServing;
  }
}
