import type { Request, RequestHandler, Response } from 'express';
import type { Caps } from '../../concurrency/index.ts';
import type { Guard } from '../../guard/guard.ts';
import type { Limiter } from '../../limits/index.ts';
import { capNode, type NodeCapOptions } from '../node-cap.ts';
import { limitNode, type NodeLimitOptions } from '../node-limit.ts';
import { type NodeProtectOptions, protectNode } from '../node-protect.ts';

export type ExpressLimitOptions = NodeLimitOptions<Request, Response>;
export type ExpressCapOptions = NodeCapOptions<Request, Response>;
export type ExpressProtectOptions<T> = NodeProtectOptions<Request, Response, T>;

/**
 * Limits the calls of an application, a router or a route. The path that costs are looked up by is the whole one, as
 * the client sent it; `basePath` takes a prefix off.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function limit(limiter: Limiter, options: ExpressLimitOptions = {}): RequestHandler {
  return limitNode(limiter, options);
}

/**
 * Caps how many calls of an application, a router or a route run at once: the next handler runs in a slot of its route's
 * cap, now or after a wait in the queue. `slotOf(request)` tells it about that. Behind body parsers, a client that sends
 * slowly holds no slot meanwhile.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function cap(caps: Caps, options: ExpressCapOptions = {}): RequestHandler {
  return capNode(caps, options);
}

/**
 * Protects a sign-in route: the next handler runs when it succeeded. Body parsers go before it.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function protect<T>(guard: Guard, options: ExpressProtectOptions<T>): RequestHandler {
  return protectNode(guard, options);
}

export type { Answer } from '../arrival.ts';
export type { CapChoice } from '../cap-gate.ts';
export type { RateLimit } from '../limit-gate.ts';
export { slotOf } from '../node-cap.ts';
export { rateLimitOf } from '../node-limit.ts';
export { type SignInDenial, signInOf } from '../node-protect.ts';
export type { SignIn } from '../sign-in-gate.ts';
