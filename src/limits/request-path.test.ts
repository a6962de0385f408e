import { describe, expect, it } from 'vitest';
import { barePath, bareTarget, pathSegments, spelledSegments } from './request-path.ts';

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
});
