import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdHeader, requestIdOf } from '../../limits/index.ts';
import { bareTarget } from '../../limits/request-path.ts';
import type { AnsweredRequest } from '../../telemetry/metrics.ts';
import type { TracedRequest, Tracing } from '../../telemetry/otel/tracing.ts';
import type { RouteAnswer } from '../route.ts';
import type { Access } from './access.ts';
import { type BodyReading, readBody } from './body.ts';
import { type CallContext, type CallInput, HttpCall } from './http-call.ts';
import { isInternal, type ProblemCode, problemAnswer, problemOf } from './problem.ts';
import type { ReadyRoute, RouteMatch, Router } from './router.ts';
import { sendAnswer } from './send-answer.ts';
import type { Files } from './static-files.ts';

/** The parts of the front door. */
export interface FrontDoorParts extends CallContext {
  readonly router: Router;
  readonly access: Access;
  /** Whether answers should be the last of their connections. */
  readonly isDraining: () => boolean;
  readonly onAnswered: (answered: AnsweredRequest) => void;
  /** A fault of ours, with the route it was met on. */
  readonly onFault: (error: unknown, route: string) => void;
  /** Makes a span of every request that has a route; null: nobody looks at spans. */
  readonly trace: Pick<Tracing, 'within'> | null;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** What answers a GET for which there is no route: the console's files. */
  readonly files: Files;
}

/** One request on its way through the door. */
interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
  /** Without its query. */
  readonly path: string;
  /** With its `?`; empty when there is none. */
  readonly search: string;
  /** The pattern of the route; null when there is none. */
  readonly route: string | null;
}

/**
 * Takes requests in: finds the route, asks who comes, reads and checks the body, answers. Never rejects. Up to the
 * handler nothing waits on a promise: on the way of a decision every one of them is felt.
 */
export class FrontDoor {
  readonly #parts: FrontDoorParts;

  constructor(parts: FrontDoorParts) {
    this.#parts = parts;
  }

  /** For node:http. */
  readonly respond = (request: IncomingMessage, response: ServerResponse): void => {
    const { clock, router, access } = this.#parts;
    const startedAt = clock();
    const target = bareTarget(request.url ?? '/');
    const cut = target.indexOf('?');
    const path = (cut < 0 ? target : target.slice(0, cut)) || '/';
    const search = cut < 0 ? '' : target.slice(cut);
    const found = router.find(request.method ?? '', path);
    if (found.kind !== 'route') {
      const visit: Visit = { request, response, startedAt, path, search, route: null };
      this.#finish(visit, this.#answerStranger(visit, found));
      return;
    }
    const { ready, params } = found;
    const visit: Visit = { request, response, startedAt, path, search, route: ready.route.path };
    const admission = access.admit(request, ready.route);
    if (!admission.allowed) this.#finish(visit, refusal(request, admission.code, admission.detail));
    else if (!ready.readsBody)
      void this.#run(visit, ready, { params, caller: admission.caller, body: undefined });
    else this.#readBody(visit, ready, params, admission.caller);
  };

  #readBody(visit: Visit, ready: ReadyRoute, params: CallInput['params'], caller: string | null): void {
    readBody(visit.request, ready, (reading) => {
      if (reading.kind === 'body') void this.#run(visit, ready, { params, caller, body: reading.value });
      else if (reading.kind !== 'gone') this.#finish(visit, unreadable(visit.request, reading, ready));
    });
  }

  async #run(visit: Visit, ready: ReadyRoute, input: CallInput): Promise<void> {
    const { trace } = this.#parts;
    const run = () => this.#answer(visit, ready, input);
    const answer = await (trace === null ? run() : trace.within(tracedOf(visit.request, ready), run));
    this.#finish(visit, answer);
  }

  /** Never rejects: a span ends with the status that its client was given, also where something was refused by throwing. */
  async #answer(
    { request, response, search }: Visit,
    ready: ReadyRoute,
    input: CallInput,
  ): Promise<RouteAnswer> {
    try {
      const call = new HttpCall(request, response, search, input, this.#parts);
      return checked(request, call, ready) ?? (await ready.route.handle(call));
    } catch (error) {
      if (isInternal(error)) this.#parts.onFault(error, ready.route.path);
      return problemOf(error, requestIdOf(headerIn(request)));
    }
  }

  #answerStranger({ request, path }: Visit, found: RouteMatch): RouteAnswer {
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

  #finish(visit: Visit, answer: RouteAnswer): void {
    const { request, response } = visit;
    const inbound = headerIn(request);
    const streaming = sendAnswer(request, response, answer, {
      requestId: inbound === undefined ? null : requestIdOf(inbound),
      close: this.#parts.isDraining() || (!request.complete && hasBody(request)),
    });
    if (streaming === null) this.#tell(visit, answer.status);
    else
      streaming.then(
        () => this.#tell(visit, answer.status),
        (error: unknown) => this.#breakOff(visit, error),
      );
  }

  /** A stream broke: the client went away, or what feeds it failed. The connection is gone either way. */
  #breakOff(visit: Visit, error: unknown): void {
    if (!visit.response.destroyed) visit.response.destroy();
    if (!isBrokenStream(error)) this.#parts.onFault(error, visit.route ?? 'none');
    this.#tell(visit, visit.response.statusCode);
  }

  #tell({ request, startedAt, route }: Visit, status: number): void {
    const durationMs = this.#parts.clock() - startedAt;
    this.#parts.onAnswered({ method: request.method ?? '', route, status, durationMs });
  }
}

function tracedOf({ method = '', headers }: IncomingMessage, { route }: ReadyRoute): TracedRequest {
  const { traceparent } = headers;
  const traced = { method, route: route.path };
  return typeof traceparent === 'string' ? { ...traced, traceparent } : traced;
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
function checked(request: IncomingMessage, call: HttpCall, ready: ReadyRoute): RouteAnswer | null {
  const { query } = ready;
  const body = call.caller === null ? ready.bodyWithoutToken : ready.body;
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
