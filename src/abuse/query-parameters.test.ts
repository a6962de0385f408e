import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { queryParameters } from './query-parameters.ts';

describe('the parameters of a query', () => {
  it('are those that URLSearchParams reads', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }).map(encodeURIComponent),
      fc.constantFrom('', '&', '=', '+', 'page', '%5B', 'a=b=c', '?', ';'),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (texts) => {
        const query = texts.join('');
        const read = [...new URLSearchParams(`?${query}`)].map(([name, value]) => [
          name.toLowerCase(),
          value,
        ]);
        expect(queryParameters(query)).toEqual(read);
      }),
      { numRuns: 1_000 },
    );
  });

  it('that are not well encoded are as they were sent, and no exception', () => {
    const decode = vi.spyOn(globalThis, 'decodeURIComponent');
    try {
      expect(queryParameters('%ff=%&%zz&page=7&a+%E2%82=%41%c0%af')).toEqual([
        ['%ff', '%'],
        ['%zz', ''],
        ['page', '7'],
        ['a %e2%82', '%41%c0%af'],
      ]);
      expect(decode.mock.results.filter(({ type }) => type === 'throw')).toEqual([]);
    } finally {
      decode.mockRestore();
    }
  });
});
