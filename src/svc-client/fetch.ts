import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { Fault, shapeOf } from '../core/fault.ts';
import { fieldNames } from '../core/options.ts';
import { requestIdHeader, requestIdOf } from '../identity/request-id.ts';
import type { CallResult } from './call.ts';
import { problemOf } from './denial.ts';
import type { Priority } from './global-breaker.ts';
import { currentJourney } from './journey.ts';
import { checkFields, type SvcRequest } from './request.ts';
import type { ResponseHeaders } from './retry-after.ts';
import type { RequestBody, SvcResponse } from './transport.ts';

/** What `fetch` takes beyond the standard. */
export interface SvcRequestInit extends RequestInit {
  /** See {@link SvcRequest}. */
  readonly svc?: Pick<SvcRequest, 'idempotencyKey' | 'timeoutMs' | 'deadlineMs'> & {
    readonly priority?: Priority;
  };
}

const svcFields = fieldNames<NonNullable<SvcRequestInit['svc']>>({
  idempotencyKey: true,
  priority: true,
  timeoutMs: true,
  deadlineMs: true,
});

/** A fetch over `svc://name@major/path`. */
export type SvcFetch = (input: string | URL, init?: SvcRequestInit) => Promise<Response>;

const SVC_URL = /^svc:\/\/([^/?#]*)([/?][^#]*)?(?:#.*)?$/;

/** What a request line cannot hold as it is: undici would send other letters as single bytes. */
const UNWRITABLE = /[^!-~]+/g;

/** As every URL is written: a query holds what people have typed. */
function encoded(path: string): string {
  return path.replace(UNWRITABLE, (text) => encodeURIComponent(Buffer.from(text).toString()));
}

/** Parts `svc://name@major/path?query` into slugKey and path. */
export function readSvcUrl(input: string | URL): { readonly slugKey: string; readonly path: string } {
  const match = SVC_URL.exec(String(input));
  if (match === null) {
    throw new Fault('INPUT_INVALID', `url: expected svc://name@major/path, got ${shapeOf(input)}`);
  }
  const [, slugKey = '', path = '/'] = match;
  return { slugKey, path: encoded(path.startsWith('/') ? path : `/${path}`) };
}

/** Path and query of what a `fetch` was given, and what else of it counts. */
export function readFetch(
  input: string | URL | Request,
  init: RequestInit = {},
): { readonly path: string; readonly init: RequestInit } {
  const isRequest = input instanceof Request;
  const { pathname, search } = new URL(isRequest ? input.url : input, 'http://service.invalid');
  return { path: pathname + search, init: isRequest ? { ...requestInit(input), ...init } : init };
}

/** A `Request` tells its signal of an abort only while somebody holds it: here it lives as long as its signal is in use. */
const requestsBySignal = new WeakMap<AbortSignal, Request>();

function requestInit(request: Request): RequestInit {
  const { method, headers, body, signal } = request;
  requestsBySignal.set(signal, request);
  return { method, headers, body, signal };
}

interface Caller {
  call(slugKey: string, request: SvcRequest): Promise<CallResult>;
}

/** Makes a call that looks like a fetch from outside. */
export async function fetchTarget(
  caller: Caller,
  slugKey: string,
  path: string,
  init: SvcRequestInit = {},
): Promise<Response> {
  if (init.svc !== undefined) checkFields('svc', init.svc, svcFields);
  const headers: Record<string, string> = Object.fromEntries(new Headers(init.headers));
  const { body, contentType } = await readBody(init.body ?? null);
  if (contentType !== null) headers['content-type'] ??= contentType;
  const result = await callOrLetGo(caller, slugKey, {
    ...init.svc,
    path,
    headers,
    body,
    ...(init.method === undefined ? {} : { method: init.method }),
    ...(init.signal ? { signal: init.signal } : {}),
  });
  if (result.ok) return toResponse(result.response, slugKey);
  const problem = problemOf(
    result.denied,
    currentJourney()?.requestId ?? requestIdOf(headers[requestIdHeader]),
  );
  return new Response(problem.body, { status: problem.status, headers: { ...problem.headers } });
}

interface ReadBody {
  readonly body: RequestBody;
  readonly contentType: string | null;
}

/** Everything but a stream is read whole, so that it can be sent again. */
async function readBody(body: NonNullable<RequestInit['body']> | null): Promise<ReadBody> {
  if (body === null) return { body: null, contentType: null };
  if (body instanceof ReadableStream) {
    const stream = Readable.fromWeb(body as NodeReadableStream);
    // Until the request is sent nobody else listens, and a source that fails unheard would end the process.
    stream.on('error', () => undefined);
    return { body: stream, contentType: null };
  }
  const read = new Response(body);
  return { body: new Uint8Array(await read.arrayBuffer()), contentType: read.headers.get('content-type') };
}

/** Without an answer, a stream that was not sent, or not to its end, would hold its source open. */
async function callOrLetGo(caller: Caller, slugKey: string, request: SvcRequest): Promise<CallResult> {
  let answered = false;
  try {
    const result = await caller.call(slugKey, request);
    answered = result.ok;
    return result;
  } finally {
    if (!answered && request.body instanceof Readable) request.body.destroy();
  }
}

function toHeaders(given: ResponseHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    for (const line of Array.isArray(value) ? value : [value ?? '']) headers.append(name, line);
  }
  return headers;
}

/** Statuses that have no body by definition. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** The highest status that a `Response` can have. */
const lastStatus = 599;

function toResponse({ status, headers, body }: SvcResponse, slugKey: string): Response {
  if (!bodiless.has(status) && status <= lastStatus) {
    return new Response(ReadableStream.from(body), { status, headers: toHeaders(headers) });
  }
  // Not waited for: what nobody wants may come slowly.
  void body.dump();
  if (status <= lastStatus) return new Response(null, { status, headers: toHeaders(headers) });
  throw new Fault(
    'TARGET_UNREACHABLE',
    `${slugKey} answered with status ${status}, above the ${lastStatus} that a Response can have`,
  );
}
