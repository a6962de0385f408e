import Type from 'typebox';
import Value from 'typebox/value';
import { amountOf, shapeOf } from '../core/fault.ts';

type Tree = Readonly<Record<string, unknown>>;

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Every problem of a value with its schema, each with its place: what is expected there, and the shape of what came. Walks the
 * schema by itself, because a validator stops after a few errors, and names a choice by its parts instead of the one that was
 * meant.
 */
export function schemaProblems(schema: Type.TSchema, value: unknown, path: string): string[] {
  if (Type.IsUnion(schema)) return schemaProblems(meantOf(schema.anyOf, value), value, path);
  if (Type.IsObject(schema) && isTree(value)) return objectProblems(schema, value, path);
  if (Type.IsArray(schema) && Array.isArray(value)) {
    const own = leafProblems({ ...schema, items: Type.Unknown() }, value, path);
    return [
      ...own,
      ...value.flatMap((item, index) => schemaProblems(schema.items, item, `${path}[${index}]`)),
    ];
  }
  return leafProblems(schema, value, path);
}

/** Of a choice between an object and something simpler, an object means the object. */
function meantOf(choices: readonly Type.TSchema[], value: unknown): Type.TSchema {
  const meant = choices.find((choice) => Type.IsObject(choice) === isTree(value));
  return meant ?? Type.Union([...choices]);
}

function objectProblems(schema: Type.TObject, value: Tree, path: string): string[] {
  const fields: Readonly<Record<string, Type.TSchema>> = schema.properties;
  const required: readonly string[] = schema.required ?? [];
  return [
    ...Object.keys(value)
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => `${path}.${name.slice(0, 64)}: not a field of this`),
    ...required.filter((name) => value[name] === undefined).map((name) => `${path}.${name}: is missing`),
    ...Object.entries(fields)
      .filter(([name]) => value[name] !== undefined)
      .flatMap(([name, field]) => schemaProblems(field, value[name], `${path}.${name}`)),
  ];
}

/** The first one says enough of a single field. */
function leafProblems(schema: Type.TSchema, value: unknown, path: string): string[] {
  const [first] = Value.Errors(schema, value);
  if (first === undefined) return [];
  const allowed = Type.IsEnum(schema)
    ? `must be one of ${schema.enum.join(', ')}`
    : wordsFor(schema, first.message);
  const isAmount = Type.IsInteger(schema) || Type.IsNumber(schema);
  return [`${path}: ${allowed}, got ${isAmount ? amountOf(value) : shapeOf(value)}`];
}

/** What a schema says of itself in words, instead of a pattern that nobody reads. */
function wordsFor(schema: Type.TSchema, message: string): string {
  return 'expected' in schema ? `must be ${String(schema.expected)}` : message;
}
