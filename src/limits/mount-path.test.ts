import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MountPath } from './mount-path.ts';
import { pathSegments } from './request-path.ts';
import { RouteTable } from './route-table.ts';

describe('a mount path', () => {
  const segmentsBelow = (base: string, target: string) =>
    pathSegments(new MountPath(base).below(target).path);

  it('is taken off a path below it, in whatever spelling', () => {
    for (const target of [
      '/api/v1/list',
      '/API/v1//list/',
      '/%61pi/v1/list?x',
      'http://host/api/v1/list',
      '/x/../api/v1/list',
      '/api/../api/v1/list',
      '/api/v1/x/../list',
      '/api\\v1\\list',
      '//host/api/v1/list',
    ]) {
      expect(segmentsBelow('/api/V1/', target)).toEqual(['list']);
    }
    expect(new MountPath('/api/v1').below('/api/v1').path).toBe('/');
    expect(segmentsBelow('/api/v1', '/api/v1/a%2Fb')).toEqual(['a/b']);
    expect(segmentsBelow('/api/v1', '/api/v1/a%5Cb')).toEqual(['a\\b']);
  });

  it('is not taken off other paths', () => {
    const mount = new MountPath('/api/v1');
    for (const path of ['/api/v10/list', '/list', 'http://host/list', '/x/..;/list']) {
      expect(mount.below(path)).toEqual({ path, otherPaths: [] });
    }
  });

  const costOf = (target: string) => {
    const { path, otherPaths } = new MountPath('/api').below(target);
    return new RouteTable(
      [
        { path: '/create', cost: 5 },
        { path: '/files/*', cost: 9 },
      ],
      1,
    ).find('PUT', path, otherPaths).cost;
  };

  it.each([
    '/api/create;/x',
    '/api/create;/../list',
    '/api/create;v=1/..;/x',
    '//api/api/create',
    '/\\api/api/create',
    'http:///x/api/create',
    'http:////api/api/create',
    '/x/..//api/create',
    '/x/..;/api/create',
    '/API/create/',
  ])('leaves what servers may take for a route open in %s', (target) => {
    expect(costOf(target)).toBe(5);
  });

  it.each([
    '/api/files/../../x',
    '/api/files/../..;',
    '/api/files/..%2f..',
    '/x/../api/files/a',
    '/api//files/../create',
  ])('leaves the readings of what is below it: %s', (target) => {
    expect(costOf(target)).toBe(9);
  });

  it('has nothing else to tell of a path that is clear', () => {
    const mount = new MountPath('/api');
    expect(mount.below('/api/Read/A%20b/?x')).toEqual({ path: '/Read/A%20b/', otherPaths: [] });
    expect(mount.below('/api//list')).toEqual({ path: '/list', otherPaths: ['//list'] });
    expect(mount.below('/api/files/../list')).toEqual({ path: '/files/../list', otherPaths: [] });
  });

  it('leaves a path whole that takes too long to read in all ways', () => {
    expect(costOf(`/api${'/a;b\\c%2Fd/..//%2e/e%61'.repeat(600)}`)).toBe(9);
  });

  it('that is none leaves targets as they are', () => {
    fc.assert(
      fc.property(fc.string(), (target) => {
        expect(new MountPath().below(target).path).toBe(target);
      }),
    );
  });

  it('never fails, and keeps the segments below it', () => {
    const mount = new MountPath('/api');
    const anyText = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(anyText, (target) => {
        fc.pre(pathSegments(`/api/${target}`)[0] === 'api');
        expect(pathSegments(mount.below(`/api/${target}`).path)).toEqual(
          pathSegments(`/api/${target}`).slice(1),
        );
      }),
    );
  });

  it('answers the same for a path it has seen, whatever its query', () => {
    const mount = new MountPath('/api');
    expect(['/api/list?a', '/api/list?b', '/api/list'].map((target) => mount.below(target).path)).toEqual([
      '/list',
      '/list',
      '/list',
    ]);
  });
});
