import { requestIdHeader, requestIdOf } from '../limits/index.ts';

/** What an adapter reads from a request of its framework. */
export interface Arrival {
  /** The request itself: two gates on one way see the same. */
  readonly request: object;
  readonly method: string;
  /** As the client sent it, with its query, whatever prefix the framework has taken off. */
  readonly path: string;
  /** The socket's remote address. */
  readonly peer: string | null | undefined;
  /** Reads a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The names of the headers in the order they came; null, or absent, where the framework does not keep it. */
  readonly headerNames?: (() => readonly string[] | null) | undefined;
}

/** An answer that a framework sends instead of running the handler. */
export interface Answer {
  readonly status: number;
  /** Besides those of the answer's own, the media type is here. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A value now or later. */
export type Awaitable<T> = T | Promise<T>;

const requestId = Symbol('portcullis.requestId');

/** The id of a request: its own if it is sane, else a new one, the same at every gate. */
export function requestIdFor({ request, header }: Arrival): string {
  const holder: { [requestId]?: string } = request;
  holder[requestId] ??= requestIdOf(header(requestIdHeader));
  return holder[requestId];
}
