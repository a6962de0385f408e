import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPlainSpelling, normaliseIdentifier } from './identifier.ts';

const vectors = new URL('../../../shared/data/kratos-identifiers.json', import.meta.url);

interface IdentifierVector {
  readonly test: string;
  readonly input: string;
  readonly expected: string;
}

describe.runIf(existsSync(vectors))('what Kratos makes of identifiers', () => {
  const { cases } = existsSync(vectors)
    ? (JSON.parse(readFileSync(vectors, 'utf8')) as { cases: IdentifierVector[] })
    : { cases: [] };

  test.each(cases)('$test: $input', ({ input, expected }) => {
    expect(normaliseIdentifier(input)).toBe(expected);
  });
});

describe('an account has one key', () => {
  test.each([
    ['spaces of any kind', '\u0085\u00a0\u2003 Alice@Example.com\u3000\n', 'alice@example.com'],
    ['a dotted capital I, which Go makes an i of', 'İvan', 'ivan'],
    ['a sigma at the end, which Go does not look at', 'ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
    ['the sign of Kelvin', 'Klaus', 'klaus'],
    ['half a character', 'a\ud800b', 'a\ufffdb'],
    ['nothing that shows', '\u200b\u00ad \u2060', ''],
    ['a number with words around it', 'call +1 (650) 253-0000', '+16502530000'],
    ['a number with an extension', '+1 650 253 0000 ext. 12', '+16502530000'],
    ['a number with a short extension', '+16502530000x7', '+16502530000'],
    ['a vanity number', '+1 650 AJD 0000', '+16502530000'],
    ['Arabic digits', '+١٦٥٠٢٥٣٠٠٠٠', '+16502530000'],
    ['full-width digits', '＋１６５０２５３００００', '+16502530000'],
    ['a tel URI', 'tel:+1-650-253-0000;isub=12', '+16502530000'],
    ['a tel URI with a context', 'tel:650-253-0000;phone-context=+1', '+16502530000'],
    ['a national prefix that does not belong there', '+600136866982', '+60136866982'],
    ['a number that nobody has', '+999 (123) 456-789', '+999123456789'],
    ['an address with a plus', 'Alice+Spam@example.com', 'alice+spam@example.com'],
    ['a name with a plus', '+Alice', '+alice'],
  ])('%s', (_, typed, key) => {
    expect(normaliseIdentifier(typed)).toBe(key);
  });

  test('and a key is its own key', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.emailAddress());
    fc.assert(
      fc.property(text, (typed) => {
        const key = normaliseIdentifier(typed);
        expect(normaliseIdentifier(key)).toBe(key);
      }),
      { numRuns: 500 },
    );
  });

  test('in any case and with anything invisible in it', () => {
    const invisible = fc.constantFrom('\u200b', '\u200d', '\u00ad', '\ufeff', '\u2060', '\u202e', '');
    fc.assert(
      fc.property(fc.emailAddress(), fc.array(invisible, { maxLength: 40 }), (address, marks) => {
        const typed = [...address]
          .map((letter, index) => letter.toUpperCase() + (marks[index] ?? ''))
          .join('');
        expect(normaliseIdentifier(` ${typed} `)).toBe(normaliseIdentifier(address));
      }),
    );
  });

  test('and a number is one, however it is grouped', () => {
    const gap = fc.constantFrom('', ' ', '-', '.', ' (', ') ', '\u00a0', '/');
    fc.assert(
      fc.property(fc.array(gap, { minLength: 11, maxLength: 11 }), (gaps) => {
        const typed = `+${[...'4917667111638'].map((digit, index) => digit + (gaps[index] ?? '')).join('')}`;
        expect(normaliseIdentifier(typed)).toBe('+4917667111638');
      }),
    );
  });
});

describe('a spelling that stands for the same account in every version of Kratos', () => {
  test.each([
    [true, ' Alice@Example.com\n'],
    [true, '\u00a0jürgen\u2003'],
    [true, 'İvan'],
    [true, '+16502530000'],
    [true, ''],
    [false, 'ａlice'],
    [false, 'al\u200bice'],
    [false, '\ufeffalice'],
    [false, '\u200b'],
    [false, 'oﬃce'],
    [false, 'Ju\u0308rgen'],
    [false, '+1 650-253-0000'],
    [false, 'tel:+16502530000'],
  ])('%s for %j', (isPlain, typed) => {
    expect(isPlainSpelling(typed, normaliseIdentifier(typed))).toBe(isPlain);
  });
});
