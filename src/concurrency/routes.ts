import type { Priority } from './admission.ts';

/** The two routes every service has, and how many calls each lets run. */
export const defaultRoutes = Object.freeze({
  /** Whatever changes something. */
  create: Object.freeze({ limit: 10 }),
  /** Whatever only looks. */
  read: Object.freeze({ limit: 50 }),
});

/** Which cap a request belongs to, and how it stands in its queue. */
export interface RouteChoice {
  readonly route: string;
  readonly priority: Priority;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE']);
const healthPaths = new Set(['/healthz', '/livez', '/readyz', '/health', '/live', '/ready']);

/**
 * Sorts a request as services do that configure nothing: safe methods are `read`, all others `create`; the usual paths of
 * health checks have their priority.
 *
 * @param path with or without a query
 */
export function routeOf(method: string, path: string): RouteChoice {
  const isSafe = safeMethods.has(method.toUpperCase());
  const isHealthCheck = isSafe && healthPaths.has(path.split('?', 1)[0] ?? '');
  return { route: isSafe ? 'read' : 'create', priority: isHealthCheck ? 'health' : 'normal' };
}
