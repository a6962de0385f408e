import type { Context, Middleware } from 'koa';
import type { Admitted, Caps } from '../../concurrency/index.ts';
import { keepTick } from '../../connections/kept-tick.ts';
import type { Guard } from '../../guard/guard.ts';
import type { Limiter } from '../../limits/index.ts';
import type { Answer, Arrival, Awaitable } from '../arrival.ts';
import { CapGate, type CapGateOptions } from '../cap-gate.ts';
import { assertCap, assertLimit, assertProtect } from '../gate-options.ts';
import { LimitGate, type LimitOptions } from '../limit-gate.ts';
import { arrivalOfNode, onceEnded, visitOf } from '../node-messages.ts';
import type { RateLimit } from '../rate-limit.ts';
import { type ProtectOptions, type SignIn, type SignInDenial, SignInGate } from '../sign-in-gate.ts';
import { orError } from '../thrown.ts';

type Args = [context: Context];

export interface KoaLimitOptions extends LimitOptions<Args> {
  /** Answers a refused call. Default: 429 with the problem as JSON. The headers are set already. */
  readonly handler?: ((context: Context, refusal: Answer) => Awaitable<void>) | undefined;
}

export interface KoaCapOptions extends CapGateOptions<Args> {
  /** Answers a call that gets no slot. Default: 503 with the problem as JSON. The headers are set already. */
  readonly handler?: ((context: Context, refusal: Answer) => Awaitable<void>) | undefined;
}

export interface KoaProtectOptions<T> extends ProtectOptions<Args, T> {
  /** Answers a sign-in that is not let through. Default: 429, 401 or 400 with the problem as JSON. */
  readonly handler?: ((context: Context, denial: SignInDenial) => Awaitable<void>) | undefined;
}

/**
 * Limits the calls of an application; `rateLimitOf(context)` tells a handler about it.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function limit(limiter: Limiter, options: KoaLimitOptions = {}): Middleware {
  assertLimit(limiter, options, { handler: 'function' });
  keepTick();
  const gate = new LimitGate<Args>(limiter, options, ({ res }) => visitOf(res).caller);
  const { handler = send } = options;
  return async (context, next) => {
    const passed = orError(() => gate.pass(arrivalOf(context), context));
    const passage = passed instanceof Promise ? await passed : passed;
    if (passage === null) return next();
    gate.writeHeaders(passage, context, setHeader);
    context.state.rateLimit = passage.rateLimit;
    if (passage.refusal !== null) return handler(context, passage.refusal);
    if (gate.followsCalls) onceEnded(context.res, (end) => gate.end(passage, end, context));
    return withHeadersOnError(context, next, () => gate.headersOf(passage));
  };
}

/**
 * Caps how many calls run at once: what comes after it runs in a slot of its route's cap, now or after a wait in the queue;
 * `slotOf(context)` tells a handler about it. The slot is back when both the handlers and the answer have ended: a client
 * that leaves does not make room for another one while its call still works.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function cap(caps: Caps, options: KoaCapOptions = {}): Middleware {
  assertCap(caps, options, { handler: 'function' });
  const gate = new CapGate<Args>(caps, options);
  const { handler = send } = options;
  return async (context, next) => {
    const { caller, ended } = visitOf(context.res);
    const passage = await orError(() => gate.pass(arrivalOf(context), caller, context));
    if (passage === null) return next();
    const { slot, headers } = passage;
    setHeaders(context, headers);
    if (slot === null) return handler(context, passage.refusal);
    context.state.slot = slot;
    try {
      await withHeadersOnError(context, next, () => headers);
    } finally {
      void ended.then(slot.release);
    }
  };
}

/**
 * Protects a sign-in: what comes after it runs when it succeeded; `signInOf(context)` tells whose it was.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function protect<T>(guard: Guard, options: KoaProtectOptions<T>): Middleware {
  assertProtect(guard, options, { handler: 'function' });
  const gate = new SignInGate<Args, T>(guard, options);
  return async (context, next) => {
    const passage = await orError(() => gate.pass(arrivalOf(context), context));
    if (!passage.allowed) {
      return options.handler ? options.handler(context, passage) : send(context, passage.answer);
    }
    setHeaders(context, passage.headers);
    context.state.signIn = passage.signIn;
    return withHeadersOnError(context, next, () => passage.headers);
  };
}

/** What {@link limit} knows of the call; undefined when it was skipped. */
export function rateLimitOf(context: Context): RateLimit | undefined {
  return context.state.rateLimit as RateLimit | undefined;
}

/** The slot that a call runs in; undefined where it took none. Its `signal` is for what the handler waits for. */
export function slotOf(context: Context): Admitted | undefined {
  return context.state.slot as Admitted | undefined;
}

/** The sign-in that led to this handler; undefined where none did. `T` is what `verify` resolves to. */
export function signInOf<T>(context: Context): SignIn<T> | undefined {
  return context.state.signIn as SignIn<T> | undefined;
}

function arrivalOf(context: Context): Arrival {
  return arrivalOfNode(context.req, context.res, context.originalUrl);
}

function setHeader(context: Context, name: string, value: string | null): void {
  if (value === null) context.remove(name);
  else context.set(name, value);
}

function setHeaders(context: Context, headers: Answer['headers']): void {
  for (const [name, value] of headers) {
    if (name === 'Set-Cookie') context.append(name, value);
    else context.set(name, value);
  }
}

function send(context: Context, { status, headers, body }: Answer): void {
  context.status = status;
  context.body = body;
  setHeaders(context, headers);
}

/** Koa answers an error with the headers that it carries, and drops all others. */
async function withHeadersOnError(
  context: Context,
  next: () => Promise<unknown>,
  headers: () => Answer['headers'],
): Promise<void> {
  try {
    await next();
  } catch (error) {
    keepOnError(context, headers());
    throw error;
  }
}

const keptOnError = new WeakMap<Context, [string, string][]>();

/**
 * Has headers set again where Koa drops all. They are not written into the error: one object may be thrown for many
 * callers, and others look at it too.
 */
function keepOnError(context: Context, headers: Answer['headers']): void {
  const known = keptOnError.get(context);
  const kept = known ?? [];
  // What is nearer to the handler has spoken first, and stays.
  const names = new Set(kept.map(([name]) => name));
  for (const [name, value] of headers)
    if (name === 'Set-Cookie' || !names.has(name)) kept.push([name, value]);
  if (known !== undefined) return;
  keptOnError.set(context, kept);
  const { onerror, res } = context;
  context.onerror = (error) => {
    const { getHeaderNames } = res;
    // Koa asks for them to drop them, and then sets those of the error.
    res.getHeaderNames = () => {
      for (const name of getHeaderNames.call(res)) res.removeHeader(name);
      setHeaders(context, kept);
      return [];
    };
    onerror.call(context, error);
    res.getHeaderNames = getHeaderNames;
  };
}

export type { Answer } from '../arrival.ts';
export type { CapChoice } from '../cap-gate.ts';
export type { RateLimit } from '../rate-limit.ts';
export type { SignIn, SignInDenial } from '../sign-in-gate.ts';
