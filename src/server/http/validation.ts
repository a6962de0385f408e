import type Type from 'typebox';
import Compile from 'typebox/compile';
import { schemaProblems } from '../../config/problem.ts';
import type { FieldProblem } from './problem.ts';

/** More of them help nobody. */
const mostProblems = 8;

/** Says what is wrong with a value; null when it is what the schema says. */
export type Validate = (value: unknown) => readonly FieldProblem[] | null;

/**
 * Compiles a schema once; what it makes runs for every request. Only a value that does not fit is walked to find every
 * field that is unknown, missing or of the wrong shape. Values are never quoted.
 */
export function validatorFor(schema: Type.TSchema): Validate {
  const validator = Compile(schema);
  return (value) => (validator.Check(value) ? null : problemsIn(schema, value));
}

/** The schema of an object in which these fields must be there, too. */
export function requiring(schema: Type.TSchema, fields: readonly string[]): Type.TSchema {
  const { required = [] } = schema as { readonly required?: readonly string[] };
  return { ...schema, required: [...required, ...fields] };
}

function problemsIn(schema: Type.TSchema, value: unknown): FieldProblem[] {
  return schemaProblems(schema, value === undefined && lacksFields(schema) ? {} : value)
    .slice(0, mostProblems)
    .map(({ path, message }) => ({ field: path === '' ? 'body' : path, problem: message }));
}

/** Whether an object without any field falls short: who has sent nothing at all then hears which fields there must be. */
const lacksFields = (schema: Type.TSchema): boolean =>
  'type' in schema && schema.type === 'object' && schemaProblems(schema, {}).length > 0;
