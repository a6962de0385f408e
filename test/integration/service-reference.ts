import type Type from 'typebox';
import { problemStatuses } from '../../src/server/http/problem.ts';
import type { Route } from '../../src/server/route.ts';

/** What each problem means to who gets it. */
const meanings: Readonly<Record<keyof typeof problemStatuses, string>> = {
  INPUT_INVALID:
    'A body, query or path has a field that is unknown, missing or of the wrong shape, and `fields` names each; or what it says makes no sense, and `detail` says why.',
  OPERATION_UNKNOWN: 'The policy bound to the action does not have this operation.',
  REQUEST_INVALID: 'What came is not an HTTP request. The connection ends.',
  TOKEN_MISSING: 'The route needs a token.',
  TOKEN_UNKNOWN: 'The token is none of the configured ones.',
  ROLE_MISSING: 'The token has another role than the route needs.',
  LOOPBACK_ONLY: 'No tokens are configured, and the caller is another machine, or the world behind a proxy.',
  CROSS_SITE: 'No tokens are configured, and a page of another site or name asks.',
  ORIGIN_AMBIGUOUS: 'A request to authorize names two different origins; one of them is forged.',
  NOT_FOUND: 'There is nothing under this path.',
  METHOD_NOT_ALLOWED: 'The path takes other methods; `Allow` lists them.',
  REQUEST_TIMEOUT: 'The request took too long to arrive. The connection ends.',
  BODY_TOO_LARGE: 'The body is larger than the route takes: 64 KiB, a batch 1 MiB.',
  ENCODING_UNKNOWN: 'The body is compressed.',
  EXPECTATION_FAILED: 'The request expects something else than `100-continue`.',
  HEADERS_TOO_LARGE: 'The headers are larger than `listen.maxHeaderBytes`.',
  INTERNAL: 'A fault of the service itself, or a stored record that cannot be read; the log names it.',
  STORE_UNAVAILABLE:
    'The store does not answer, and the question needs it. Decisions are never answered with this.',
  TOO_MANY_STREAMS: 'As many readers of events as there may be; come back later.',
  TOO_MANY_REPORTERS: 'As many service clients report their targets as may; come back later.',
  DRAINING: 'Only `/readyz`: the service is about to end.',
};

/** The reference page of the HTTP API, made from the routes themselves. */
export function httpReference(routes: readonly Route[]): string {
  return `# HTTP

Made from the routes of the service; \`/openapi.json\` says the same to programs, with every schema. How to use them: [the
service](../guides/service.md).

| | route | role | what it does |
| --- | --- | --- | --- |
${routes.map(routeRow).join('\n')}

## Bodies

${routes
  .filter(({ body }) => body !== undefined)
  .map(bodyPart)
  .join('\n')}
## Problems

Everything but an answer is \`application/problem+json\` (RFC 9457) with these codes. None of them quotes what was sent. A
decision is never a problem: a denial is an answer with status 200.

| code | status | meaning |
| --- | --- | --- |
${Object.entries(problemStatuses)
  .map(([code, status]) => `| \`${code}\` | ${status} | ${meanings[code as keyof typeof problemStatuses]} |`)
  .join('\n')}
| \`RATE_LIMIT\` | 429, or 403 with \`?deny=403\` | A visitor is over its limit; only from \`/v1/authorize\`. |
`;
}

function routeRow({ method, path, role, summary }: Route): string {
  return `| ${method} | \`${path}\` | ${role ?? '–'} | ${summary} |`;
}

function bodyPart({ method, path, body }: Route): string {
  const schema = body as Schema;
  const fields = schema.items === undefined ? schema : schema.items;
  const rows = Object.entries(fields.properties ?? {}).map(([name, field]) => {
    const needed = fields.required?.includes(name) ? 'yes' : '';
    return `| \`${name}\` | ${shapeOf(field)} | ${needed} | ${descriptionOf(field)} |`;
  });
  const list = schema.items === undefined ? '' : `, a list of at most ${schema.maxItems}, each`;
  return `\`${method} ${path}\`${list}\n\n| field | shape | needed | |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
}

type Schema = Type.TSchema & {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly description?: string;
};

function shapeOf(schema: Schema): string {
  const { type, enum: words, anyOf, properties, required, items, minimum, maximum, maxLength } = schema;
  if (items !== undefined) return `list of at most ${schema.maxItems}, each ${shapeOf(items)}`;
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(' ');
  if (anyOf !== undefined) return anyOf.map(shapeOf).join(' or ');
  if (properties !== undefined) {
    return `object: ${Object.entries(properties)
      .map(([name, field]) => `\`${name}\`${required?.includes(name) ? '' : '?'} ${shapeOf(field)}`)
      .join(', ')}`;
  }
  if (type === 'string') return maxLength === undefined ? 'text' : `text up to ${maxLength}`;
  if (type === 'integer' || type === 'number') {
    const range = [
      minimum === undefined ? '' : `from ${minimum}`,
      maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : `to ${maximum}`,
    ];
    return [type === 'integer' ? 'whole number' : 'number', ...range].filter(Boolean).join(' ');
  }
  return type ?? '';
}

function descriptionOf({ description, anyOf }: Schema): string {
  return description ?? anyOf?.map(descriptionOf).find((text) => text !== '') ?? '';
}
