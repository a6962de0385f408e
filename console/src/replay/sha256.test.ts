import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256 } from './sha256.ts';

const hex = (words: Int32Array) =>
  [...words].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');

const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 200 })
  .map((points) => String.fromCodePoint(...points.filter((point) => point < 0xd800 || point > 0xdfff)));

it('is SHA-256', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(hex(sha256(text))).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
    }),
  );
});

it.each([0, 55, 56, 63, 64, 119, 120, 1_000])('pads %i bytes as the standard says', (length) => {
  const text = 'a'.repeat(length);
  expect(hex(sha256(text))).toBe(createHash('sha256').update(text).digest('hex'));
});
