import type Type from 'typebox';
import { problemMediaType } from '../../limits/index.ts';
import type { Route } from '../route.ts';
import { ProblemSchema } from './problem.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Tree = { [name: string]: Json };

/** The description of all routes, OpenAPI 3.1, made from the schemas that validate. */
export function openApi(routes: readonly Route[], version: string): object {
  const schemas: Tree = {};
  const paths: Record<string, Tree> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const methods = paths[path] ?? {};
    methods[route.method.toLowerCase()] = operationOf(route, schemas);
    paths[path] = methods;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portcullis',
      version,
      description:
        'Decisions on logins, one-time codes and API calls. A denial is a decision, not an HTTP error.',
    },
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token with the role named.' },
      },
    },
  };
}

/** What any route may answer, besides its own: the front door speaks before it. */
function commonAnswers({ role, body, query }: Route): readonly number[] {
  const always = [403, 408, 431, 500];
  if (role !== null) always.push(401);
  if (body !== undefined) always.push(413, 415);
  if (body !== undefined || query !== undefined) always.push(400);
  return always;
}

function operationOf(route: Route, schemas: Tree): Tree {
  const problem = referred(ProblemSchema, schemas);
  const responses: Tree = {};
  for (const [status, schema] of Object.entries(route.answers))
    responses[status] = answerOf(Number(status), schema, schemas);
  for (const status of commonAnswers(route)) responses[String(status)] ??= problemAnswer(problem);
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[^A-Za-z0-9]+(\w)?/g, (_, next: string = '') => next.toUpperCase())}`,
    summary: route.summary,
    ...(route.role === null ? { security: [] } : { security: [{ token: [] }], 'x-role': route.role }),
    parameters: [...pathParameters(route), ...queryParameters(route, schemas)],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: referred(route.body, schemas) } },
          },
        }),
    responses,
  };
}

function answerOf(status: number, schema: Type.TSchema | null, schemas: Tree): Json {
  if (schema === null) return { description: String(status) };
  if (schema === ProblemSchema) return problemAnswer(referred(schema, schemas));
  const { contentMediaType = 'application/json' } = schema as { contentMediaType?: string };
  return {
    description: String(status),
    content: { [contentMediaType]: { schema: referred(schema, schemas) } },
  };
}

const problemAnswer = (schema: Json): Json => ({
  description: 'A problem, RFC 9457',
  content: { [problemMediaType]: { schema } },
});

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Route, schemas: Tree): Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as {
    properties?: Readonly<Record<string, Type.TSchema>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: referred(schema, schemas),
  }));
}

/** A schema as JSON; what has a name stands once, among the components. */
function referred(schema: unknown, schemas: Tree): Json {
  if (Array.isArray(schema)) return schema.map((item) => referred(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema as Json;
  const { $id: id, expected: _, ...fields } = schema as { $id?: string; expected?: string };
  const plain = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, referred(value, schemas)]),
  );
  if (id === undefined) return plain;
  schemas[id] = plain;
  return { $ref: `#/components/schemas/${id}` };
}
