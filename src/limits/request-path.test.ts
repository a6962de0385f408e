import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { barePath, bareTarget, decodedSegment, pathSegments, spelledSegments } from './request-path.ts';

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

describe('a segment', () => {
  const decoded = (segment: string) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  };
  const byte = fc.integer({ min: 0, max: 255 }).map((code) => `%${code.toString(16).padStart(2, '0')}`);
  const encoded = fc.string({ unit: 'grapheme' }).map(encodeURIComponent);
  const odd = fc.constantFrom(
    '%',
    '%4',
    '%zz',
    '%E2%82',
    '%e2%82%ac',
    '%F0%9F%98%80',
    '%ed%a0%80',
    '%c0%af',
    'x',
  );

  it('is decoded where it is well encoded, and else stays as it is', () => {
    const segments = fc.array(fc.oneof(byte, encoded, odd), { maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(segments, (segment) => {
        expect(decodedSegment(segment)).toBe(decoded(segment));
      }),
      { numRuns: 2_000 },
    );
  });

  it('that is not well encoded is no exception: thousands of them in one path would hold up everybody', () => {
    const decode = vi.spyOn(globalThis, 'decodeURIComponent');
    try {
      for (const segment of ['%', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%f5%80%80%80', '%e2%82', 'a%41%']) {
        expect(spelledSegments(`/${segment}`.repeat(1_000))).toEqual(Array(1_000).fill(segment));
      }
      expect(decode.mock.results.filter(({ type }) => type === 'throw')).toEqual([]);
    } finally {
      decode.mockRestore();
    }
  });
});
