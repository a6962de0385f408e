import Type from 'typebox';
import { namePattern, nameWords } from '../core/names.ts';

/** The pieces that the schemas of the configuration are made of. */

export type Fields = Readonly<Record<string, Type.TSchema>>;

const described = (description: string | undefined) => (description === undefined ? {} : { description });

/** Of an object: that it has no other fields. */
export const strict = { additionalProperties: false } as const;

/** An object all of whose fields may be left out, and that has no others. `Type.Partial` would allow others. */
export const optionalFields = <F extends Fields>(fields: F, options: { description?: string } = {}) =>
  Type.Object(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)])) as {
      [K in keyof F]: Type.TOptional<F[K]>;
    },
    { ...strict, ...options },
  );

export const choice = <const W extends string>(words: readonly W[], description?: string) =>
  Type.Unsafe<W>({ type: 'string', enum: words, ...described(description) });

export const whole = (minimum: number, maximum: number, description?: string) =>
  Type.Integer({ minimum, maximum, ...described(description) });

export const orNull = <S extends Type.TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], described(description));

export const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...described(description) });

/** What becomes part of a key, a label or a header. */
export const name = (description?: string) =>
  Type.String({
    pattern: namePattern,
    expected: nameWords,
    ...described(description),
  });

export const cidrs = (description?: string) =>
  Type.Array(text(64), { maxItems: 1024, ...described(description) });

export const port = (description?: string) => whole(0, 65_535, description);
export const milliseconds = (maximum: number, description?: string) => whole(1, maximum, description);
