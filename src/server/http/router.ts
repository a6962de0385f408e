import { Fault } from '../../core/fault.ts';
import type { Route } from '../route.ts';
import { defaultBodyBytes } from './body.ts';
import { requiring, type Validate, validatorFor } from './validation.ts';

/** A route with its validators compiled. */
export interface ReadyRoute {
  readonly route: Route;
  /** Whether there is a body to read. */
  readonly readsBody: boolean;
  readonly rawBody: boolean;
  readonly body: Validate | null;
  /** The same for a caller without a token, who may have to say more. */
  readonly bodyWithoutToken: Validate | null;
  readonly query: Validate | null;
  readonly bodyBytes: number;
}

/** What a path and method lead to. */
export type RouteMatch =
  | {
      readonly kind: 'route';
      readonly ready: ReadyRoute;
      readonly params: Readonly<Record<string, string>>;
    }
  /** The path is known, for other methods. */
  | { readonly kind: 'method'; readonly allowed: readonly string[] }
  | { readonly kind: 'nothing' };

type Methods = Map<string, RouteMatch & { kind: 'route' }>;

interface Pattern {
  /** Null stands for any one segment. */
  readonly segments: readonly (string | null)[];
  readonly names: readonly string[];
  readonly methods: Map<string, ReadyRoute>;
}

const nothing: RouteMatch = { kind: 'nothing' };
const noParams: Readonly<Record<string, string>> = Object.freeze({});

/** Finds routes: plain paths by a look into a map, those with parameters by trying. A `HEAD` counts as its `GET`. */
export class Router {
  readonly #plain = new Map<string, Methods>();
  readonly #patterns: Pattern[] = [];
  readonly #mostBodyBytes: number;

  /**
   * @param mostBodyBytes that any route may take
   * @throws Fault `CONFIG_INVALID` when two routes have the same method and path.
   */
  constructor(routes: readonly Route[], mostBodyBytes: number) {
    this.#mostBodyBytes = mostBodyBytes;
    for (const route of routes) this.#add(route);
  }

  /** @param path without its query, as the client sent it */
  find(method: string, path: string): RouteMatch {
    const asked = method === 'HEAD' ? 'GET' : method;
    const plain = this.#plain.get(path);
    if (plain !== undefined) return plain.get(asked) ?? { kind: 'method', allowed: allowedBy(plain) };
    return this.#findPattern(asked, path.split('/').slice(1));
  }

  #findPattern(method: string, segments: readonly string[]): RouteMatch {
    for (const { segments: wanted, names, methods } of this.#patterns) {
      if (wanted.length !== segments.length) continue;
      const values = segments.filter((_, index) => wanted[index] === null).map(decoded);
      if (!wanted.every((text, index) => text === null || text === segments[index])) continue;
      if (values.includes(null)) return nothing;
      const ready = methods.get(method);
      if (ready === undefined) return { kind: 'method', allowed: allowedBy(methods) };
      const params = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
      return { kind: 'route', ready, params };
    }
    return nothing;
  }

  #add(route: Route): void {
    const { rawBody = false, requiredWithoutToken } = route;
    const body = rawBody || route.body === undefined ? null : validatorFor(route.body);
    const ready: ReadyRoute = {
      route,
      readsBody: rawBody || route.body !== undefined,
      rawBody,
      body,
      bodyWithoutToken:
        route.body === undefined || requiredWithoutToken === undefined
          ? body
          : validatorFor(requiring(route.body, requiredWithoutToken)),
      query: route.query === undefined ? null : validatorFor(route.query),
      bodyBytes: Math.min(route.bodyBytes ?? defaultBodyBytes, this.#mostBodyBytes),
    };
    const isNew = route.path.includes('/:') ? this.#addPattern(route, ready) : this.#addPlain(route, ready);
    if (!isNew) throw new Fault('CONFIG_INVALID', `two routes are ${route.method} ${route.path}`);
  }

  #addPlain(route: Route, ready: ReadyRoute): boolean {
    const methods: Methods = this.#plain.get(route.path) ?? new Map();
    this.#plain.set(route.path, methods);
    if (methods.has(route.method)) return false;
    methods.set(route.method, { kind: 'route', ready, params: noParams });
    return true;
  }

  #addPattern(route: Route, ready: ReadyRoute): boolean {
    const parts = route.path.split('/').slice(1);
    const segments = parts.map((part) => (part.startsWith(':') ? null : part));
    const names = parts.filter((part) => part.startsWith(':')).map((part) => part.slice(1));
    let pattern = this.#patterns.find((known) => known.segments.join('/') === segments.join('/'));
    if (pattern === undefined) {
      pattern = { segments, names, methods: new Map() };
      this.#patterns.push(pattern);
    }
    if (pattern.methods.has(route.method)) return false;
    pattern.methods.set(route.method, ready);
    return true;
  }
}

/** Every method that is answered: `HEAD` is wherever `GET` is, and no route says so. */
const allowedBy = (methods: ReadonlyMap<string, unknown>): string[] =>
  [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

/** Null for a segment that is empty or not well encoded. */
function decoded(segment: string): string | null {
  if (segment === '') return null;
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
