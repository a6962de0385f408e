import type { Caps } from '../../concurrency/index.ts';
import type { Guard } from '../../guard/guard.ts';
import type { Limiter } from '../../limits/index.ts';
import {
  createClientAddress as addressFinder,
  type ClientAddress,
  type ClientAddressOptions,
} from '../client-address.ts';
import { assertClientAddress } from '../gate-options.ts';
import { capNode, type NodeCapOptions } from '../node-cap.ts';
import { limitNode, type NodeLimitOptions } from '../node-limit.ts';
import type { NodeRequest, NodeResponse } from '../node-messages.ts';
import type { Next } from '../node-middleware.ts';
import { type NodeProtectOptions, protectNode } from '../node-protect.ts';

/** Middleware for node:http and node:http2: calls `next` for what may pass, and answers the rest. */
export type HttpMiddleware = (request: NodeRequest, response: NodeResponse, next: Next) => void;
export type HttpLimitOptions = NodeLimitOptions<NodeRequest, NodeResponse>;
export type HttpCapOptions = NodeCapOptions<NodeRequest, NodeResponse>;
export type HttpProtectOptions<T> = NodeProtectOptions<NodeRequest, NodeResponse, T>;

/**
 * Limits the calls of a server.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function limit(limiter: Limiter, options: HttpLimitOptions = {}): HttpMiddleware {
  return limitNode(limiter, options);
}

/**
 * Caps how many calls run at once: `next` runs in a slot of its route's cap, now or after a wait in the queue.
 * `slotOf(request)` tells a handler about it.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function cap(caps: Caps, options: HttpCapOptions = {}): HttpMiddleware {
  return capNode(caps, options);
}

/**
 * Protects a sign-in: `next` runs when it succeeded.
 *
 * @throws Fault `CONFIG_INVALID` when an option is not well formed.
 */
export function protect<T>(guard: Guard, options: HttpProtectOptions<T>): HttpMiddleware {
  return protectNode(guard, options);
}

/**
 * Finds the addresses of clients, for a server that asks a limiter itself.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, a range is not one, or the header is not one of the two.
 */
export function createClientAddress(options: ClientAddressOptions = {}): ClientAddress {
  assertClientAddress(options);
  return addressFinder(options);
}

export type { Answer } from '../arrival.ts';
export type { CapChoice } from '../cap-gate.ts';
export type { ClientAddress, ClientAddressOptions } from '../client-address.ts';
export { slotOf } from '../node-cap.ts';
export { rateLimitOf } from '../node-limit.ts';
export type { NodeRequest, NodeResponse } from '../node-messages.ts';
export type { Next } from '../node-middleware.ts';
export { signInOf } from '../node-protect.ts';
export type { RateLimit } from '../rate-limit.ts';
export type { SignIn, SignInDenial } from '../sign-in-gate.ts';
