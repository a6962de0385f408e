import { Fault, shapeOf } from '../core/fault.ts';

/** One call, as the limiter sees it. */
export interface Call {
  /** HTTP method, upper case. */
  readonly method: string;
  /** Path as the client sent it, with or without its query. */
  readonly path: string;
  /**
   * What the path may be besides, to servers that read it in another way: the dearest route of all counts. In these only
   * slashes have a meaning. Default: nothing.
   */
  readonly otherPaths?: readonly string[] | undefined;
  /** The client's address, IPv4 or IPv6 text. */
  readonly ip: string;
  /** The raw `User-Agent`. */
  readonly ua?: string | null | undefined;
  /** The id of the signed-in user; absent, null or empty for anybody else. */
  readonly user?: string | null | undefined;
  /** Reads a header by its lower-case name, where an allowlist looks at headers. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** Instead of the cost of the route: an integer from 0 to 1,000,000. */
  readonly cost?: number | undefined;
  /** What others hold against the caller. Default: nothing. */
  readonly standing?: CallStanding | undefined;
}

/** How a caller is to be treated, by what others than the limiter have found out, such as scenarios. */
export interface CallStanding {
  /** Of the refill rate, from 0.1 to 1, besides what the service can bear. */
  readonly refillScale: number;
  /** Time in ms for which it is blocked; 0 when it is not. */
  readonly refusedForMs: number;
}

/** Callers without types hand in anything. @throws Fault `INPUT_INVALID` that names the field. */
export function assertCall(call: Call): void {
  assertClient('call', call);
  if (typeof call.method !== 'string') refuse('method', call.method);
  if (typeof call.path !== 'string') refuse('path', call.path);
  if (call.otherPaths !== undefined) assertPaths(call.otherPaths);
}

function assertPaths(paths: unknown): void {
  if (Array.isArray(paths) && paths.every((path) => typeof path === 'string')) return;
  throw new Fault('INPUT_INVALID', `otherPaths must be a list of strings, got ${shapeOf(paths)}`);
}

/** A user id that is a number would have a bucket, but no override and no place on an allowlist. */
export function assertClient(what: string, client: Pick<Call, 'user' | 'ua'>): void {
  if (typeof client !== 'object' || client === null) {
    throw new Fault('INPUT_INVALID', `${what} must be an object, got ${shapeOf(client)}`);
  }
  const { user, ua } = client;
  if (typeof user !== 'string' && user !== undefined && user !== null) refuse('user', user);
  if (typeof ua !== 'string' && ua !== undefined && ua !== null) refuse('ua', ua);
}

function refuse(field: string, value: unknown): never {
  throw new Fault('INPUT_INVALID', `${field} must be a string, got ${shapeOf(value)}`);
}
