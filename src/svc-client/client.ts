import { HOUR_MS } from '../core/duration.ts';
import { Fault } from '../core/fault.ts';
import { fieldNames } from '../core/options.ts';
import { requestIdHeader, requestIdOf } from '../identity/request-id.ts';
import { checkedNote, checkedText, type OperatorNote } from '../operators/operator-note.ts';
import { checkedPinOrder, checkedSpan, type PinOrder } from '../operators/pin-order.ts';
import { Call, type CallContext, type CallResult } from './call.ts';
import { type Checkpoint, noCounts } from './checkpoint.ts';
import { type Clock, systemClock } from './clock.ts';
import { SvcEmitter, type SvcEventName, type SvcListener } from './events.ts';
import { fetchTarget, readFetch, readSvcUrl, type SvcFetch } from './fetch.ts';
import { type SvcHealth, targetHealth } from './health.ts';
import { currentJourney, Journey, runInJourney } from './journey.ts';
import { createNonces } from './nonces.ts';
import type { Settings, SvcClientOptions, SvcRuntime } from './options.ts';
import type { PoolPolicy } from './pool.ts';
import { Rails } from './rails.ts';
import { checkFields, checkMs, prepareRequest, type SvcRequest } from './request.ts';
import { checkPool, readSettings } from './settings.ts';
import { parseSlugKey } from './slug-key.ts';
import { Target } from './target.ts';
import type { Transport } from './transport.ts';
import { undiciTransport } from './undici-transport.ts';

type SaturationOptions = NonNullable<Parameters<SvcClient['reportSaturation']>[1]>;

const startFields = fieldNames<Parameters<SvcClient['journey']>[0]>({ requestId: true, deadlineMs: true });
const saturationFields = fieldNames<SaturationOptions>({ forMs: true });

/** Calls between services, on rails: pools, retries, passports, deadlines and breakers. */
export class SvcClient {
  /** What incoming requests are checked with: give it to `withPassport`, `passportMiddleware` or `acceptPassport`. */
  readonly checkpoint: Checkpoint;
  readonly #context: CallContext & { settings: Settings };
  readonly #targets = new Map<string, Target>();
  readonly #transport: Transport;
  readonly #rails: Rails;
  readonly #clock: Clock;
  readonly #events = new SvcEmitter();
  #closed = false;

  constructor(options: SvcClientOptions, runtime: SvcRuntime = {}) {
    const settings = readSettings(options);
    const clock = runtime.clock ?? systemClock;
    this.#clock = clock;
    this.#transport = runtime.transport ?? undiciTransport(clock);
    this.#rails = new Rails(settings, this.#targets, this.#events);
    for (const [slugKey, target] of settings.targets) {
      this.#targets.set(slugKey, new Target(target, this.#transport, clock.now()));
    }
    const counters = noCounts();
    this.#context = {
      settings,
      rails: this.#rails,
      clock,
      events: this.#events,
      counters,
      random: runtime.random ?? Math.random,
      nextNonce: createNonces(),
    };
    this.checkpoint = checkpointOf(this.#context);
  }

  /**
   * Calls a service. Rejects with a `Fault`: `INPUT_INVALID` for a slugKey that is not `name@major`, a malformed request
   * or an unknown field of one, `TARGET_UNKNOWN`, `TARGET_TIMEOUT`, `TARGET_UNREACHABLE`, `CLIENT_CLOSED`; or with the
   * reason of the request's signal.
   */
  call(slugKey: string, request: SvcRequest = {}): Promise<CallResult> {
    try {
      return this.#callOf(slugKey, request).run();
    } catch (misuse) {
      return Promise.reject(misuse);
    }
  }

  #callOf(slugKey: string, request: SvcRequest): Call {
    const target = this.#target(slugKey);
    const prepared = prepareRequest(request);
    const { headers, deadlineMs } = prepared;
    const now = this.#clock.now();
    const journey = currentJourney() ?? this.#newJourney(headers[requestIdHeader], deadlineMs, now);
    headers[requestIdHeader] = journey.requestId;
    if (journey.trace !== null && headers.traceparent === undefined) {
      headers.traceparent = journey.trace.traceparent;
      if (journey.trace.tracestate !== null) headers.tracestate = journey.trace.tracestate;
    }
    return new Call(this.#context, target, prepared, journey, now);
  }

  /**
   * The same as a `fetch`: `client.fetch('svc://stock@1/items?limit=5')`. A denial is answered with a synthetic
   * problem+json response that carries `x-portcullis-denied`; faults reject. Redirects are not followed.
   */
  readonly fetch: SvcFetch = async (input, init) => {
    const { slugKey, path } = readSvcUrl(input);
    return fetchTarget(this, slugKey, path, init);
  };

  /** A `fetch` for one service, for libraries that take one: only path and query of the URL it is given count. */
  fetchFor(slugKey: string): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
    this.#target(slugKey);
    return async (input, init) => {
      const read = readFetch(input, init);
      return fetchTarget(this, slugKey, read.path, read.init);
    };
  }

  /**
   * Runs work with a budget and a deadline of its own: work that no incoming request started, or that goes on after
   * its answer. Within a request it keeps the request's id and path, so that loops are still seen, but gets no
   * retries: those are the request's. A deadline above 600 000 ms or an unknown field is a `Fault` of code
   * `INPUT_INVALID`.
   */
  journey<T>(start: { readonly requestId?: string; readonly deadlineMs?: number }, work: () => T): T {
    checkFields('start', start, startFields);
    const around = currentJourney();
    const fresh = this.#newJourney(
      start.requestId,
      checkMs('deadlineMs', start.deadlineMs),
      this.#clock.now(),
    );
    if (around === undefined) return runInJourney(fresh, work);
    const { hops, trace } = around;
    const requestId = start.requestId === undefined ? around.requestId : fresh.requestId;
    const { deadlineAt } = fresh;
    return runInJourney(new Journey({ requestId, hops, trace, deadlineAt, retries: 0 }), work);
  }

  on<Name extends SvcEventName>(name: Name, listener: SvcListener<Name>): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * A resource that all depend on is saturated: opens the global breaker, for at most an hour. Report again while it lasts.
   * A `Fault` of code `INPUT_INVALID` when the resource has no name, the time is out of range or a field is unknown.
   */
  reportSaturation(resource: string, options: { readonly forMs?: number } = {}): void {
    checkFields('options', options, saturationFields);
    const { forMs = this.#context.settings.globalBreaker.saturationMs } = options;
    this.#rails.saturate(
      checkedText('resource', resource),
      checkedSpan('forMs', forMs, HOUR_MS),
      this.#clock.now(),
    );
  }

  /** The resource has room again: the global breaker may begin to close. */
  clearSaturation(resource: string): void {
    this.#rails.desaturate(resource, this.#clock.now());
  }

  /** Sets the limit of a target for a time. A `Fault` of code `INPUT_INVALID` without who, why and for how long. */
  pin(slugKey: string, pool: PoolPolicy, order: PinOrder): void {
    const target = this.#target(slugKey);
    const { by, why, forMs } = checkedPinOrder(order);
    target.pin(checkPool(pool), forMs, this.#clock.now());
    this.#events.emit('audit', { act: 'pin', target: slugKey, by, why, forMs });
  }

  /** Gives a target its configured limit back. */
  unpin(slugKey: string, note: OperatorNote): void {
    const target = this.#target(slugKey);
    const { by, why } = checkedNote(note);
    target.unpin(this.#clock.now());
    this.#events.emit('audit', { act: 'unpin', target: slugKey, by, why, forMs: 0 });
  }

  /** How the targets are, for operators. */
  health(): SvcHealth {
    const now = this.#clock.now();
    const targets = [...this.#targets.values()].map((target) => targetHealth(target, now));
    const { loops, droppedPassports, recentLoops } = this.#context.counters;
    return {
      globalBreaker: this.#rails.globalBreaker(now),
      loops,
      recentLoops: recentLoops.map(({ requestId, hops, at }) => ({ requestId, hops, agoMs: now - at })),
      droppedPassports,
      targets,
    };
  }

  /**
   * Takes new options without a restart. What has been seen of targets that stay (breaker, pool, budget) stays too.
   * Bad options are refused with a `Fault` of code `CONFIG_INVALID`, and nothing changes. Resolves when connections
   * that are no longer used are closed.
   */
  async reconfigure(options: SvcClientOptions): Promise<void> {
    const settings = readSettings(options);
    this.#context.settings = settings;
    const now = this.#clock.now();
    const closing: Promise<void>[] = [];
    for (const [slugKey, target] of this.#targets) {
      if (settings.targets.has(slugKey)) continue;
      this.#targets.delete(slugKey);
      closing.push(target.close());
    }
    for (const [slugKey, wanted] of settings.targets) {
      const target = this.#targets.get(slugKey);
      if (target !== undefined) closing.push(target.reconfigure(wanted, now));
      else this.#targets.set(slugKey, new Target(wanted, this.#transport, now));
    }
    this.#rails.reconfigure(settings, now);
    this.#events.emit('reconfigured', { targets: settings.targets.size });
    await Promise.all(closing);
  }

  /** Waits for calls under way, then closes all connections. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#targets.values()].map((target) => target.close()));
  }

  #target(slugKey: string): Target {
    if (this.#closed) throw new Fault('CLIENT_CLOSED', 'the client was closed');
    const target = this.#targets.get(slugKey);
    if (target !== undefined) return target;
    parseSlugKey(slugKey);
    throw new Fault('TARGET_UNKNOWN', `${slugKey} is not a target of this client`);
  }

  #newJourney(requestId: string | undefined, ownMs: number | null, now: number): Journey {
    const { self, retries, deadlineMs } = this.#context.settings;
    return new Journey({
      requestId: requestIdOf(requestId, this.#context.nextNonce),
      hops: [self],
      retries,
      deadlineAt: now + (ownMs ?? deadlineMs),
      trace: null,
    });
  }
}

/** Makes a client. Bad options are a `Fault` of code `CONFIG_INVALID` that names every problem. */
export function createSvcClient(options: SvcClientOptions, runtime: SvcRuntime = {}): SvcClient {
  return new SvcClient(options, runtime);
}

function checkpointOf(context: CallContext): Checkpoint {
  const { clock, events, counters } = context;
  return {
    get settings() {
      return context.settings;
    },
    clock,
    events,
    counters,
    on: (name, listener) => events.on(name, listener),
  };
}
