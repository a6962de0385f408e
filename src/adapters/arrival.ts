import { isRequestId, requestIdHeader, requestIdOf } from '../identity/request-id.ts';

interface ArrivalAnswer {
  getHeader(name: string): unknown;
  removeHeader(name: string): unknown;
  /** Absent where headers may be changed at any time. */
  readonly headersSent?: boolean;
}

/** What an adapter reads from a request of its framework. */
export interface Arrival {
  /** The request itself: two gates on one way see the same. */
  readonly request: object;
  /** The answer, where its headers can be read before it is sent. */
  readonly answer?: ArrivalAnswer | undefined;
  readonly method: string;
  /** As the client sent it, with its query, whatever prefix the framework has taken off. */
  readonly path: string;
  /** The socket's remote address. */
  readonly peer: string | null | undefined;
  /** Reads a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The names of the headers in the order they came; null, or absent, where the framework does not keep it. */
  readonly headerNames?: ((request: object) => readonly string[] | null) | undefined;
}

/** An answer that a framework sends instead of running the handler. */
export interface Answer {
  readonly status: number;
  /** Besides those of the answer's own, the media type is here. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** How an answer ended. */
export interface AnswerEnd {
  /** Null when the client went away before the answer began. */
  readonly status: number | null;
  /** False when it went away before all of the answer was sent. */
  readonly isWhole: boolean;
}

/** A value now or later. */
export type Awaitable<T> = T | Promise<T>;

const requestId = Symbol('portcullis.requestId');

/**
 * The id of a request: its own if it is sane, else the one its answer carries already, else a new one. Every gate puts
 * it on the answer, so it is the same at all of them. Only where answers cannot be read yet is it kept with the request, on
 * which each further property costs something.
 */
export function requestIdFor({ request, answer, header }: Arrival): string {
  const inbound = header(requestIdHeader);
  if (isRequestId(inbound)) return inbound;
  if (answer !== undefined) {
    const given = answer.getHeader(requestIdHeader);
    return requestIdOf(typeof given === 'string' ? given : null);
  }
  const holder: { [requestId]?: string } = request;
  holder[requestId] ??= requestIdOf(null);
  return holder[requestId];
}
