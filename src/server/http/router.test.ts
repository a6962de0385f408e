import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Route } from '../route.ts';
import { Router } from './router.ts';

const route = (method: Route['method'], path: string, more: Partial<Route> = {}): Route => ({
  method,
  path,
  summary: '',
  role: null,
  answers: {},
  handle: () => ({ status: 200 }),
  ...more,
});

const router = new Router(
  [
    route('GET', '/v1/blocks'),
    route('POST', '/v1/blocks'),
    route('DELETE', '/v1/blocks/:id'),
    route('PUT', '/v1/pins/:kind/:name'),
    route('PUT', '/v1/pins/plain/one', { bodyBytes: 10_000_000 }),
  ],
  1_000_000,
);

const found = (method: string, path: string) => {
  const result = router.find(method, path);
  return result.kind === 'route' ? { path: result.ready.route.path, params: result.params } : result;
};

describe('a router', () => {
  it.each([
    ['GET', '/v1/blocks', { path: '/v1/blocks', params: {} }],
    ['HEAD', '/v1/blocks', { path: '/v1/blocks', params: {} }],
    ['PUT', '/v1/blocks', { kind: 'method', allowed: ['GET', 'HEAD', 'POST'] }],
    ['DELETE', '/v1/blocks/login%3AK4%3Ax', { path: '/v1/blocks/:id', params: { id: 'login:K4:x' } }],
    ['GET', '/v1/blocks/x', { kind: 'method', allowed: ['DELETE'] }],
    ['DELETE', '/v1/blocks/', { kind: 'nothing' }],
    ['DELETE', '/v1/blocks/%zz', { kind: 'nothing' }],
    ['DELETE', '/v1/blocks/a/b', { kind: 'nothing' }],
    ['PUT', '/v1/pins/a/b%2Fc', { path: '/v1/pins/:kind/:name', params: { kind: 'a', name: 'b/c' } }],
    ['PUT', '/v1/pins/plain/one', { path: '/v1/pins/plain/one', params: {} }],
    ['GET', '/v1/blocks/', { kind: 'nothing' }],
    ['GET', '//v1/blocks', { kind: 'nothing' }],
    ['GET', '/V1/blocks', { kind: 'nothing' }],
    ['GET', '', { kind: 'nothing' }],
    ['GET', '*', { kind: 'nothing' }],
  ])('leads %s %s', (method, path, expected) => {
    expect(found(method, path)).toEqual(expected);
  });

  it('finds something to say about every path', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (method, path) => {
        expect(['route', 'method', 'nothing']).toContain(router.find(method, path).kind);
      }),
    );
  });

  it('gives back whatever text a parameter was made of', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => {
        expect(found('DELETE', `/v1/blocks/${encodeURIComponent(id)}`)).toEqual({
          path: '/v1/blocks/:id',
          params: { id },
        });
      }),
    );
  });

  it('bounds every body', () => {
    const result = router.find('PUT', '/v1/pins/plain/one');
    expect(result.kind === 'route' && result.ready.bodyBytes).toBe(1_000_000);
  });

  it('does not take the same route twice', () => {
    expect(() => new Router([route('GET', '/a'), route('GET', '/a')], 1)).toThrow('two routes are GET /a');
    expect(() => new Router([route('GET', '/:a'), route('GET', '/:b')], 1)).toThrow('two routes are GET /:b');
  });
});
