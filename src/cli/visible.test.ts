import fc from 'fast-check';
import { expect, it } from 'vitest';
import { harmlessLine, jsonLine, visible } from './visible.ts';

it('shows plain text in quotes, as it is', () => {
  expect(visible('Ann Müller 🙂 東京')).toBe('"Ann Müller 🙂 東京"');
});

it('lets nothing through that a terminal acts on', () => {
  expect(visible('\u001b[31m \u009b1m \u0007 \u007f \u202e \u2028 \ud800 " \\')).toBe(
    '"\\u001b[31m \\u009b1m \\u0007 \\u007f \\u202e \\u2028 \\ud800 \\" \\\\"',
  );
});

it('is one line without controls, and JSON, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      const shown = visible(text);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(JSON.parse(shown)).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

it('is cut, and says so', () => {
  expect(visible('abcdef', 3)).toBe('"abc"…');
});

it('takes what acts on a terminal out of a line, and leaves the rest as it is', () => {
  expect(harmlessLine('"a\\b" \u001b[31m \u009b1m \u202e Müller')).toBe(
    '"a\\b" \\u001b[31m \\u009b1m \\u202e Müller',
  );
});

it('writes JSON that means the same and is one line without controls, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      const line = jsonLine({ [text]: text });
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(JSON.parse(line)).toEqual({ [text]: text });
    }),
    { numRuns: 1_000 },
  );
});
