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
  /** Instead of the cost of the route: a whole number from 0 to 1,000,000. */
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

/**
 * A call that an adapter has put together. It has no field but those below, so nobody has to look for misspelt ones in each;
 * and it may wait for a store, so it is of a class (decision 0010).
 */
export class ArrivedCall implements Call {
  readonly method: string;
  readonly path: string;
  readonly otherPaths: readonly string[];
  readonly ip: string;
  readonly ua: string | undefined;
  readonly user: string | null | undefined;
  readonly header: (name: string) => string | undefined;

  constructor(
    method: string,
    { path, otherPaths }: { readonly path: string; readonly otherPaths: readonly string[] },
    ip: string,
    user: string | null | undefined,
    header: (name: string) => string | undefined,
  ) {
    this.method = method;
    this.path = path;
    this.otherPaths = otherPaths;
    this.ip = ip;
    this.ua = header('user-agent');
    this.user = user;
    this.header = header;
  }
}

/** What scenarios see of a call besides. */
interface Seen {
  readonly headerNames: unknown;
  readonly status: unknown;
  readonly route: unknown;
}

/**
 * Refuses a field that there is not: whoever misspells `user` limits everybody behind an address together. Where a client is
 * asked for a call will do, and one object may serve limiters and scenarios.
 *
 * @throws Fault `INPUT_INVALID` that names the field.
 */
export function assertCallFields(what: 'call' | 'client', call: object): void {
  for (const name in call) {
    if (!isCallField(name as keyof Call) && Object.hasOwn(call, name)) throw noField(what, name);
  }
}

/** Compares by itself: to look the names up in a set costs a tenth of a decision. */
function isCallField(name: keyof Call | keyof Seen): boolean {
  switch (name) {
    case 'method':
    case 'path':
    case 'otherPaths':
    case 'header':
    case 'ip':
    case 'ua':
    case 'user':
    case 'cost':
    case 'standing':
    case 'headerNames':
    case 'status':
    case 'route':
      return true;
    default:
      // The compiler sees to it that none is missing above.
      name satisfies never;
      return false;
  }
}

const known = {
  call: 'method, path, otherPaths, ip, ua, user, header, cost, standing, headerNames, status, route',
  client: 'ip, ua, user',
};

function noField(what: 'call' | 'client', name: string): Fault {
  return new Fault('INPUT_INVALID', `${name} is no field of a ${what}: there are ${known[what]}`);
}

/** Callers without types hand in anything. @throws Fault `INPUT_INVALID` that names the field. */
export function assertCall(call: Call): void {
  if (call instanceof ArrivedCall) {
    assertUser(call.user);
    return;
  }
  assertClient('call', call);
  if (typeof call.method !== 'string') refuse('method', call.method);
  if (typeof call.path !== 'string') refuse('path', call.path);
  if (call.otherPaths !== undefined) assertPaths(call.otherPaths);
  if (call.standing !== undefined) assertStanding(call.standing);
}

/** What is missing here would be held against nobody. */
function assertStanding(standing: CallStanding): void {
  if (typeof standing !== 'object' || standing === null) {
    throw new Fault('INPUT_INVALID', `standing must be an object, got ${shapeOf(standing)}`);
  }
  const { refillScale, refusedForMs } = standing;
  if (typeof refillScale !== 'number') refuse('standing.refillScale', refillScale, 'a number');
  if (typeof refusedForMs !== 'number') refuse('standing.refusedForMs', refusedForMs, 'a number');
}

function assertPaths(paths: unknown): void {
  if (Array.isArray(paths) && paths.every((path) => typeof path === 'string')) return;
  throw new Fault('INPUT_INVALID', `otherPaths must be a list of strings, got ${shapeOf(paths)}`);
}

export function assertClient(what: 'call' | 'client', client: Pick<Call, 'user' | 'ua'>): void {
  if (typeof client !== 'object' || client === null) {
    throw new Fault('INPUT_INVALID', `${what} must be an object, got ${shapeOf(client)}`);
  }
  assertCallFields(what, client);
  const { user, ua } = client;
  assertUser(user);
  if (typeof ua !== 'string' && ua !== undefined && ua !== null) refuse('ua', ua);
}

/** A user id that is a number would have a bucket, but no override and no place on an allowlist. */
function assertUser(user: unknown): void {
  if (typeof user !== 'string' && user !== undefined && user !== null) refuse('user', user);
}

function refuse(field: string, value: unknown, expected = 'a string'): never {
  throw new Fault('INPUT_INVALID', `${field} must be ${expected}, got ${shapeOf(value)}`);
}
