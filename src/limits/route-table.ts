import { Fault, shapeOf } from '../core/fault.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';
import { assertCost } from './allowance.ts';
import { isPathPattern, type PathPattern, patternMatches, patternOf } from './path-pattern.ts';
import {
  comparedSegments,
  mindedIn,
  type PathReading,
  pathTexts,
  plainText,
  type Strictness,
  strictnesses,
  textReadings,
} from './path-readings.ts';
import { RecentPaths } from './recent-paths.ts';
import { barePath } from './request-path.ts';

/** What calls of one route cost. */
export interface Route {
  /** An HTTP method other than `HEAD`, which counts as the `GET` it stands for; any if absent. */
  readonly method?: string | undefined;
  /** `/read/:id` matches one segment at `:id`; a last segment `*` matches whatever follows. Other patterns are refused. */
  readonly path: string;
  /** A whole number from 0 to 1,000,000. Default 1. */
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

interface Pattern extends CompiledRoute {
  readonly method: string | null;
  /** In the order of {@link strictnesses}. */
  readonly compared: readonly PathPattern[];
  readonly minded: Strictness;
}

export const defaultRoutes: readonly Route[] = [
  { method: 'GET', path: '/list', cost: 1 },
  { method: 'GET', path: '/read/:id', cost: 1 },
  { method: 'PUT', path: '/create', cost: 5 },
  { method: 'PATCH', path: '/update', cost: 3 },
  { method: 'DELETE', path: '/delete', cost: 3 },
];

/**
 * Finds the route of a call; the first that matches wins. A path that servers read in several ways is the dearest route
 * that one of them may take it for, so that no spelling is cheaper: see {@link pathTexts}.
 */
export class RouteTable {
  /** By the methods that the table names. */
  readonly #byMethod = new Map<string, MethodRoutes>();
  readonly #anyMethod: MethodRoutes;
  /** Those of `GET`, which most calls ask for. */
  readonly #gets: MethodRoutes;

  /** @throws Fault `CONFIG_INVALID` when a path or its pattern is none, a method is none or `HEAD`, or a cost is out of range. */
  constructor(routes: readonly Route[], otherCost: number) {
    assertCost('CONFIG_INVALID', 'otherCost', otherCost);
    const patterns = routes.map(compile);
    const other = Object.freeze({ name: otherName, cost: otherCost, signIn: false });
    const routesOf = (asked: string | null) =>
      new MethodRoutes(
        patterns.filter(({ method }) => method === null || method === asked),
        other,
      );
    this.#anyMethod = routesOf(null);
    for (const { method } of patterns) if (method !== null) this.#byMethod.set(method, routesOf(method));
    this.#gets = this.#byMethod.get('GET') ?? this.#anyMethod;
  }

  /**
   * @param path as the client sent it; a query is cut off.
   * @param otherPaths what the path may be besides, as {@link pathTexts} tells it; the dearest route of all counts.
   */
  find(method: string, path: string, otherPaths?: readonly string[] | undefined): CompiledRoute {
    const routes = this.#routesOf(method);
    const route = routes.find(path);
    if (otherPaths === undefined || otherPaths.length === 0) return route;
    return otherPaths.reduce((dearest, other) => dearerOf(dearest, routes.findText(other)), route);
  }

  /**
   * Every route that a server may take the call for, each once. Nothing of it is remembered.
   *
   * @param path as the client sent it, without a query.
   */
  findAll(method: string, path: string): readonly CompiledRoute[] {
    return [...new Set(this.#routesOf(method).findAll(path))];
  }

  #routesOf(method: string): MethodRoutes {
    if (method === 'GET') return this.#gets;
    const capital = capitalMethod(method);
    if (capital === 'HEAD' || capital === 'GET') return this.#gets;
    return this.#byMethod.get(capital) ?? this.#anyMethod;
  }
}

const otherName = 'other';

/** The dearer of two routes that one call may be for, and one that is named rather than none. */
function dearerOf(one: CompiledRoute, other: CompiledRoute): CompiledRoute {
  const isNamed = one.name === otherName && other.cost === one.cost;
  const dearer = other.cost > one.cost || isNamed ? other : one;
  // An answer that may be one of a sign-in must not tell the quota.
  const signIn = one.signIn || other.signIn;
  return signIn === dearer.signIn ? dearer : { ...dearer, signIn };
}

/** A method as routes and filters name it. Over HTTP/2 a client writes it as it likes, and frameworks put it into capitals. */
export function capitalMethod(method: string): string {
  switch (method) {
    // What nearly every call comes with: to compare costs less than to convert what is in capitals already.
    case 'GET':
    case 'HEAD':
    case 'POST':
    case 'PUT':
    case 'PATCH':
    case 'DELETE':
    case 'OPTIONS':
      return method;
    default:
      return method.toUpperCase();
  }
}

/** The routes of one method. */
class MethodRoutes {
  readonly #patterns: readonly Pattern[];
  readonly #other: CompiledRoute;
  readonly #mostSegments: number;
  readonly #minded: Strictness;
  readonly #recent = new RecentPaths((path) => this.findAll(path).reduce(dearerOf));

  constructor(patterns: readonly Pattern[], other: CompiledRoute) {
    this.#patterns = patterns;
    this.#other = other;
    this.#mostSegments = Math.max(
      0,
      ...patterns.flatMap(({ compared }) => compared.map(({ segments }) => segments.length)),
    );
    this.#minded = {
      spelling: patterns.some(({ minded }) => minded.spelling),
      slash: patterns.some(({ minded }) => minded.slash),
    };
  }

  find(target: string): CompiledRoute {
    return this.#patterns.length === 0 ? this.#other : this.#recent.find(target);
  }

  /** One of each reading; all there are of a path with too many. */
  findAll(path: string): readonly CompiledRoute[] {
    if (this.#patterns.length === 0) return [this.#other];
    const texts = pathTexts(path);
    return texts === null ? [this.#other, ...this.#patterns] : texts.flatMap((text) => this.#ofText(text));
  }

  /** Of a path in which only slashes have a meaning. */
  findText(text: string): CompiledRoute {
    return this.#ofText(text).reduce(dearerOf);
  }

  #ofText(text: string): readonly CompiledRoute[] {
    return textReadings(text, this.#mostSegments, this.#minded).map((reading) => this.#first(reading));
  }

  #first({ strictness, segments }: PathReading): CompiledRoute {
    for (const pattern of this.#patterns) {
      const compared = pattern.compared[strictness];
      if (compared !== undefined && patternMatches(compared, segments)) return pattern;
    }
    return this.#other;
  }
}

function compile(route: Route, index: number): Pattern {
  const place = `routes[${index}]`;
  assertOptions(place, route, routeKinds);
  const { method, path, cost = 1, signIn = false } = route;
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new Fault('CONFIG_INVALID', `${place}.path must start with "/", got ${shapeOf(path)}`);
  }
  if (!isPathPattern(path)) {
    throw new Fault(
      'CONFIG_INVALID',
      `${place}.path must have ":name" for a segment and "*" for the last ones, and no other pattern, got ${shapeOf(path)}`,
    );
  }
  if (method !== undefined && !(typeof method === 'string' && /^[A-Za-z]+$/.test(method))) {
    throw new Fault('CONFIG_INVALID', `${place}.method must be an HTTP method, got ${shapeOf(method)}`);
  }
  if (method !== undefined && /^head$/i.test(method)) {
    throw new Fault(
      'CONFIG_INVALID',
      `${place}.method must be GET where HEAD is meant, which counts as GET, got ${shapeOf(method)}`,
    );
  }
  assertCost('CONFIG_INVALID', `${place}.cost`, cost);
  const text = plainText(barePath(path));
  return Object.freeze({
    name: method === undefined ? path : `${method.toUpperCase()} ${path}`,
    cost,
    signIn,
    method: method?.toUpperCase() ?? null,
    compared: strictnesses.map((by) => patternOf(comparedSegments(text, by))),
    // The slash of the root is no slash at the end: there is no path without it that could be meant.
    minded: text === '/' ? mindedIn('') : mindedIn(text),
  });
}
