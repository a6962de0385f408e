import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdHeader, requestIdOf } from '../../limits/index.ts';
import type { RouteAnswer } from '../route.ts';
import type { Access } from './access.ts';
import { type BodyReading, readJson } from './body.ts';
import { type CallContext, HttpCall } from './http-call.ts';
import { isInternal, type ProblemCode, problemAnswer, problemOf } from './problem.ts';
import type { Found, ReadyRoute, Router } from './router.ts';
import { sendAnswer } from './send-answer.ts';
import type { Files } from './static-files.ts';

/** What the front door tells of a request it has answered. Carries no identifier. */
export interface Answered {
  readonly method: string;
  /** The pattern of its route; null when there was none. */
  readonly route: string | null;
  readonly status: number;
  readonly durationMs: number;
}

/** The parts of the front door. */
export interface FrontDoorParts extends CallContext {
  readonly router: Router;
  readonly access: Access;
  /** Whether answers should be the last of their connections. */
  readonly isDraining: () => boolean;
  readonly onAnswered: (answered: Answered) => void;
  /** A fault of ours, with the route it was met on. */
  readonly onFault: (error: unknown, route: string) => void;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** What answers a GET for which there is no route: the console's files. */
  readonly files: Files;
}

type Admitted = Found & { kind: 'route' };

/** Takes requests in: finds the route, asks who comes, reads and checks the body, answers. Never rejects. */
export class FrontDoor {
  readonly #parts: FrontDoorParts;

  constructor(parts: FrontDoorParts) {
    this.#parts = parts;
  }

  /** For node:http. */
  readonly respond = (request: IncomingMessage, response: ServerResponse): void => {
    const startedAt = this.#parts.clock();
    void this.#answer(request, response, startedAt);
  };

  async #answer(request: IncomingMessage, response: ServerResponse, startedAt: number): Promise<void> {
    const target = request.url ?? '/';
    const cut = target.indexOf('?');
    const path = cut < 0 ? target : target.slice(0, cut);
    const found = this.#parts.router.find(request.method ?? '', path);
    const route = found.kind === 'route' ? found.ready.route.path : null;
    let answer: RouteAnswer | null;
    try {
      answer =
        found.kind === 'route'
          ? await this.#enter(request, response, found, cut < 0 ? '' : target.slice(cut))
          : this.#answerStranger(request, path, found);
    } catch (error) {
      if (isInternal(error)) this.#parts.onFault(error, route ?? 'none');
      answer = problemOf(error, requestIdOf(headerIn(request)));
    }
    if (answer === null) return;
    try {
      await this.#send(request, response, answer);
    } catch (error) {
      // A stream that broke: the client went away, or what feeds it failed. The connection is gone either way.
      if (!response.destroyed) response.destroy();
      if (!isBrokenStream(error)) this.#parts.onFault(error, route ?? 'none');
    }
    const durationMs = this.#parts.clock() - startedAt;
    this.#parts.onAnswered({ method: request.method ?? '', route, status: answer.status, durationMs });
  }

  /** Null when the client has gone. */
  async #enter(
    request: IncomingMessage,
    response: ServerResponse,
    { ready, params }: Admitted,
    search: string,
  ): Promise<RouteAnswer | null> {
    const admission = this.#parts.access.admit(request, ready.route);
    if (!admission.allowed) return refusal(request, admission.code, admission.detail);
    const { caller } = admission;
    let body: unknown;
    if (ready.body !== null) {
      const reading = await readJson(request, ready.bodyBytes);
      if (reading.kind === 'gone') return null;
      if (reading.kind !== 'json') return unreadable(request, reading, ready);
      body = reading.value;
    }
    const call = new HttpCall(request, response, { params, caller, body, search }, this.#parts);
    return checked(request, call, ready) ?? ready.route.handle(call);
  }

  #answerStranger(request: IncomingMessage, path: string, found: Found): RouteAnswer {
    const admission = this.#parts.access.admit(request, { role: null });
    if (!admission.allowed) return refusal(request, admission.code, admission.detail);
    if (found.kind === 'method') {
      const detail = `This path takes ${found.allowed.join(', ')}.`;
      return refusal(request, 'METHOD_NOT_ALLOWED', detail, { Allow: found.allowed.join(', ') });
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return (
      (isRead ? this.#parts.files(path, request.headers['if-none-match']) : null) ??
      refusal(request, 'NOT_FOUND', 'There is nothing here.')
    );
  }

  #send(request: IncomingMessage, response: ServerResponse, answer: RouteAnswer): Promise<void> | undefined {
    const inbound = headerIn(request);
    return sendAnswer(request, response, answer, {
      requestId: inbound === undefined ? null : requestIdOf(inbound),
      close: this.#parts.isDraining() || (!request.complete && hasBody(request)),
    });
  }
}

function headerIn({ headers }: IncomingMessage): string | undefined {
  const value = headers[requestIdHeader];
  return Array.isArray(value) ? value[0] : value;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function refusal(
  request: IncomingMessage,
  code: ProblemCode,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): RouteAnswer {
  const requestId = requestIdOf(headerIn(request));
  const challenge =
    code === 'TOKEN_MISSING' || code === 'TOKEN_UNKNOWN' ? { 'WWW-Authenticate': 'Bearer' } : {};
  return problemAnswer(code, detail, { requestId, headers: { ...headers, ...challenge } });
}

function unreadable(request: IncomingMessage, { kind }: BodyReading, { bodyBytes }: ReadyRoute): RouteAnswer {
  if (kind === 'too-large') {
    return refusal(request, 'BODY_TOO_LARGE', `The body must have at most ${bodyBytes} bytes.`);
  }
  if (kind === 'encoded') return refusal(request, 'ENCODING_UNKNOWN', 'The body must not be compressed.');
  return refusal(request, 'INPUT_INVALID', 'The body must be JSON in UTF-8.');
}

/** What is wrong with the body or the query; null when nothing is. */
function checked(request: IncomingMessage, call: HttpCall, { body, query }: ReadyRoute): RouteAnswer | null {
  const problems = body?.(call.body) ?? query?.(Object.fromEntries(call.query)) ?? null;
  if (problems === null) return null;
  const requestId = requestIdOf(headerIn(request));
  const detail = problems.map(({ field, problem }) => `${field} ${problem}`).join('; ');
  return problemAnswer('INPUT_INVALID', detail, { requestId, fields: problems });
}

const brokenStreams: ReadonlySet<unknown> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ABORT_ERR',
  'ECONNRESET',
  'EPIPE',
]);

function isBrokenStream(error: unknown): boolean {
  return error instanceof Error && 'code' in error && brokenStreams.has(error.code);
}
