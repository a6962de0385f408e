import type Type from 'typebox';
import Value from 'typebox/value';
import { numberWords, wholeWords } from '../core/amounts.ts';
import { amountOf, Fault, shapeOf } from '../core/fault.ts';
import { isTree, type Tree } from './tree.ts';

/** One thing that is wrong with a document. Shows shapes, and values only of numbers where one was due: others may be secrets. */
export interface Problem {
  /** Where: `limits.routes[2].cost`; empty for the document itself. */
  readonly path: string;
  /** What was expected, and the shape of what is there. */
  readonly message: string;
}

/** A file that is wrong everywhere is not worth more lines than these. */
const mostProblems = 200;

/** As one line: `limits.burst: must be …, got …`. */
export const problemText = ({ path, message }: Problem): string =>
  path === '' ? message : `${path}: ${message}`;

/** One fault for all problems of a document. */
export function problemsFault(source: string, problems: readonly Problem[], cause?: unknown): Fault {
  const options = cause === undefined ? {} : { cause };
  return new Fault('CONFIG_INVALID', `${source}: ${bounded(problems).map(problemText).join('; ')}`, options);
}

/** At most so many problems, the last of which says how many more there are. */
export function bounded(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= mostProblems) return problems;
  const left = problems.length - mostProblems + 1;
  return [...problems.slice(0, mostProblems - 1), { path: '', message: `and ${left} more problems` }];
}

/** A field's path under the path of what holds it. A name that is no word is shown as JSON. */
export function fieldPath(path: string, field: string): string {
  if (!/^[\w@.-]{1,80}$/.test(field)) return `${path}[${JSON.stringify(field.slice(0, 80))}]`;
  return path === '' ? field : `${path}.${field}`;
}

/** The parts of a JSON Schema that the schemas here are made of. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** In words, where the keywords do not say it well. */
  readonly expected?: string;
}

/**
 * Everything that is wrong with a value, by a schema of typebox. Typebox judges the leaves; the walk is ours because
 * its own report ends after a few errors and tells of every branch of a union.
 */
export function schemaProblems(schema: Type.TSchema, value: unknown, path = ''): Problem[] {
  return walk(schema as Schema, value, path);
}

function walk(schema: Schema, value: unknown, path: string): Problem[] {
  if (schema.anyOf !== undefined) return walkUnion(schema, schema.anyOf, value, path);
  if (schema.type === 'object' && isTree(value)) return walkObject(schema, value, path);
  if (schema.type === 'array' && Array.isArray(value)) return walkList(schema, value, path);
  return Value.Check(schema as Type.TSchema, value) ? [] : [wrong(schema, value, path)];
}

/** Of a union the branch of the value's own kind is told of, so that a typo deep in an object is named. */
function walkUnion(schema: Schema, branches: readonly Schema[], value: unknown, path: string): Problem[] {
  if (branches.some((branch) => walk(branch, value, path).length === 0)) return [];
  const kind = Array.isArray(value) ? 'array' : isTree(value) ? 'object' : null;
  const own = branches.filter(({ type }) => type === kind);
  return own.length === 1 && own[0] !== undefined ? walk(own[0], value, path) : [wrong(schema, value, path)];
}

function walkObject(schema: Schema, value: Tree, path: string): Problem[] {
  const { properties = {}, patternProperties = {}, additionalProperties = true, required = [] } = schema;
  const missing = required
    .filter((field) => value[field] === undefined)
    .map((field) => ({ path: fieldPath(path, field), message: 'is missing' }));
  const patterns = Object.entries(patternProperties);
  const found = Object.entries(value).flatMap(([field, inner]) => {
    const at = fieldPath(path, field);
    const own = Object.hasOwn(properties, field)
      ? properties[field]
      : patterns.find(([pattern]) => new RegExp(pattern, 'u').test(field))?.[1];
    if (own !== undefined) return walk(own, inner, at);
    if (typeof additionalProperties !== 'boolean') return walk(additionalProperties, inner, at);
    return additionalProperties ? [] : [{ path: at, message: unknownField(properties) }];
  });
  return [...missing, ...found];
}

function unknownField(properties: object): string {
  const names = Object.keys(properties);
  return names.length === 0 || names.length > 24
    ? 'is not a known field'
    : `is not a known field; there are ${names.join(', ')}`;
}

function walkList(schema: Schema, value: readonly unknown[], path: string): Problem[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema;
  if (value.length < minItems || value.length > maxItems) return [wrong(schema, value, path)];
  return items === undefined ? [] : value.flatMap((inner, index) => walk(items, inner, `${path}[${index}]`));
}

const wrong = (schema: Schema, value: unknown, path: string): Problem => ({
  path,
  message: `must be ${expectation(schema)}, got ${isAmount(schema) ? amountOf(value) : shapeOf(value)}`,
});

/** Whether a number was due, in one branch at least and a text in none, for that could be an identifier or a secret. */
function isAmount({ type, anyOf = [] }: Schema): boolean {
  if (type === 'integer' || type === 'number') return true;
  return anyOf.some(isAmount) && !anyOf.some((branch) => branch.type === 'string');
}

/** What a schema takes, in words. */
function expectation(schema: Schema): string {
  if (schema.expected !== undefined) return schema.expected;
  if (schema.anyOf !== undefined) return schema.anyOf.map(expectation).join(' or ');
  if (schema.enum !== undefined)
    return `one of ${schema.enum.map((word) => JSON.stringify(word)).join(', ')}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const { type } = schema;
  if (type === 'integer' || type === 'number') {
    return (type === 'integer' ? wholeWords : numberWords)(schema.minimum, schema.maximum);
  }
  if (type === 'string') return `a string${size(schema.minLength, schema.maxLength, 'characters')}`;
  if (type === 'array') return `a list${size(schema.minItems, schema.maxItems, 'entries')}`;
  if (type === 'boolean') return 'true or false';
  return type === 'object' ? 'an object' : (type ?? 'something else');
}

function size(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && least === most) return ` of ${least} ${unit}`;
  if (least !== undefined && most !== undefined) return ` of ${least} to ${most} ${unit}`;
  if (least !== undefined) return ` of at least ${least} ${unit}`;
  return most === undefined ? '' : ` of at most ${most} ${unit}`;
}
