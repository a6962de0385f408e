import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Recent } from './recent.ts';

test('the most recently used are all remembered', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(fc.nat(12), { maxLength: 100 }), (count, uses) => {
      const recent = new Recent<number>(count, 10);
      for (const use of uses) if (recent.get(String(use)) === undefined) recent.set(String(use), use);
      const lastFirst = [...new Set([...uses].reverse())];
      const expected = lastFirst.slice(0, count).reverse();
      expect(expected.map((use) => recent.get(String(use)))).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test('a value in use survives a flood of others', () => {
  const recent = new Recent<string>(4, 10);
  recent.set('warm', 'value');
  for (let index = 0; index < 1_000; index += 1) {
    recent.set(`flood${index}`, 'other');
    expect(recent.get('warm')).toBe('value');
  }
  expect(recent.get('flood10')).toBeUndefined();
});

test('a long text is not remembered', () => {
  const recent = new Recent<string>(4, 3);
  recent.set('abc', 'short');
  recent.set('abcd', 'long');
  expect([recent.get('abc'), recent.get('abcd')]).toEqual(['short', undefined]);
});
