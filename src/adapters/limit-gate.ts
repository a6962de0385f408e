import type { RequestCall, RequestEvent, Scenarios } from '../abuse/index.ts';
import { ArrivedCall } from '../limits/call.ts';
import {
  type Call,
  type HeaderList,
  type HeaderOptions,
  type Limiter,
  limitProblem,
  problemMediaType,
  requestIdHeader,
  type Verdict,
} from '../limits/index.ts';
import { MountPath } from '../limits/mount-path.ts';
import {
  addHeader,
  type HeaderWriter,
  lowerCaseNames,
  writeRateLimitHeaders,
} from '../limits/rate-limit-headers.ts';
import { bareTarget } from '../limits/request-path.ts';
import { capitalMethod } from '../limits/route-table.ts';
import { type Answer, type AnswerEnd, type Arrival, type Awaitable, requestIdFor } from './arrival.ts';
import { type ClientAddress, type ClientAddressOptions, createCallerAddress } from './client-address.ts';
import { type Follower, follow, isFollowed } from './followed-calls.ts';
import { CallRateLimit, type RateLimit } from './rate-limit.ts';
import { isSignIn, markSignIn } from './sign-ins.ts';

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
  /** Watches calls for abuse: slows callers down that show it, and has them blocked when they go on. Default: nobody does. */
  readonly scenarios?: Scenarios | undefined;
}

/** What became of a call at the gate. */
export interface Passage {
  readonly request: object;
  readonly requestId: string;
  /** What to answer instead of running the handler. */
  readonly refusal: Answer | null;
  readonly rateLimit: RateLimit;
  /** The call as scenarios see it, before it is answered; null where they do not, or no longer. */
  readonly watched: RequestEvent | null;
}

/** Asks a limiter on behalf of a framework. */
export class LimitGate<Args extends readonly unknown[]> {
  /** Whether the gate wants to know how calls ended. */
  readonly followsCalls: boolean;
  readonly #limiter: Limiter;
  readonly #options: LimitOptions<Args>;
  readonly #addressOf: ClientAddress;
  readonly #mount: MountPath;
  readonly #callerOf: (...args: Args) => AbortSignal;

  /**
   * @param callerOf a signal that aborts when the client goes away; asked for only where a call is held back
   * @throws Fault `CONFIG_INVALID` when an option is not well formed.
   */
  constructor(limiter: Limiter, options: LimitOptions<Args>, callerOf: (...args: Args) => AbortSignal) {
    this.#limiter = limiter;
    this.#options = options;
    this.#callerOf = callerOf;
    this.#addressOf = createCallerAddress(options);
    this.#mount = new MountPath(options.basePath);
    options.scenarios?.keepBlocksIn?.(limiter);
    this.followsCalls = Boolean(
      options.skipSuccessfulRequests || options.skipFailedRequests || options.scenarios,
    );
  }

  /**
   * Null for a call that is skipped. Answers at once where nothing has to be waited for: promises cost more than the
   * decision. What the options throw, it throws.
   */
  pass(arrival: Arrival, ...args: Args): Awaitable<Passage | null> {
    const { skip } = this.#options;
    if (skip === undefined) return this.#identify(arrival, args);
    const skipped: unknown = skip(...args);
    if (isLater<boolean>(skipped)) return this.#passUnless(skipped, arrival, args);
    return skipped ? null : this.#identify(arrival, args);
  }

  async #passUnless(skipped: Promise<boolean>, arrival: Arrival, args: Args): Promise<Passage | null> {
    return (await skipped) ? null : this.#identify(arrival, args);
  }

  #identify(arrival: Arrival, args: Args): Awaitable<Passage> {
    const user = this.#options.user?.(...args);
    return isLater(user) ? this.#askLater(arrival, user, args) : this.#ask(arrival, user, args);
  }

  async #askLater(arrival: Arrival, user: Promise<string | null | undefined>, args: Args): Promise<Passage> {
    return this.#ask(arrival, await user, args);
  }

  #ask(arrival: Arrival, user: string | null | undefined, args: Args): Awaitable<Passage> {
    const { method, path, header, peer } = arrival;
    const ip = this.#addressOf(peer, header);
    const call = new ArrivedCall(capitalMethod(method), this.#mount.below(path), ip, user, header);
    const { scenarios } = this.#options;
    if (scenarios !== undefined) return this.#askWatched(arrival, call, scenarios, args);
    const verdict = this.#take(call);
    return verdict instanceof Promise
      ? verdict.then((later) => this.#passageOf(arrival, later, null))
      : this.#passageOf(arrival, verdict, null);
  }

  async #askWatched(arrival: Arrival, call: Call, scenarios: Scenarios, args: Args): Promise<Passage> {
    const seen = watchedCall(call, arrival);
    const standing = await scenarios.standing(seen);
    const watched: RequestEvent = { ...seen, standing };
    const verdict = await this.#take({ ...call, standing });
    const follower: Follower = { scenarios, user: call.user || null };
    if (verdict.skipped !== null || isFollowed(arrival.request, follower)) {
      return this.#passageOf(arrival, verdict, null);
    }
    if (!verdict.allowed) {
      this.#observeRefused(verdict, watched);
      return this.#passageOf(arrival, verdict, null);
    }
    follow(arrival.request, follower);
    if (standing.delayMs > 0) await scenarios.delay(standing, this.#callerOf(...args));
    return this.#passageOf(arrival, verdict, watched);
  }

  #take(call: Call): Awaitable<Verdict> {
    const limiter = this.#limiter;
    return limiter.takeAtOnce === undefined ? limiter.take(call) : limiter.takeAtOnce(call);
  }

  #passageOf(arrival: Arrival, verdict: Verdict, watched: RequestEvent | null): Passage {
    const requestId = requestIdFor(arrival);
    const refusal = verdict.allowed ? null : refusalOf(verdict, requestId, arrival.path);
    const rateLimit = new CallRateLimit(this.#limiter, verdict);
    const { request } = arrival;
    if (verdict.signIn) markSignIn(request);
    return { request, requestId, refusal, rateLimit, watched };
  }

  /** The call as its answer shows it: it was a sign-in under the name that it has there, if its request was replaced on the way. */
  heed(passage: Passage, answer: Response): Passage {
    if (!isSignIn(answer)) return passage;
    markSignIn(passage.request);
    return { ...passage, requestId: answer.headers.get(requestIdHeader) ?? passage.requestId };
  }

  /** What every answer carries, refusal or not. A new list each time. */
  headersOf(passage: Passage): HeaderList {
    const headers: [string, string][] = [];
    this.writeHeaders(passage, headers, addHeader);
    return headers;
  }

  /** The same, set on an answer one by one. What is a sign-in to one gate tells the quota of none. */
  writeHeaders<Target>(passage: Passage, target: Target, write: HeaderWriter<Target>): void {
    const { request, requestId, rateLimit } = passage;
    write(target, requestIdHeader, requestId);
    const { verdict } = rateLimit;
    const told = !verdict.signIn && isSignIn(request) ? { ...verdict, signIn: true } : verdict;
    writeRateLimitHeaders(told, this.#options, lowerCaseNames, target, write);
  }

  /** What is over its limit has been answered with this; what a block refuses is not judged again. */
  #observeRefused(verdict: Verdict, watched: RequestEvent): void {
    if (verdict.rule !== 'blocked') void this.#observe(watched, refusedStatus);
  }

  /**
   * Settles a call by how it ended and has it observed, where the options ask for that. A client that has heard the status
   * knows all that a scan is after, so leaving then hides nothing. Nobody waits for it, so it never rejects: what goes
   * wrong becomes a warning of the process.
   */
  async end({ rateLimit, watched }: Passage, { status, isWhole }: AnswerEnd, ...args: Args): Promise<void> {
    const { skipSuccessfulRequests, skipFailedRequests, requestWasSuccessful } = this.#options;
    if (watched !== null) void this.#observe(watched, status);
    if (!skipSuccessfulRequests && !skipFailedRequests) return;
    try {
      const succeeded =
        isWhole &&
        status !== null &&
        (requestWasSuccessful ? await requestWasSuccessful(status, ...args) : status < 400);
      if (succeeded ? skipSuccessfulRequests : skipFailedRequests) await rateLimit.settle(0);
    } catch (error) {
      warnOf(error);
    }
  }

  async #observe(watched: RequestEvent, status: number | null): Promise<void> {
    try {
      await this.#options.scenarios?.observe({ ...watched, status });
    } catch (error) {
      warnOf(error);
    }
  }
}

/** Whether the options of a host, which may wait for something, do so this time. */
function isLater<T>(value: unknown): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

function warnOf(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), 'PortcullisWarning');
}

/** Scenarios see the query too, which limits do not look at; one behind a fragment is none. */
function watchedCall(call: Omit<RequestCall, 'headerNames'>, arrival: Arrival): RequestCall {
  const { path, request, headerNames } = arrival;
  const target = call.path.includes('?') ? '' : bareTarget(path);
  const query = target.indexOf('?');
  return {
    ...call,
    path: query < 0 ? call.path : call.path + target.slice(query),
    headerNames: headerNames?.(request) ?? null,
  };
}

const refusedStatus = 429;

function refusalOf(verdict: Verdict, requestId: string, path: string): Answer {
  return {
    status: refusedStatus,
    headers: [['Content-Type', problemMediaType]],
    body: JSON.stringify(limitProblem(verdict, requestId, path)),
  };
}
