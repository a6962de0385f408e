import { Fault, shapeOf } from '../core/fault.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';
import { Recent } from '../identity/recent.ts';
import { assertCost } from './allowance.ts';
import { pathReadings, pathSegments } from './request-path.ts';

/** What calls of one route cost. */
export interface Route {
  /** An HTTP method; any if absent. A `HEAD` counts as the `GET` it stands for. */
  readonly method?: string | undefined;
  /** `/read/:id` matches one segment at `:id`; a last segment `*` matches whatever follows. */
  readonly path: string;
  /** An integer from 0 to 1,000,000. Default 1. */
  readonly cost?: number | undefined;
  /** On a sign-in route answers do not tell the remaining quota. Default false. */
  readonly signIn?: boolean | undefined;
}

const routeKinds: OptionKinds<Route> = {
  method: 'checked',
  path: 'checked',
  cost: 'checked',
  signIn: 'boolean',
};

/** A route, ready to match against. */
export interface CompiledRoute {
  /** As in the table: `PUT /create`; `other` for what no route matches. */
  readonly name: string;
  readonly cost: number;
  readonly signIn: boolean;
}

/** A path with places for anything, ready to match against {@link pathSegments}. */
export interface PathPattern {
  /** Null stands for any one segment. */
  readonly segments: readonly (string | null)[];
  /** Whether more segments may follow. */
  readonly open: boolean;
}

interface Pattern extends CompiledRoute, PathPattern {
  readonly method: string | null;
}

export const defaultRoutes: readonly Route[] = [
  { method: 'GET', path: '/list', cost: 1 },
  { method: 'GET', path: '/read/:id', cost: 1 },
  { method: 'PUT', path: '/create', cost: 5 },
  { method: 'PATCH', path: '/update', cost: 3 },
  { method: 'DELETE', path: '/delete', cost: 3 },
];

/**
 * Finds the route of a call; the first that matches wins. Spelling makes no difference, see {@link pathSegments}; a path
 * that servers read in several ways is the dearest route that one of them may take it for.
 */
export class RouteTable {
  /** By the methods that the table names. */
  readonly #byMethod = new Map<string, MethodRoutes>();
  readonly #anyMethod: MethodRoutes;

  /** @throws Fault `CONFIG_INVALID` when a path does not start with `/`, or a cost is out of range. */
  constructor(routes: readonly Route[], otherCost: number) {
    assertCost('CONFIG_INVALID', 'otherCost', otherCost);
    const patterns = routes.map(compile);
    const other = Object.freeze({ name: 'other', cost: otherCost, signIn: false });
    const routesOf = (asked: string | null) =>
      new MethodRoutes(
        patterns.filter(({ method }) => method === null || method === asked),
        other,
      );
    this.#anyMethod = routesOf(null);
    for (const { method } of patterns) if (method !== null) this.#byMethod.set(method, routesOf(method));
  }

  /** @param path as the client sent it; a query is cut off. */
  find(method: string, path: string): CompiledRoute {
    const capital = capitalMethod(method);
    const routes = this.#byMethod.get(capital === 'HEAD' ? 'GET' : capital);
    return (routes ?? this.#anyMethod).find(path);
  }
}

/** What nearly every call comes with: to look here costs less than to convert what is in capitals already. */
const capitalMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

/** A method as routes and filters name it. Over HTTP/2 a client writes it as it likes, and frameworks put it into capitals. */
export function capitalMethod(method: string): string {
  return capitalMethods.has(method) ? method : method.toUpperCase();
}

const rememberedPaths = 1_024;
/** With its query, for a path that is cut from a target keeps all of it in memory. */
const longestTarget = 256;

/** The routes of one method. Taking a path apart costs more than most that follows, so recent ones are remembered. */
class MethodRoutes {
  readonly #patterns: readonly Pattern[];
  readonly #other: CompiledRoute;
  readonly #recent = new Recent<CompiledRoute>(rememberedPaths, longestTarget);

  constructor(patterns: readonly Pattern[], other: CompiledRoute) {
    this.#patterns = patterns;
    this.#other = other;
  }

  find(target: string): CompiledRoute {
    if (this.#patterns.length === 0) return this.#other;
    if (target.length > longestTarget) return this.#match(target);
    const query = target.indexOf('?');
    const path = query < 0 ? target : target.slice(0, query);
    const known = this.#recent.get(path);
    if (known !== undefined) return known;
    const route = this.#match(path);
    this.#recent.set(path, route);
    return route;
  }

  #match(target: string): CompiledRoute {
    const [first = this.#other, ...others] = pathReadings(target).map((segments) => this.#first(segments));
    if (others.length === 0) return first;
    let dearest = first;
    for (const route of others) {
      const isNamed = dearest === this.#other && route.cost === dearest.cost;
      if (route.cost > dearest.cost || isNamed) dearest = route;
    }
    // An answer that may be one of a sign-in must not tell the quota.
    const signIn = first.signIn || others.some((route) => route.signIn);
    return signIn === dearest.signIn ? dearest : { ...dearest, signIn };
  }

  #first(segments: readonly string[]): CompiledRoute {
    return this.#patterns.find((pattern) => patternMatches(pattern, segments)) ?? this.#other;
  }
}

function compile(route: Route, index: number): Pattern {
  const place = `routes[${index}]`;
  assertOptions(place, route, routeKinds);
  const { method, path, cost = 1, signIn = false } = route;
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new Fault('CONFIG_INVALID', `${place}.path must start with "/", got ${shapeOf(path)}`);
  }
  if (method !== undefined && !(typeof method === 'string' && /^[A-Za-z]+$/.test(method))) {
    throw new Fault('CONFIG_INVALID', `${place}.method must be an HTTP method, got ${shapeOf(method)}`);
  }
  assertCost('CONFIG_INVALID', `${place}.cost`, cost);
  return Object.freeze({
    name: method === undefined ? path : `${method.toUpperCase()} ${path}`,
    cost,
    signIn,
    method: method?.toUpperCase() ?? null,
    ...toPathPattern(path),
  });
}

/** Reads `/read/:id` and `/files/*`. */
export function toPathPattern(path: string): PathPattern {
  const segments = pathSegments(path);
  const open = segments.at(-1) === '*';
  return {
    segments: (open ? segments.slice(0, -1) : segments).map((text) => (text.startsWith(':') ? null : text)),
    open,
  };
}

/** Whether a path, as its {@link pathSegments}, is one that the pattern stands for. */
export function patternMatches({ segments, open }: PathPattern, asked: readonly string[]): boolean {
  if (open ? asked.length < segments.length : asked.length !== segments.length) return false;
  for (let index = 0; index < segments.length; index += 1) {
    const segment = segments[index];
    if (segment !== null && segment !== asked[index]) return false;
  }
  return true;
}
