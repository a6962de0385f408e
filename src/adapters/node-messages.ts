import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { CallOutcome } from '../concurrency/index.ts';
import { outcomeOf } from '../concurrency/response-end.ts';
import { peerOf } from '../connections/peer.ts';
import { isOver, onceClosed, onceFinished } from '../connections/response-close.ts';
import type { Answer, AnswerEnd, Arrival } from './arrival.ts';

/** A request of node:http or node:http2; frameworks keep the path as it came in `originalUrl`. */
export type NodeRequest = (IncomingMessage | Http2ServerRequest) & { readonly originalUrl?: string };
export type NodeResponse = ServerResponse | Http2ServerResponse;

export function arrivalOfNode(
  request: NodeRequest,
  answer: NonNullable<Arrival['answer']>,
  path?: string,
): Arrival {
  return {
    request,
    answer,
    method: request.method ?? 'GET',
    path: path ?? request.originalUrl ?? request.url ?? '/',
    peer: peerOf(request.socket),
    header: headerOf(request.headers),
    headerNames: namesOfNode,
  };
}

/** Reads a header of Node by its lower-case name; one that came several times is joined. */
export function headerOf(headers: IncomingHttpHeaders): (name: string) => string | undefined {
  return (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}

/** A function of the request and not of each arrival: most calls never ask for it. */
function namesOfNode(request: { readonly rawHeaders?: readonly string[] }): readonly string[] {
  return namesOf(request.rawHeaders ?? []);
}

/** Every other one of Node's raw headers is a name. */
export function namesOf(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 0);
}

/** Sets a header, or takes it off where the value is null. */
export function setHeader(response: NodeResponse, name: string, value: string | null): void {
  if (value === null) response.removeHeader(name);
  else response.setHeader(name, value);
}

/** Cookies add up, everything else is replaced; what has been sent already stays. */
export function setHeaders(response: NodeResponse, headers: Answer['headers']): void {
  if (response.headersSent) return;
  for (const [name, value] of headers) {
    if (name === 'Set-Cookie') response.appendHeader(name, value);
    else response.setHeader(name, value);
  }
}

export function sendAnswer(response: NodeResponse, { status, headers, body }: Answer): void {
  if (response.headersSent) return;
  response.statusCode = status;
  setHeaders(response, headers);
  response.end(body);
}

/** Tells once how the answer ended. One that is over already has ended unheard, and nobody will say it again. */
export function onceEnded(response: NodeResponse, tell: (end: AnswerEnd) => void): void {
  if (isOver(response)) {
    tell({ status: null, isWhole: false });
    return;
  }
  let isTold = false;
  const end = (isWhole: boolean) => {
    if (isTold) return;
    isTold = true;
    tell({ status: isWhole || response.headersSent ? response.statusCode : null, isWhole });
  };
  onceFinished(response, () => end(true));
  onceClosed(response, () => end(false));
}

/** A response as a cap sees it. */
export interface Visit {
  /** Aborts when the client goes away before all of the answer was sent. */
  readonly caller: AbortSignal;
  /** Resolves, and never rejects, when the answer was sent (`done`; `errored` of 5xx) or the connection is gone (`failed`). */
  readonly ended: Promise<CallOutcome>;
}

/** Watches a response from now on. */
export function visitOf(response: NodeResponse): Visit {
  const caller = new AbortController();
  const ended = new Promise<CallOutcome>((resolve) => {
    onceEnded(response, ({ isWhole }) => {
      if (!isWhole) caller.abort();
      resolve(isWhole ? outcomeOf(response.statusCode) : 'failed');
    });
  });
  return { caller: caller.signal, ended };
}
