import fc from 'fast-check';
import type { StoredRecord } from '../../src/core/records.ts';

/** Any code point but a lone surrogate, which no UTF-8 store can keep. */
const text = () => fc.string({ unit: 'binary', maxLength: 20 });

const scalar = () =>
  fc.oneof(
    fc.maxSafeInteger(),
    fc.constantFrom(0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
    text(),
    fc.boolean(),
    fc.constant(null),
  );

/** A record of plain JSON data: whole numbers, any text, booleans, null, lists and objects in each other. */
export function anyRecord(): fc.Arbitrary<StoredRecord> {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar(),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(name(), tie('value'), { maxKeys: 6, noNullPrototype: true }),
    ),
  }));
  const fields = fc.dictionary(name(), value, { maxKeys: 8, noNullPrototype: true });
  return fc.tuple(fields, fc.nat(Number.MAX_SAFE_INTEGER)).map(([rest, at]) => ({ ...rest, at }));
}

/** `__proto__` in a literal would be a prototype and not a field. */
function name(): fc.Arbitrary<string> {
  return text().filter((candidate) => candidate !== '__proto__');
}
