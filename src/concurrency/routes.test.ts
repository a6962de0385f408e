import { describe, expect, it } from 'vitest';
import { routeOf } from './routes.ts';

describe('routeOf', () => {
  it.each([
    ['GET', '/items/7', 'read'],
    ['head', '/items', 'read'],
    ['OPTIONS', '/', 'read'],
    ['PUT', '/create', 'create'],
    ['POST', '/items', 'create'],
    ['PATCH', '/update', 'create'],
    ['DELETE', '/delete', 'create'],
    ['PURGE', '/cache', 'create'],
  ])('sorts %s %s under %s', (method, path, route) => {
    expect(routeOf(method, path)).toEqual({ route, priority: 'normal' });
  });

  it.each(['/healthz', '/readyz?verbose=1', '/live'])('knows %s as a health check', (path) => {
    expect(routeOf('GET', path).priority).toBe('health');
  });

  it.each([
    ['POST', '/healthz'],
    ['GET', '/healthz/../admin'],
    ['GET', '/health-records'],
  ])('does not take %s %s for one', (method, path) => {
    expect(routeOf(method, path).priority).toBe('normal');
  });
});
