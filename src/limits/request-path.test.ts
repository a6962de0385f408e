import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  barePath,
  bareTarget,
  MountPath,
  pathReadings,
  pathSegments,
  spelledSegments,
} from './request-path.ts';

describe('a path', () => {
  it.each([
    ['/a/b?c=/d', '/a/b'],
    ['/a#b', '/a'],
    ['/a#b?c', '/a'],
    ['/a?b#c', '/a'],
    ['http://host#x', '/'],
    ['http://host/a?b', '/a'],
    ['http://host', '/'],
    ['http://host?x', '/'],
    ['*', '*'],
    ['', '/'],
    ['//host/a', '//host/a'],
  ])('of %s is %s', (target, path) => {
    expect(barePath(target)).toBe(path);
  });

  it.each([
    '/x/../create',
    '/./create',
    '/create/.',
    '/create/x/..',
    '/../../create',
    '/%2e/create',
    '/x/%2E%2e/create',
    '/x/.%2E/create',
    '/x\\..\\create',
    '\\create',
    '//x/../create',
    '/x/..;v=1/create',
  ])('of %j has its dot segments resolved', (target) => {
    expect(pathSegments(target)).toEqual(['create']);
  });

  it.each([
    ['/a?b=c', '/a?b=c'],
    ['/a?b=c#d#e', '/a?b=c'],
    ['/a#b?c', '/a'],
    ['/a%23b?c=%23', '/a%23b?c=%23'],
    ['http://host:80/a?b#c', '/a?b'],
  ])('and the query of %s are %s', (target, bare) => {
    expect(bareTarget(target)).toBe(bare);
  });

  it('can be had in the case in which it was sent', () => {
    expect(spelledSegments('/x/../Users;v=1//%41b%2Fc/#D')).toEqual(['Users', 'Ab/c']);
  });

  it('keeps dots that are only part of a segment', () => {
    expect(pathSegments('/.well-known/a..b/.../c.')).toEqual(['.well-known', 'a..b', '...', 'c.']);
  });

  it('has one reading, unless servers differ about it', () => {
    expect(pathReadings('/a//b-c?x=/../y;z%2f')).toEqual([['a', 'b-c']]);
    expect(pathReadings('/a//b%2Fc;v=1')).toEqual(
      expect.arrayContaining([
        ['a', 'b/c'],
        ['a', 'b', 'c'],
        ['a', 'b/c;v=1'],
      ]),
    );
    expect(pathReadings('/files/../list')).toEqual(
      expect.arrayContaining([['list'], ['files', '..', 'list']]),
    );
  });

  it('is read as URL reads it, among others', () => {
    const pieces = ['/', '\\', '.', '..', '%2e', '%2E', 'a', 'B', '%61', '\t', '\u00a0', 'é', '//', ' '];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const path = `/${parts.join('')}`;
        fc.pre(URL.canParse(path, 'http://host'));
        const asUrl = new URL(path, 'http://host').pathname.split('/').filter((segment) => segment !== '');
        expect(pathReadings(path)).toContainEqual(
          asUrl.map((segment) => decodeURIComponent(segment).toLowerCase()),
        );
      }),
    );
  });
});

describe('a mount path', () => {
  const segmentsBelow = (base: string, target: string) => pathSegments(new MountPath(base).below(target));

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
    expect(new MountPath('/api/v1').below('/api/v1')).toBe('/');
    expect(segmentsBelow('/api/v1', '/api/v1/a%2Fb')).toEqual(['a/b']);
    expect(segmentsBelow('/api/v1', '/api/v1/a%5Cb')).toEqual(['a\\b']);
  });

  it('is not taken off other paths', () => {
    const mount = new MountPath('/api/v1');
    expect(mount.below('/api/v10/list')).toBe('/api/v10/list');
    expect(mount.below('/list')).toBe('/list');
  });

  it.each(['/api/create;/x', '/api/create;/../list', '/api/create;v=1/..;/x'])(
    'leaves what a semicolon may mean open in %s',
    (target) => {
      expect(pathReadings(new MountPath('/api').below(target))).toContainEqual(['create']);
    },
  );

  it('leaves the readings of what is below it', () => {
    const below = new MountPath('/api').below('/api/files/../list');
    expect(pathReadings(below)).toEqual(expect.arrayContaining([['list'], ['files', '..', 'list']]));
  });

  it('that is none leaves targets as they are', () => {
    fc.assert(
      fc.property(fc.string(), (target) => {
        expect(new MountPath().below(target)).toBe(target);
      }),
    );
  });

  it('never fails, and keeps the segments below it', () => {
    const mount = new MountPath('/api');
    const anyText = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(anyText, (target) => {
        fc.pre(pathSegments(`/api/${target}`)[0] === 'api');
        expect(pathSegments(mount.below(`/api/${target}`))).toEqual(pathSegments(`/api/${target}`).slice(1));
      }),
    );
  });

  it('answers the same for a path it has seen, whatever its query', () => {
    const mount = new MountPath('/api');
    expect(['/api/list?a', '/api/list?b', '/api/list'].map((target) => mount.below(target))).toEqual([
      '/list',
      '/list',
      '/list',
    ]);
  });
});
