import { STATUS_CODES } from 'node:http';
import Type from 'typebox';
import { Fault } from '../../core/fault.ts';
import { problemMediaType } from '../../limits/index.ts';
import { isStoreFailure } from '../../stores/store-failure.ts';
import type { RouteAnswer } from '../route.ts';

/** Every problem the service answers with, by its code. `docs/reference/http.md` lists the same. */
export const problemStatuses = {
  INPUT_INVALID: 400,
  OPERATION_UNKNOWN: 400,
  REQUEST_INVALID: 400,
  TOKEN_MISSING: 401,
  TOKEN_UNKNOWN: 401,
  ROLE_MISSING: 403,
  LOOPBACK_ONLY: 403,
  CROSS_SITE: 403,
  ORIGIN_AMBIGUOUS: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  ENCODING_UNKNOWN: 415,
  EXPECTATION_FAILED: 417,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  STORE_UNAVAILABLE: 503,
  TOO_MANY_STREAMS: 503,
  TOO_MANY_REPORTERS: 503,
  DRAINING: 503,
} as const;

/** A code of {@link problemStatuses}. */
export type ProblemCode = keyof typeof problemStatuses;

/** RFC 9457. `fields` names what is wrong with a body or a query; none of them quotes a value. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String(),
    requestId: Type.Optional(Type.String()),
    fields: Type.Optional(Type.Array(Type.Object({ field: Type.String(), problem: Type.String() }))),
  },
  { $id: 'Problem', description: 'What went wrong, RFC 9457. Never quotes a value that was sent.' },
);

/** One field of a body or a query, and what is wrong with it. */
export interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

/** What a problem says besides its code. */
export interface ProblemExtras {
  readonly requestId?: string | undefined;
  readonly fields?: readonly FieldProblem[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The body of a problem. */
export function problemBody(code: ProblemCode, detail: string, { requestId, fields }: ProblemExtras = {}) {
  const status = problemStatuses[code];
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Problem',
    status,
    detail,
    code,
    ...(requestId === undefined ? {} : { requestId }),
    ...(fields === undefined ? {} : { fields }),
  };
}

/** An answer of `application/problem+json`; the id of the request is in its headers too. */
export function problemAnswer(code: ProblemCode, detail: string, extras: ProblemExtras = {}): RouteAnswer {
  const { requestId } = extras;
  const named = requestId === undefined ? {} : { 'X-Request-Id': requestId };
  return {
    status: problemStatuses[code],
    headers: { 'Content-Type': problemMediaType, ...named, ...extras.headers },
    body: problemBody(code, detail, extras),
  };
}

/** What an error thrown by a route means to its caller. Only misuse is told in words: the rest is ours to know. */
export function problemOf(error: unknown, requestId: string): RouteAnswer {
  if (isMisuse(error)) return problemAnswer(error.code, error.message, { requestId });
  if (isStoreFailure(error)) {
    const headers = { 'Retry-After': '5' };
    return problemAnswer('STORE_UNAVAILABLE', 'The store cannot serve now.', { requestId, headers });
  }
  return problemAnswer('INTERNAL', 'The service met a fault of its own; its log names it.', { requestId });
}

/** Whether the error is one that an operator has to hear of: neither misuse nor a store that is away. */
export function isInternal(error: unknown): boolean {
  return !isMisuse(error) && !isStoreFailure(error);
}

type Misuse = Fault & { readonly code: 'INPUT_INVALID' | 'OPERATION_UNKNOWN' };

/** Whether a call was wrong, not what happened to it: its caller is told in words. */
export function isMisuse(error: unknown): error is Misuse {
  return error instanceof Fault && (error.code === 'INPUT_INVALID' || error.code === 'OPERATION_UNKNOWN');
}
