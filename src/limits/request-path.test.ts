import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barePath, pathSegments, withoutBase } from './request-path.ts';

describe('a path', () => {
  it.each([
    ['/a/b?c=/d', '/a/b'],
    ['/a#b', '/a'],
    ['http://host/a?b', '/a'],
    ['http://host', '/'],
    ['http://host?x', '/'],
    ['*', '*'],
    ['', '/'],
    ['//host/a', '//host/a'],
  ])('of %s is %s', (target, path) => {
    expect(barePath(target)).toBe(path);
  });

  it('below a base loses it, in whatever spelling', () => {
    const base = pathSegments('/api/V1/');
    for (const target of ['/api/v1/list', '/API/v1//list/', '/%61pi/v1/list?x', 'http://host/api/v1/list']) {
      expect(pathSegments(withoutBase(target, base))).toEqual(['list']);
    }
    expect(withoutBase('/api/v1', base)).toBe('/');
    expect(withoutBase('/api/v10/list', base)).toBe('/api/v10/list');
    expect(withoutBase('/list', base)).toBe('/list');
    expect(pathSegments(withoutBase('/api/v1/a%2Fb', base))).toEqual(['a/b']);
  });

  it('without a base is what it was', () => {
    fc.assert(
      fc.property(fc.string(), (target) => {
        expect(withoutBase(target, [])).toBe(target);
      }),
    );
  });

  it('never fails, and keeps its segments below a base', () => {
    const anyText = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(anyText, (target) => {
        const below = withoutBase(`/api/${target}`, ['api']);
        expect(pathSegments(below)).toEqual(pathSegments(`/api/${target}`).slice(1));
      }),
    );
  });
});
