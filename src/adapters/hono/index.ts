import type { Context, MiddlewareHandler } from 'hono';
import type { Admitted, Caps } from '../../concurrency/index.ts';
import type { Guard } from '../../guard/guard.ts';
import type { Limiter } from '../../limits/index.ts';
import type { Answer, AnswerEnd, Arrival, Awaitable } from '../arrival.ts';
import { CapGate, type CapGateOptions } from '../cap-gate.ts';
import { responseOf } from '../fetch-answer.ts';
import { answerInSlot } from '../fetch-cap.ts';
import { followAnswer, runOrEnd } from '../fetch-end.ts';
import { assertCap, assertLimit, assertProtect } from '../gate-options.ts';
import { LimitGate, type LimitOptions } from '../limit-gate.ts';
import { namesOf } from '../node-messages.ts';
import type { RateLimit } from '../rate-limit.ts';
import { type ProtectOptions, type SignIn, type SignInDenial, SignInGate } from '../sign-in-gate.ts';
import { signedIn } from '../sign-ins.ts';
import { peerOfContext, rawHeadersOf, requestOf } from './bindings.ts';

type Args = [context: Context];

interface PeerOption {
  /** The socket's remote address. Default: where `@hono/node-server`, Bun and Deno keep it; other runtimes keep it elsewhere. */
  readonly peer?: ((context: Context) => string | null | undefined) | undefined;
}

export interface HonoLimitOptions extends LimitOptions<Args>, PeerOption {
  /** Answers a refused call. Default: 429 with the problem as JSON. The headers are set already, and completed on an answer of its own. */
  readonly handler?: ((context: Context, refusal: Answer) => Awaitable<Response>) | undefined;
}

export interface HonoCapOptions extends CapGateOptions<Args> {
  /** Answers a call that gets no slot. Default: 503 with the problem as JSON. The headers are set afterwards. */
  readonly handler?: ((context: Context, refusal: Answer) => Awaitable<Response>) | undefined;
}

export interface HonoProtectOptions<T> extends ProtectOptions<Args, T>, PeerOption {
  /** Answers a sign-in that is not let through. Default: 429, 401 or 400 with the problem as JSON. */
  readonly handler?: ((context: Context, denial: SignInDenial) => Awaitable<Response>) | undefined;
}

/**
 * Limits the calls of an application; `rateLimitOf(context)` tells a handler about it.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function limit(limiter: Limiter, options: HonoLimitOptions = {}): MiddlewareHandler {
  assertLimit(limiter, options, { handler: 'function', peer: 'function' });
  const gate = new LimitGate<Args>(limiter, options, ({ req }) => req.raw.signal);
  const { peer = peerOfContext, handler = respond } = options;
  return async (context, next) => {
    const passed = gate.pass(arrivalOf(context, peer), context);
    const passage = passed instanceof Promise ? await passed : passed;
    if (passage === null) return next();
    context.set('rateLimit', passage.rateLimit);
    // Asked for before the handler runs: servers make the signal only for those who look at it in time.
    const signal = gate.followsCalls ? context.req.raw.signal : null;
    // Before the handler runs, for an answer it makes with the context; changing one that is there takes many times as long.
    gate.writeHeaders(passage, context, setHeader);
    const end = (ended: AnswerEnd) => gate.end(passage, ended, context);
    if (passage.refusal !== null) context.res = await handler(context, passage.refusal);
    // Hono makes an answer of an error, but lets whatever else is thrown go by.
    else await (signal === null ? next() : runOrEnd(next, signal, end));
    const isInmost = rateLimitOf(context) === passage.rateLimit;
    gate.writeHeaders(gate.heed(passage, context.res), context, isInmost ? completeHeader : addHeader);
    signedIn(passage.request, context.res);
    if (signal !== null && passage.refusal === null) {
      const followed = followAnswer(context.res, context.req.method, signal, end);
      // To set an answer makes another one, and of one that opens a WebSocket nobody may.
      if (followed !== context.res) context.res = followed;
    }
    return undefined;
  };
}

/**
 * Caps how many calls run at once: what comes after it runs in a slot of its route's cap, now or after a wait in the queue;
 * `slotOf(context)` tells a handler about it. The slot is back when the handler has ended and its answer has been sent.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function cap(caps: Caps, options: HonoCapOptions = {}): MiddlewareHandler {
  assertCap(caps, options, { handler: 'function' });
  const gate = new CapGate<Args>(caps, options);
  const { handler = respond } = options;
  return async (context, next) => {
    // Asked for before the handler runs: servers make the signal only for those who look at it in time.
    const { method, signal } = context.req.raw;
    const passage = await gate.pass(arrivalOf(context, noPeer), signal, context);
    if (passage === null) return next();
    const { slot, headers } = passage;
    if (slot !== null) context.set('slot', slot);
    context.res =
      slot === null
        ? await handler(context, passage.refusal)
        : await answerInSlot(slot, method, signal, async () => {
            await next();
            return context.res;
          });
    setHeaders(context, headers);
    return undefined;
  };
}

/**
 * Protects a sign-in: what comes after it runs when it succeeded; `signInOf(context)` tells whose it was.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function protect<T>(guard: Guard, options: HonoProtectOptions<T>): MiddlewareHandler {
  assertProtect(guard, options, { handler: 'function', peer: 'function' });
  const gate = new SignInGate<Args, T>(guard, options);
  const { peer = peerOfContext } = options;
  return async (context, next) => {
    const arrival = arrivalOf(context, peer);
    const passage = await gate.pass(arrival, context);
    if (!passage.allowed) {
      const answer = options.handler ? await options.handler(context, passage) : responseOf(passage.answer);
      return signedIn(arrival.request, answer);
    }
    context.set('signIn', passage.signIn);
    await next();
    setHeaders(context, passage.headers);
    signedIn(arrival.request, context.res);
    return undefined;
  };
}

/** What {@link limit} knows of the call; undefined when it was skipped. */
export function rateLimitOf(context: Context): RateLimit | undefined {
  return context.get('rateLimit') as RateLimit | undefined;
}

/** The slot that a call runs in; undefined where it took none. Its `signal` is for what the handler waits for. */
export function slotOf(context: Context): Admitted | undefined {
  return context.get('slot') as Admitted | undefined;
}

/** The sign-in that led to this handler; undefined where none did. `T` is what `verify` resolves to. */
export function signInOf<T>(context: Context): SignIn<T> | undefined {
  return context.get('signIn') as SignIn<T> | undefined;
}

function arrivalOf(context: Context, peer: (context: Context) => string | null | undefined): Arrival {
  const { req } = context;
  const query = req.url.indexOf('?');
  return {
    request: requestOf(context),
    method: req.method,
    path: query < 0 ? req.path : req.path + req.url.slice(query),
    peer: peer(context),
    header: (name) => req.header(name),
    headerNames: () => headerNamesOf(context),
  };
}

/** Caps do not ask who calls. */
const noPeer = () => undefined;

/** The names of the headers in the order they came, where the server remembers it. */
function headerNamesOf(context: Context): readonly string[] | null {
  const rawHeaders = rawHeadersOf(context);
  return rawHeaders === undefined ? null : namesOf(rawHeaders);
}

const respond = (_context: Context, answer: Answer): Response => responseOf(answer);

function setHeader(context: Context, name: string, value: string | null): void {
  context.header(name, value ?? undefined);
}

/** Where a handler made its response without the context, or changed what was set. */
function completeHeader(context: Context, name: string, value: string | null): void {
  if (context.res.headers.get(name) !== value) setHeader(context, name, value);
}

/** Of several limits on the way to a handler the inmost tells its quota, as on servers that set headers on the way in. */
function addHeader(context: Context, name: string, value: string | null): void {
  if (value !== null && !context.res.headers.has(name)) context.header(name, value);
}

/** On the response that is there, also where a handler made it itself. */
function setHeaders(context: Context, headers: Answer['headers']): void {
  for (const [name, value] of headers) context.header(name, value, { append: name === 'Set-Cookie' });
}

export type { Answer } from '../arrival.ts';
export type { CapChoice } from '../cap-gate.ts';
export type { RateLimit } from '../rate-limit.ts';
export type { SignIn, SignInDenial } from '../sign-in-gate.ts';
