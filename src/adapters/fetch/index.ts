import type { Admitted, Caps } from '../../concurrency/index.ts';
import { assertKind } from '../../core/options.ts';
import type { Guard } from '../../guard/guard.ts';
import type { Limiter } from '../../limits/index.ts';
import type { Answer, AnswerEnd, Arrival, Awaitable } from '../arrival.ts';
import { CapGate, type CapGateOptions } from '../cap-gate.ts';
import { responseOf } from '../fetch-answer.ts';
import { answerInSlot } from '../fetch-cap.ts';
import { followAnswer, runOrEnd } from '../fetch-end.ts';
import { assertCap, assertLimit, assertProtect } from '../gate-options.ts';
import { LimitGate, type LimitOptions } from '../limit-gate.ts';
import type { RateLimit } from '../rate-limit.ts';
import { type ProtectOptions, type SignIn, type SignInDenial, SignInGate } from '../sign-in-gate.ts';
import { signedIn } from '../sign-ins.ts';

/** A handler as `fetch`-style servers have it. `Info` is what the runtime hands along with the request. */
export type FetchHandler<Info> = (request: Request, info: Info) => Awaitable<Response>;

interface PeerOption<Info> {
  /** The socket's remote address, from wherever the runtime keeps it. */
  readonly peer: (request: Request, info: Info) => string | null | undefined;
}

export interface FetchLimitOptions<Info>
  extends LimitOptions<[request: Request, info: Info]>,
    PeerOption<Info> {
  /** Answers a refused call. Default: 429 with the problem as JSON. The headers are set afterwards. */
  readonly handler?: ((request: Request, refusal: Answer) => Awaitable<Response>) | undefined;
  /**
   * The names of the headers in the order they came, from wherever the runtime keeps them: a `Headers` has forgotten it.
   * Default: nobody saw them, and scenarios that need them are blind.
   */
  readonly headerNames?: ((request: Request, info: Info) => readonly string[] | null) | undefined;
}

export interface FetchCapOptions<Info> extends CapGateOptions<[request: Request, info: Info]> {
  /** Answers a call that gets no slot. Default: 503 with the problem as JSON. The headers are set afterwards. */
  readonly handler?: ((request: Request, refusal: Answer) => Awaitable<Response>) | undefined;
}

export interface FetchProtectOptions<Info, T>
  extends ProtectOptions<[request: Request, info: Info], T>,
    PeerOption<Info> {
  /** Answers a sign-in that is not let through. Default: 429, 401 or 400 with the problem as JSON. */
  readonly handler?: ((request: Request, denial: SignInDenial) => Awaitable<Response>) | undefined;
}

/**
 * Limits the calls of a handler, which gets the {@link RateLimit} as its third argument; null when it was skipped.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function limit<Info = unknown>(
  limiter: Limiter,
  options: FetchLimitOptions<Info>,
): (
  handler: (request: Request, info: Info, rateLimit: RateLimit | null) => Awaitable<Response>,
) => FetchHandler<Info> {
  assertLimit(limiter, options, { handler: 'function', peer: 'function', headerNames: 'function' });
  assertKind('peer', options.peer, 'function');
  const gate = new LimitGate<[Request, Info]>(limiter, options, ({ signal }) => signal);
  const { handler: refuse = respondTo } = options;
  return (handler) => async (request, info) => {
    const headerNames = () => options.headerNames?.(request, info) ?? null;
    const arrival = { ...arrivalOf(request, options.peer(request, info)), headerNames };
    const passage = await gate.pass(arrival, request, info);
    if (passage === null) return handler(request, info, null);
    const complete = (response: Response) =>
      signedIn(request, withQuota(request, response, gate.headersOf(gate.heed(passage, response))));
    if (passage.refusal !== null) return complete(await refuse(request, passage.refusal));
    if (!gate.followsCalls) return complete(await handler(request, info, passage.rateLimit));
    // Asked for before the handler runs: servers make the signal only for those who look at it in time.
    const { method, signal } = request;
    const end = (ended: AnswerEnd) => gate.end(passage, ended, request, info);
    const answer = await runOrEnd(() => handler(request, info, passage.rateLimit), signal, end);
    return followAnswer(complete(answer), method, signal, end);
  };
}

/**
 * Caps how many calls of a handler run at once. It runs in a slot of its route's cap, now or after a wait in the queue, and
 * gets that as its third argument; null when the call takes none. The slot is back when the handler has ended and its
 * answer has been sent.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function cap<Info = unknown>(
  caps: Caps,
  options: FetchCapOptions<Info> = {},
): (
  handler: (request: Request, info: Info, slot: Admitted | null) => Awaitable<Response>,
) => FetchHandler<Info> {
  assertCap(caps, options, { handler: 'function' });
  const gate = new CapGate<[Request, Info]>(caps, options);
  const { handler: refuse = respondTo } = options;
  return (handler) => async (request, info) => {
    // Asked for before the handler runs: servers make the signal only for those who look at it in time.
    const { method, signal } = request;
    const passage = await gate.pass(arrivalOf(request, null), signal, request, info);
    if (passage === null) return handler(request, info, null);
    const { slot, headers } = passage;
    if (slot === null) return withHeaders(await refuse(request, passage.refusal), headers);
    return withHeaders(await answerInSlot(slot, method, signal, () => handler(request, info, slot)), headers);
  };
}

/**
 * Protects a sign-in: the handler runs when it succeeded, with the {@link SignIn} as its third argument.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function protect<T, Info = unknown>(
  guard: Guard,
  options: FetchProtectOptions<Info, T>,
): (handler: (request: Request, info: Info, signIn: SignIn<T>) => Awaitable<Response>) => FetchHandler<Info> {
  assertProtect(guard, options, { handler: 'function', peer: 'function' });
  assertKind('peer', options.peer, 'function');
  const gate = new SignInGate<[Request, Info], T>(guard, options);
  return (handler) => async (request, info) => {
    const passage = await gate.pass(arrivalOf(request, options.peer(request, info)), request, info);
    if (passage.allowed) {
      const answer = await handler(request, info, passage.signIn);
      return signedIn(request, withHeaders(answer, passage.headers));
    }
    const answer = options.handler ? await options.handler(request, passage) : responseOf(passage.answer);
    return signedIn(request, answer);
  };
}

function arrivalOf(request: Request, peer: string | null | undefined): Arrival {
  const { pathname, search } = new URL(request.url);
  return {
    request,
    method: request.method,
    path: pathname + search,
    peer,
    header: (name) => request.headers.get(name) ?? undefined,
  };
}

const respondTo = (_request: Request, answer: Answer): Response => responseOf(answer);

/** Requests whose answers tell a quota already. */
const limited = new WeakSet<Request>();

/** Of several limits on the way to a handler the inmost tells its quota, as on servers that set headers on the way in. */
function withQuota(request: Request, response: Response, headers: Answer['headers']): Response {
  if (limited.has(request)) {
    return withHeaders(
      response,
      headers.filter(([name]) => !response.headers.has(name)),
    );
  }
  limited.add(request);
  return withHeaders(response, headers);
}

/**
 * A new response over the same body: that of another `fetch` cannot be changed. One that opens a WebSocket is left as it is:
 * runtimes know it by the object, and nobody may make another one of its status. Nor of that of `Response.error()`.
 */
function withHeaders(response: Response, headers: Answer['headers']): Response {
  if (response.status < 200) return response;
  const all = new Headers(response.headers);
  for (const [name, value] of headers) {
    if (name === 'Set-Cookie') all.append(name, value);
    else all.set(name, value);
  }
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers: all });
}

export type { Answer } from '../arrival.ts';
export type { CapChoice } from '../cap-gate.ts';
export type { RateLimit } from '../rate-limit.ts';
export type { SignIn, SignInDenial } from '../sign-in-gate.ts';
