import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { Caps } from '../../concurrency/index.ts';
import type { Guard } from '../../guard/guard.ts';
import type { Limiter } from '../../limits/index.ts';
import { capNode, type NodeCapOptions } from '../node-cap.ts';
import { limitNode, type NodeLimitOptions } from '../node-limit.ts';
import type { Next } from '../node-middleware.ts';
import { type NodeProtectOptions, protectNode } from '../node-protect.ts';
import { onOneClass } from './one-class.ts';

/**
 * Middleware for any application, router or route. It says that it takes Node's messages: one that takes a request of
 * Express would have the handlers after it forget the types of the parameters that their path names.
 */
export type ExpressMiddleware = (request: IncomingMessage, response: ServerResponse, next: Next) => void;
export type ExpressLimitOptions = NodeLimitOptions<Request, Response>;
export type ExpressCapOptions = NodeCapOptions<Request, Response>;
export type ExpressProtectOptions<T> = NodeProtectOptions<Request, Response, T>;

/**
 * Limits the calls of an application, a router or a route. The path that costs are looked up by is the whole one, as
 * the client sent it; `basePath` takes a prefix off.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function limit(limiter: Limiter, options: ExpressLimitOptions = {}): ExpressMiddleware {
  return onOneClass(limitNode(limiter, options) as ExpressMiddleware);
}

/**
 * Caps how many calls of an application, a router or a route run at once: the next handler runs in a slot of its route's
 * cap, now or after a wait in the queue. `slotOf(request)` tells it about that. Behind body parsers, a client that sends
 * slowly holds no slot meanwhile.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function cap(caps: Caps, options: ExpressCapOptions = {}): ExpressMiddleware {
  return onOneClass(capNode(caps, options) as ExpressMiddleware);
}

/**
 * Protects a sign-in route: the next handler runs when it succeeded. Body parsers go before it.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function protect<T>(guard: Guard, options: ExpressProtectOptions<T>): ExpressMiddleware {
  return onOneClass(protectNode(guard, options) as ExpressMiddleware);
}

export type { Answer } from '../arrival.ts';
export type { CapChoice } from '../cap-gate.ts';
export { slotOf } from '../node-cap.ts';
export { rateLimitOf } from '../node-limit.ts';
export { signInOf } from '../node-protect.ts';
export type { RateLimit } from '../rate-limit.ts';
export type { SignIn, SignInDenial } from '../sign-in-gate.ts';
