import type { IncomingMessage, ServerResponse } from 'node:http';
import { lockoutMessage } from '../lockout-words.ts';
import type { Blocked } from '../verdict.ts';
import type { ExchangeFailure } from './exchange.ts';

/** Why the proxy answers by itself. */
export type ProblemName = keyof typeof problems;

const problems = {
  badRequest: [400, 'Bad Request', 'REQUEST_INVALID', 'The request cannot be sent on.'],
  tooManyIdentifiers: [400, 'Bad Request', 'IDENTIFIERS_AMBIGUOUS', 'A login must name one account.'],
  tooLarge: [413, 'Content Too Large', 'BODY_TOO_LARGE', 'A login must have at most 1 MiB.'],
  encoding: [415, 'Unsupported Media Type', 'ENCODING_UNKNOWN', 'The encoding of the body is not known.'],
  fault: [500, 'Internal Server Error', 'INTERNAL', 'The proxy has met a fault of its own.'],
  unreachable: [502, 'Bad Gateway', 'UPSTREAM_UNREACHABLE', 'The identity service cannot be reached.'],
  busy: [503, 'Service Unavailable', 'OVERLOADED', 'Too many logins are being read at once.'],
  timeout: [504, 'Gateway Timeout', 'UPSTREAM_TIMEOUT', 'The identity service did not answer in time.'],
} as const satisfies Record<string, readonly [number, string, string, string]>;

/** An `application/problem+json`. Answers nothing where the answer has begun or nobody waits for one. */
export function sendProblem(response: ServerResponse, name: ProblemName): void {
  const [status, title, code, detail] = problems[name];
  const headers = name === 'busy' ? { 'Retry-After': '1' } : {};
  const body = { type: 'about:blank', title, status, detail, code };
  send(response, status, { 'Content-Type': 'application/problem+json', ...headers }, JSON.stringify(body));
}

const problemOf = {
  unreachable: 'unreachable',
  unreadable: 'unreachable',
  timeout: 'timeout',
  crowded: 'timeout',
  invalid: 'badRequest',
} as const;

/** Tells a client why it gets no answer; where one had begun, it is cut off. */
export function answerFailure(response: ServerResponse, failure: ExchangeFailure, hasBegun: boolean): void {
  if (failure === 'gone') return;
  if (hasBegun) response.destroy();
  else sendProblem(response, problemOf[failure]);
}

/** JSON of the proxy itself: health. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, { 'Content-Type': 'application/json' }, JSON.stringify(body));
}

/** Somebody is locked out: a browser is led to the page that says so, a program is told. */
export function sendLockout(
  request: IncomingMessage,
  response: ServerResponse,
  verdict: Blocked,
  lockoutPath: string,
): void {
  const retryAfter = String(verdict.retryAfterSeconds);
  if (isBrowser(request)) {
    const mark = lockoutPath.includes('?') ? '&' : '?';
    const location = `${lockoutPath}${mark}lockout=true&retry_after=${retryAfter}`;
    send(response, 303, { Location: location, 'Retry-After': retryAfter }, '');
    return;
  }
  const message = lockoutMessage(verdict);
  const error = { code: 429, status: 'Too Many Requests', reason: verdict.reason, message };
  const headers = { 'Content-Type': 'application/json', 'Retry-After': retryAfter };
  send(response, 429, headers, JSON.stringify({ error }));
}

const isBrowser = ({ headers }: IncomingMessage): boolean => /text\/html/i.test(headers.accept ?? '');

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    ...headers,
    'Cache-Control': 'no-store',
    'Content-Length': String(Buffer.byteLength(body)),
  });
  response.end(body);
}
