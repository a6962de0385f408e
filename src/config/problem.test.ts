import fc from 'fast-check';
import Type from 'typebox';
import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { bounded, fieldPath, problemText, schemaProblems } from './problem.ts';
import { scenarioEntrySchemas } from './scenarios-section.ts';
import { ServiceDocument } from './service-schema.ts';
import { isTree } from './tree.ts';

const strict = { additionalProperties: false };
const schema = Type.Object(
  {
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    share: Type.Optional(Type.Number({ minimum: 0 })),
    name: Type.Optional(Type.String({ minLength: 2, maxLength: 4 })),
    code: Type.Optional(Type.String({ pattern: '^x', expected: 'something with x' })),
    kind: Type.Optional(Type.Enum(['a', 'b'])),
    fixed: Type.Optional(Type.Literal('z')),
    flag: Type.Optional(Type.Boolean()),
    list: Type.Optional(Type.Array(Type.Object({ n: Type.Integer() }, strict), { minItems: 1, maxItems: 2 })),
    either: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    both: Type.Optional(Type.Union([Type.Boolean(), Type.Object({ deep: Type.Integer() }, strict)])),
    map: Type.Optional(Type.Record(Type.String(), Type.Number())),
  },
  strict,
);

const problems = (value: unknown) => schemaProblems(schema, value).map(problemText);

describe('schemaProblems', () => {
  it.each([
    [{ count: 0 }, 'count: must be a whole number from 1 to 9, got the integer 0'],
    [{ share: -1 }, 'share: must be a number of at least 0, got the integer -1'],
    [{ name: 'a' }, 'name: must be a string of 2 to 4 characters, got a string of 1 characters'],
    [{ name: 4_915_112 }, 'name: must be a string of 2 to 4 characters, got an integer of 7 digits'],
    [{ code: 'y' }, 'code: must be something with x, got a string of 1 characters'],
    [{ kind: 'c' }, 'kind: must be one of "a", "b", got a string of 1 characters'],
    [{ fixed: 1 }, 'fixed: must be "z", got an integer of 1 digit'],
    [{ flag: 'yes' }, 'flag: must be true or false, got a string of 3 characters'],
    [{ list: [] }, 'list: must be a list of 1 to 2 entries, got an array of 0'],
    [{ list: [{ n: 1 }, {}] }, 'list[1].n: is missing'],
    [{ list: [{ n: 1, m: 2 }] }, 'list[0].m: is not a known field; there are n'],
    [{ either: 'x' }, 'either: must be a whole number or null, got a string of 1 characters'],
    [{ either: 1.5 }, 'either: must be a whole number or null, got the number 1.5'],
    [{ both: { deep: 'x' } }, 'both.deep: must be a whole number, got a string of 1 characters'],
    [{ both: [] }, 'both: must be true or false or an object, got an array of 0'],
    [{ map: { 'a b': 'x' } }, 'map["a b"]: must be a number, got a string of 1 characters'],
    [null, 'must be an object, got null'],
  ])('says of %j what was expected and the shape of what is there', (value, text) => {
    expect(problems(value)).toEqual([text]);
  });

  it('finds something wrong exactly where typebox does', () => {
    const leaf = fc.oneof(
      fc.integer({ min: -2, max: 12 }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.string({ maxLength: 5 }),
    );
    const inner = fc.oneof(
      leaf,
      fc.array(fc.oneof(leaf, fc.dictionary(fc.constantFrom('n', 'm'), leaf))),
      fc.dictionary(fc.constantFrom('deep', 'x'), leaf),
    );
    const fields = fc.constantFrom(
      ...Object.keys(schema.properties),
      'other',
      'constructor',
      'hasOwnProperty',
    );
    fc.assert(
      fc.property(fc.oneof(leaf, fc.dictionary(fields, inner)), (value) => {
        expect(problems(value).length === 0).toBe(Value.Check(schema, value));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a path', () => {
  it('shows an odd name as JSON, cut', () => {
    expect(fieldPath('a', 'b\n"')).toBe('a["b\\n\\""]');
    expect(fieldPath('', 'x'.repeat(500)).length).toBeLessThan(100);
  });
});

describe('bounded', () => {
  it('says how many it left out', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({ path: `a[${index}]`, message: 'is wrong' }));
    const shown = bounded(many);
    expect(shown).toHaveLength(200);
    expect(shown.at(-1)).toEqual({ path: '', message: 'and 801 more problems' });
    expect(bounded(many.slice(0, 200))).toHaveLength(200);
  });
});

/** Where a schema asks for a form of a text that it has no words for. */
function wordless(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own =
    isTree(schema) && typeof schema.pattern === 'string' && schema.expected === undefined ? [path] : [];
  return [...own, ...Object.entries(schema).flatMap(([name, inner]) => wordless(inner, `${path}.${name}`))];
}

it('has words for every form that a text of a configuration must have', () => {
  expect([ServiceDocument, ...scenarioEntrySchemas].flatMap((each) => wordless(each, ''))).toEqual([]);
});
