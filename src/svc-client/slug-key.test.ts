import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSlugKey, parseSlugKey } from './slug-key.ts';

describe('a slug key', () => {
  it('is a name and a major version', () => {
    expect(parseSlugKey('stock-items@12')).toEqual({ name: 'stock-items', major: 12 });
    expect(parseSlugKey('a.b_C@0')).toEqual({ name: 'a.b_C', major: 0 });
  });

  it.each([
    'stock',
    '@1',
    'stock@',
    'stock@@1',
    'a@b@1',
    'stock@1@',
    'stock@v1',
    'stock@01',
    'stock@-1',
    'stock@1.0',
    ' stock@1',
    'stock@1\n',
    'st;ock@1',
    'st>ock@1',
    'st,ock@1',
    `${'x'.repeat(64)}@1`,
    '',
  ])('is not %j', (text) => {
    expect(isSlugKey(text)).toBe(false);
    expect(() => parseSlugKey(text)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });

  it('is not something other than a text', () => {
    expect(() => parseSlugKey(undefined)).toThrow('got nothing');
  });

  it('never has more or less than one @', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '1', '@', '-') }), (text) => {
        if (isSlugKey(text)) expect(text.split('@')).toHaveLength(2);
      }),
    );
  });
});
