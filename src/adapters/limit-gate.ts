import {
  type HeaderList,
  type HeaderOptions,
  type Limiter,
  limitProblem,
  problemMediaType,
  rateLimitHeaders,
  requestIdHeader,
  type Verdict,
} from '../limits/index.ts';
import { pathSegments, withoutBase } from '../limits/request-path.ts';
import { type Answer, type Arrival, type Awaitable, requestIdFor } from './arrival.ts';
import { type ClientAddress, type ClientAddressOptions, createClientAddress } from './client-address.ts';

/** How calls are limited. `Args` is what the framework hands to its handlers. */
export interface LimitOptions<Args extends readonly unknown[]> extends ClientAddressOptions, HeaderOptions {
  /** The id of the signed-in user, from what authentication has verified; nothing for anybody else. */
  readonly user?: ((...args: Args) => Awaitable<string | null | undefined>) | undefined;
  /** Calls for which the limiter is not asked. */
  readonly skip?: ((...args: Args) => Awaitable<boolean>) | undefined;
  /** Cut from the path before its route is looked up, where an application is mounted: `/api`. */
  readonly basePath?: string | undefined;
  /** Whether a call that succeeded costs nothing. Default false. */
  readonly skipSuccessfulRequests?: boolean | undefined;
  /** Whether a call that failed, or whose client went away, costs nothing. Default false. */
  readonly skipFailedRequests?: boolean | undefined;
  /** What success is. Default: a status below 400. */
  readonly requestWasSuccessful?: ((status: number, ...args: Args) => Awaitable<boolean>) | undefined;
}

/** What a handler knows of the limit its call was charged to. */
export interface RateLimit {
  /** Units of cost that a full bucket holds; null where nothing is limited. */
  readonly limit: number | null;
  readonly remaining: number | null;
  /** When one more unit is there, by the store's clock. */
  readonly resetTime: Date | null;
  readonly verdict: Verdict;
  /** Sets what the call costs in the end: an integer of at least 0. */
  settle(cost: number): Promise<void>;
}

/** What became of a call at the gate. */
export interface Passage {
  /** On every answer, refusal or not. */
  readonly headers: HeaderList;
  /** What to answer instead of running the handler. */
  readonly refusal: Answer | null;
  readonly rateLimit: RateLimit;
}

/** Asks a limiter on behalf of a framework. */
export class LimitGate<Args extends readonly unknown[]> {
  /** Whether the gate wants to know how calls ended. */
  readonly settlesByOutcome: boolean;
  readonly #limiter: Limiter;
  readonly #options: LimitOptions<Args>;
  readonly #addressOf: ClientAddress;
  readonly #base: readonly string[];

  /** @throws Fault `CONFIG_INVALID` when an option is not well formed. */
  constructor(limiter: Limiter, options: LimitOptions<Args>) {
    this.#limiter = limiter;
    this.#options = options;
    this.#addressOf = createClientAddress(options);
    this.#base = pathSegments(options.basePath ?? '/');
    this.settlesByOutcome = Boolean(options.skipSuccessfulRequests || options.skipFailedRequests);
  }

  /** Null for a call that is skipped. */
  async pass(arrival: Arrival, ...args: Args): Promise<Passage | null> {
    const { user, skip } = this.#options;
    if (skip !== undefined && (await skip(...args))) return null;
    const { method, path, header, peer } = arrival;
    const verdict = await this.#limiter.take({
      method,
      path: withoutBase(path, this.#base),
      header,
      ip: this.#addressOf(peer, header),
      ua: header('user-agent'),
      user: user === undefined ? null : await user(...args),
    });
    const requestId = requestIdFor(arrival);
    const headers = [[requestIdHeader, requestId] as const, ...rateLimitHeaders(verdict, this.#options)];
    return {
      headers,
      refusal: verdict.allowed ? null : refusalOf(verdict, requestId, path),
      rateLimit: new CallRateLimit(this.#limiter, verdict),
    };
  }

  /**
   * Settles a call by how it ended, where the options ask for that. `status` is null when the client went away. Nobody
   * waits for it, so it never rejects: what goes wrong becomes a warning of the process.
   */
  async end({ rateLimit }: Passage, status: number | null, ...args: Args): Promise<void> {
    const { skipSuccessfulRequests, skipFailedRequests, requestWasSuccessful } = this.#options;
    try {
      const succeeded =
        status !== null &&
        (requestWasSuccessful ? await requestWasSuccessful(status, ...args) : status < 400);
      if (succeeded ? skipSuccessfulRequests : skipFailedRequests) await rateLimit.settle(0);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error), 'PortcullisWarning');
    }
  }
}

/** Made for every call, read by few: what costs something is found when it is asked for. */
class CallRateLimit implements RateLimit {
  readonly verdict: Verdict;
  readonly #limiter: Limiter;

  constructor(limiter: Limiter, verdict: Verdict) {
    this.#limiter = limiter;
    this.verdict = verdict;
  }

  get limit(): number | null {
    return this.verdict.quota?.capacity ?? null;
  }

  get remaining(): number | null {
    return this.verdict.quota?.remaining ?? null;
  }

  get resetTime(): Date | null {
    return this.verdict.quota === null ? null : new Date(this.verdict.quota.moreAt);
  }

  settle(cost: number): Promise<void> {
    return this.#limiter.settle(this.verdict, cost);
  }
}

function refusalOf(verdict: Verdict, requestId: string, path: string): Answer {
  return {
    status: 429,
    headers: [['Content-Type', problemMediaType]],
    body: JSON.stringify(limitProblem(verdict, requestId, path)),
  };
}
