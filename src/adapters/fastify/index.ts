import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caps } from '../../concurrency/index.ts';
import { keepTick } from '../../connections/kept-tick.ts';
import type { Guard } from '../../guard/guard.ts';
import type { Limiter } from '../../limits/index.ts';
import type { Answer, Arrival, Awaitable } from '../arrival.ts';
import { CapGate, type CapGateOptions } from '../cap-gate.ts';
import { assertCap, assertLimit, assertProtect } from '../gate-options.ts';
import { LimitGate, type LimitOptions, type Passage } from '../limit-gate.ts';
import { arrivalOfNode, onceEnded, visitOf } from '../node-messages.ts';
import type { RateLimit } from '../rate-limit.ts';
import { type ProtectOptions, type SignInDenial, SignInGate } from '../sign-in-gate.ts';

/** A hook of Fastify: for `onRequest`, `preHandler` and the like, of an instance or a route. */
export type FastifyHook = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** The same where a promise for every call would cost more than what it waits for: calls `done`, or returns one. */
export type FastifyLimitHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
) => Promise<FastifyReply | undefined> | undefined;

type Args = [request: FastifyRequest, reply: FastifyReply];

export interface FastifyLimitOptions extends LimitOptions<Args> {
  /** Answers a refused call. Default: 429 with the problem as JSON. The headers are set already. */
  readonly handler?:
    | ((request: FastifyRequest, reply: FastifyReply, refusal: Answer) => Awaitable<void>)
    | undefined;
}

export interface FastifyCapOptions extends CapGateOptions<Args> {
  /** Answers a call that gets no slot. Default: 503 with the problem as JSON. The headers are set already. */
  readonly handler?:
    | ((request: FastifyRequest, reply: FastifyReply, refusal: Answer) => Awaitable<void>)
    | undefined;
}

export interface FastifyProtectOptions<T> extends ProtectOptions<Args, T> {
  /** Answers a sign-in that is not let through. Default: 429, 401 or 400 with the problem as JSON. */
  readonly handler?:
    | ((request: FastifyRequest, reply: FastifyReply, denial: SignInDenial) => Awaitable<void>)
    | undefined;
}

/**
 * Limits calls: `app.addHook('onRequest', limit(limiter))`, or as a hook of one route. Where `user` needs what
 * authentication has found, use it as a `preHandler`.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function limit(limiter: Limiter, options: FastifyLimitOptions = {}): FastifyLimitHook {
  assertLimit(limiter, options, { handler: 'function' });
  keepTick();
  const gate = new LimitGate<Args>(limiter, options, (_, reply) => visitOf(reply.raw).caller);
  const { handler = send } = options;

  function mark(request: FastifyRequest, reply: FastifyReply, passage: Passage | null): Answer | null {
    if (passage === null) return null;
    gate.writeHeaders(passage, reply, setHeader);
    (request as { rateLimit?: RateLimit }).rateLimit = passage.rateLimit;
    if (gate.followsCalls && passage.refusal === null) {
      onceEnded(reply.raw, (end) => gate.end(passage, end, request, reply));
    }
    return passage.refusal;
  }

  async function refuse(request: FastifyRequest, reply: FastifyReply, refusal: Answer) {
    await handler(request, reply, refusal);
    return reply;
  }

  return (request, reply, done) => {
    const passage = gate.pass(arrivalOf(request, reply), request, reply);
    // Not by `await`, whose function would wait with every call.
    if (passage instanceof Promise) {
      return passage.then((later) => {
        const refusal = mark(request, reply, later);
        return refusal === null ? undefined : refuse(request, reply, refusal);
      });
    }
    const refusal = mark(request, reply, passage);
    if (refusal !== null) return refuse(request, reply, refusal);
    done();
    return undefined;
  };
}

/**
 * Caps how many calls run at once: `app.addHook('preHandler', cap(caps))`, or as a hook of one route. The handler runs in a
 * slot of its route's cap, now or after a wait in the queue; `slotOf(request)` tells it about that. As an `onRequest` hook
 * it holds the slot while the body comes in, however slowly.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function cap(caps: Caps, options: FastifyCapOptions = {}): FastifyHook {
  assertCap(caps, options, { handler: 'function' });
  const gate = new CapGate<Args>(caps, options);
  return async (request, reply) => {
    const { caller, ended } = visitOf(reply.raw);
    const passage = await gate.pass(arrivalOf(request, reply), caller, request, reply);
    if (passage === null) return undefined;
    setHeaders(reply, passage.headers);
    if (passage.slot !== null) {
      void ended.then(passage.slot.release);
      Object.assign(request, { slot: passage.slot });
      return undefined;
    }
    if (options.handler === undefined) return send(request, reply, passage.refusal);
    await options.handler(request, reply, passage.refusal);
    return reply;
  };
}

/**
 * Protects a sign-in route, as its `preHandler`: the handler runs when it succeeded.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function protect<T>(guard: Guard, options: FastifyProtectOptions<T>): FastifyHook {
  assertProtect(guard, options, { handler: 'function' });
  const gate = new SignInGate<Args, T>(guard, options);
  return async (request, reply) => {
    const passage = await gate.pass(arrivalOf(request, reply), request, reply);
    if (passage.allowed) {
      setHeaders(reply, passage.headers);
      Object.assign(request, { signIn: passage.signIn });
      return undefined;
    }
    if (options.handler === undefined) return send(request, reply, passage.answer);
    await options.handler(request, reply, passage);
    return reply;
  };
}

/** Fastify's own `originalUrl` is the same, but keeps it as one more property of the request. */
function arrivalOf(request: FastifyRequest, reply: FastifyReply): Arrival {
  return arrivalOfNode(request.raw, reply);
}

function setHeader(reply: FastifyReply, name: string, value: string | null): void {
  if (value === null) reply.removeHeader(name);
  else reply.header(name, value);
}

function setHeaders(reply: FastifyReply, headers: Answer['headers']): void {
  for (const [name, value] of headers) reply.header(name, value);
}

function send(
  _request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body }: Answer,
): FastifyReply {
  setHeaders(reply, headers);
  return reply.code(status).send(body);
}

export type { Answer } from '../arrival.ts';
export type { CapChoice } from '../cap-gate.ts';
export { slotOf } from '../node-cap.ts';
export { rateLimitOf } from '../node-limit.ts';
export { signInOf } from '../node-protect.ts';
export type { RateLimit } from '../rate-limit.ts';
export type { SignIn, SignInDenial } from '../sign-in-gate.ts';
