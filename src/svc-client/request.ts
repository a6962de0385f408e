import { amountOf, Fault, shapeOf } from '../core/fault.ts';
import { fieldNames, unknownField } from '../core/options.ts';
import type { Priority } from './global-breaker.ts';
import { MAX_REMAINING_MS, PASSPORT_HEADER } from './passport.ts';
import { isIdempotent } from './retry-rules.ts';
import type { RequestBody } from './transport.ts';

/** What to ask of a service. */
export interface SvcRequest {
  /** Default `GET`. */
  readonly method?: string;
  /** Begins with `/`; may have a query. Default `/`. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent once and never retried. Default none. */
  readonly body?: RequestBody;
  /** Makes any method safe to retry, unless it is empty; sent as `idempotency-key`. */
  readonly idempotencyKey?: string;
  /** Default `normal`. */
  readonly priority?: Priority;
  /** Per attempt until the response starts, in milliseconds, at most 600 000. Default: the target's. */
  readonly timeoutMs?: number;
  /**
   * For all attempts and the body, in milliseconds, at most 600 000; never more than the request being handled has left.
   */
  readonly deadlineMs?: number;
  /** The caller going away: ends the call and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const requestFields = fieldNames<SvcRequest>({
  method: true,
  path: true,
  headers: true,
  body: true,
  idempotencyKey: true,
  priority: true,
  timeoutMs: true,
  deadlineMs: true,
  signal: true,
});

/** A request that has been checked, with what does not change between its attempts. */
export interface PreparedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: RequestBody;
  readonly priority: Priority;
  readonly timeoutMs: number | null;
  readonly deadlineMs: number | null;
  readonly signal: AbortSignal | undefined;
  readonly retryable: boolean;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
}

/** What nearly every path is made of, and which leaves nothing to look for. */
const PLAIN = /^[\w/-]+$/;
/** Other letters would be sent as single bytes, which is no UTF-8. Spaces and the like undici refuses. */
const ASCII = /^[\0-\x7f]*$/;
/**
 * Dot segments, also encoded, and backslashes: a path must not climb out of the prefix of its base URL. Some servers decode a
 * slash or a backslash before they look for segments, and some cut off what follows a `;` in one.
 */
const CLIMBING = /(?:\/|%2f|%5c)(?:\.|%2e){1,2}(?:\/|%2f|%5c|;|$)|\\/i;

function checkPath(path: unknown): string {
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new Fault('INPUT_INVALID', `path: expected a text that begins with /, got ${shapeOf(path)}`);
  }
  if (PLAIN.test(path)) return path;
  if (!ASCII.test(path)) throw new Fault('INPUT_INVALID', 'path: expected other letters percent-encoded');
  const query = path.indexOf('?');
  if (path.includes('#') || CLIMBING.test(query === -1 ? path : path.slice(0, query))) {
    throw new Fault('INPUT_INVALID', 'path: expected no fragment, no dot segments and no backslash');
  }
  return path;
}

/** More time than a passport carries would make every callee drop it. */
export function checkMs(name: string, value: number | undefined): number | null {
  if (value === undefined) return null;
  if (typeof value === 'number' && value > 0 && value <= MAX_REMAINING_MS) return value;
  const expected = `more than 0 and at most ${MAX_REMAINING_MS} ms`;
  throw new Fault('INPUT_INVALID', `${name}: expected ${expected}, got ${amountOf(value)}`);
}

/** Names in lower case. The passport is the client's alone: one that a caller brings is left out. */
function lowerCased(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const lower: Record<string, string> = {};
  if (headers === undefined) return lower;
  if (typeof headers !== 'object' || headers === null) throw unexpected('headers', headers, 'an object');
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (key !== PASSPORT_HEADER) lower[key] = value;
  }
  return lower;
}

const usualMethods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']);

function upperCased(method: string): string {
  if (usualMethods.has(method)) return method;
  if (typeof method === 'string') return method.toUpperCase();
  throw unexpected('method', method, 'a text');
}

const priorities: ReadonlySet<Priority> = new Set(['health', 'critical', 'normal', 'background']);

function checkPriority(priority: Priority): Priority {
  if (priorities.has(priority)) return priority;
  throw unexpected('priority', priority, [...priorities].join(', '));
}

function checkKey(key: string | null): string | null {
  if (key === null || typeof key === 'string') return key;
  throw unexpected('idempotencyKey', key, 'a text');
}

/** A null is none, as for `fetch`. What only looks like a signal would be found out when the request is sent. */
function checkSignal(signal: AbortSignal | null): AbortSignal | undefined {
  if (signal === null) return undefined;
  if (typeof signal === 'object' && typeof signal.addEventListener === 'function') return signal;
  throw unexpected('signal', signal, 'an AbortSignal');
}

function unexpected(name: string, value: unknown, expected: string): Fault {
  return new Fault('INPUT_INVALID', `${name}: expected ${expected}, got ${shapeOf(value)}`);
}

/**
 * Refuses what would not be read: a bare number in place of an object, or a field by a name that there is not.
 *
 * @throws Fault `INPUT_INVALID` that names it.
 */
export function checkFields(name: string, value: object, fields: ReadonlySet<string>): void {
  if (typeof value !== 'object' || value === null) throw unexpected(name, value, 'an object');
  const unknown = unknownField(value, fields);
  if (unknown === null) return;
  const known = [...fields].join(', ');
  throw new Fault('INPUT_INVALID', `${unknown}: unknown field of ${name}, there are ${known}`);
}

/** Checks a request. Misuse is a `Fault` of code `INPUT_INVALID`. */
export function prepareRequest(request: SvcRequest): PreparedRequest {
  checkFields('request', request, requestFields);
  const { body = null, priority = 'normal' } = request;
  const method = upperCased(request.method ?? 'GET');
  const headers = lowerCased(request.headers);
  const key = checkKey(request.idempotencyKey ?? null);
  if (key !== null) headers['idempotency-key'] = key;
  const replayable = body === null || typeof body === 'string' || body instanceof Uint8Array;
  return {
    method,
    path: checkPath(request.path ?? '/'),
    body,
    priority: checkPriority(priority),
    timeoutMs: checkMs('timeoutMs', request.timeoutMs),
    deadlineMs: checkMs('deadlineMs', request.deadlineMs),
    signal: checkSignal(request.signal ?? null),
    retryable: replayable && isIdempotent(method, headers['idempotency-key']),
    headers,
  };
}
