import {
  type Admitted,
  type Caps,
  formatPressure,
  overloadAnswer,
  PRESSURE_HEADER,
  type Priority,
  routeOf,
} from '../concurrency/index.ts';
import { requestIdHeader } from '../limits/index.ts';
import { MountPath } from '../limits/mount-path.ts';
import { barePath } from '../limits/request-path.ts';
import { type Answer, type Arrival, type Awaitable, requestIdFor } from './arrival.ts';

/** Where a call queues, and how. */
export interface CapChoice {
  /** The name of one of the caps. */
  readonly route: string;
  /** Default `normal`. */
  readonly priority?: Priority;
  /** How long the caller can still wait, in milliseconds. Default: as long as the cap's queue deadline. */
  readonly deadlineMs?: number;
}

/** How calls are capped. `Args` is what the framework hands to its handlers. */
export interface CapGateOptions<Args extends readonly unknown[]> {
  /**
   * The cap of a call; null for a call that takes no slot. Default: `read` for safe methods, `create` for all others, and
   * the usual paths of health checks with their priority.
   */
  readonly route?: ((...args: Args) => Awaitable<CapChoice | null>) | undefined;
  /** Cut from the path before health checks are told by it, where an application is mounted: `/api`. */
  readonly basePath?: string | undefined;
  /** Whether answers tell the service's pressure, which is meant for a gateway that takes it off. Default true. */
  readonly pressureHeader?: boolean | undefined;
}

/** What became of a call at the gate. Who gets a slot must give it back. */
export type CapPassage = {
  /** On every answer, refusal or not. */
  readonly headers: Answer['headers'];
} & (
  | { readonly slot: Admitted; readonly refusal: null }
  | {
      readonly slot: null;
      /** What to answer instead of running the handler. */
      readonly refusal: Answer;
    }
);

/** Asks the caps of a service on behalf of a framework. */
export class CapGate<Args extends readonly unknown[]> {
  readonly #caps: Caps;
  readonly #options: CapGateOptions<Args>;
  readonly #mount: MountPath;

  constructor(caps: Caps, options: CapGateOptions<Args>) {
    this.#caps = caps;
    this.#options = options;
    this.#mount = new MountPath(options.basePath);
  }

  /**
   * Resolves when the call may run, or may not; null for a call that takes no slot. Rejects with `INPUT_INVALID` when
   * `route` names a cap that is none, a priority or a deadline that is none, or a field that is unknown.
   *
   * @param caller aborts when the client goes away: the call leaves the queue then
   */
  async pass(arrival: Arrival, caller: AbortSignal, ...args: Args): Promise<CapPassage | null> {
    const choice = await this.#choose(arrival, args);
    if (choice === null) return null;
    const { route, ...call } = choice;
    const admission = await this.#caps.admit(route, { ...call, signal: caller });
    const requestId = requestIdFor(arrival);
    const headers = this.#headersFor(requestId);
    if (admission.admitted) return { headers, slot: admission, refusal: null };
    const answer = overloadAnswer(admission, { requestId, instance: barePath(arrival.path) });
    const { 'content-type': mediaType, ...told } = answer.headers;
    return {
      headers: [...headers, ...Object.entries(told)],
      slot: null,
      refusal: {
        status: answer.status,
        headers: [['Content-Type', mediaType]],
        body: JSON.stringify(answer.problem),
      },
    };
  }

  #choose({ method, path }: Arrival, args: Args): Awaitable<CapChoice | null> {
    const { route } = this.#options;
    return route === undefined ? routeOf(method, barePath(this.#mount.below(path).path)) : route(...args);
  }

  #headersFor(requestId: string): Answer['headers'] {
    const named = [requestIdHeader, requestId] as const;
    if (this.#options.pressureHeader === false) return [named];
    return [named, [PRESSURE_HEADER, formatPressure(this.#caps.pressure)]];
  }
}
