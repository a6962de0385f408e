import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathTexts, textReadings } from './path-readings.ts';
import { pathSegments } from './request-path.ts';

const nothing = { spelling: false, slash: false };
const segmentsOf = (target: string) =>
  pathTexts(target)?.flatMap((text) => textReadings(text, 100, nothing).map(({ segments }) => segments));

const pieces = [
  '/',
  '\\',
  '.',
  '..',
  '%2e',
  '%2E',
  'a',
  'B',
  '%61',
  '%2F',
  ';',
  '\t',
  '\u00a0',
  'é',
  '//',
  ' ',
];

describe('a path', () => {
  it.each(['/a/b-c?x=/../y;z%2f', '/a', '/files/a.b', '/a#/../b'])('has one reading: %s', (target) => {
    expect(segmentsOf(target)).toEqual([pathSegments(target)]);
  });

  it('has more where servers differ about it, and the first is the plain one', () => {
    for (const [target, ...readings] of [
      ['/a//b%2Fc;v=1', ['a', 'b/c'], ['a', 'b', 'c'], ['a', '', 'b/c;v=1'], ['a', '', 'b%2Fc;v=1']],
      ['/files/../list', ['list'], ['files', '..', 'list']],
      ['/A%62/', ['ab'], ['A%62'], ['ab', ''], ['A%62', '']],
      ['http:///x/y', ['x', 'y'], ['y']],
    ] as const) {
      expect(segmentsOf(target)?.[0]).toEqual(pathSegments(target));
      expect(segmentsOf(target)).toEqual(expect.arrayContaining(readings.map((segments) => [...segments])));
    }
  });

  it('is the plain one at first, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const target = parts.join('');
        fc.pre(pathTexts(target) !== null);
        expect(segmentsOf(target)?.[0]).toEqual(pathSegments(target));
      }),
    );
  });

  it('is read as URL reads it, among others', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const path = `/${parts.join('')}`;
        fc.pre(URL.canParse(path, 'http://host') && pathTexts(path) !== null);
        const [, ...asUrl] = new URL(path, 'http://host').pathname.split('/');
        expect(segmentsOf(path)).toContainEqual(
          asUrl.map((segment) => decodeURIComponent(segment).toLowerCase()),
        );
      }),
    );
  });

  it('is not read where that would take too long', () => {
    const unclear = '/a;b\\c%2Fd/..//%2e/e%61'.repeat(600);
    expect(pathTexts(unclear)).toBeNull();
    expect(pathTexts('/a/b'.repeat(10_000))).toHaveLength(1);
  });
});
