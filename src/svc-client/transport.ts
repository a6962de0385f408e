import type { Readable } from 'node:stream';
import type { ResponseHeaders } from './retry-after.ts';

/** A response body. It has to be read or dumped: one that stands still loses its connection (`stallMs`). */
export interface SvcBody extends AsyncIterable<Uint8Array> {
  text(): Promise<string>;
  json(): Promise<unknown>;
  arrayBuffer(): Promise<ArrayBuffer>;
  /** Reads to the end, or closes the connection if that is far or nothing more comes (`stallMs`), and forgets it. Never rejects. */
  dump(): Promise<unknown>;
}

/** What a service answered. */
export interface SvcResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  readonly body: SvcBody;
}

/** A request body. A stream can be sent only once and is therefore never retried. */
export type RequestBody = string | Uint8Array | Readable | null;

/** Whether the body is a stream, whose time is that of whoever fills it. */
export function isStream(body: RequestBody): body is Readable {
  return body !== null && typeof body === 'object' && 'pipe' in body;
}

/** One attempt, ready to send. */
export interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody;
  /** Now, on the clock of the client. */
  readonly startedAt: number;
  /** Until the response starts, in milliseconds. */
  readonly timeoutMs: number;
  /** Until its body has to be there, in milliseconds from now; at least `timeoutMs`. */
  readonly deadlineMs: number;
  /** How long something of the body may wait to be read, in milliseconds; its connection is given up before twice that is over. */
  readonly stallMs: number;
  /** The caller going away. */
  readonly signal: AbortSignal | undefined;
  /**
   * To be called once for each response, when its body has ended; it may be before the outcome is known. Until then,
   * but no longer than `timeoutMs`, a probe counts as under way.
   */
  bodyEnded(end: BodyEnd): void;
}

/**
 * How a response body ended: it came whole; its caller did not want the rest, or was late to take it or to send its own; the
 * deadline came while the target was awaited; the connection broke.
 */
export type BodyEnd = 'complete' | 'dropped' | 'timeout' | 'broken';

/** How an attempt ended. A failure is a value here; the call decides what to throw. */
export type Outcome =
  | {
      readonly kind: 'response';
      readonly response: SvcResponse;
      /** The value of the header that answers a passport; null without one. */
      readonly receipt: string | null;
    }
  | {
      readonly kind: 'timeout';
      /** The rest of the caller's stream was awaited and not the target. */
      readonly isUploading?: true;
      /** False only if it is certain that nothing of the request left, as below. */
      readonly sent?: false;
      /** It waited for a connection while all were in use: the target was never asked. */
      readonly isCrowded?: true;
    }
  | {
      readonly kind: 'unreachable';
      /** False only if it is certain that nothing of the request left: then the callee cannot have acted. */
      readonly sent: boolean;
      readonly cause: unknown;
    }
  | { readonly kind: 'aborted'; readonly reason: unknown }
  /** The request was the caller's own mistake, or its stream failed. */
  | { readonly kind: 'misused'; readonly error: unknown };

/** One origin that attempts can be sent to. */
export interface Endpoint {
  /** Never rejects. */
  send(attempt: Attempt): Promise<Outcome>;
  /** Waits for what is under way, then closes. */
  close(): Promise<void>;
}

/** Where endpoints come from: undici by default, a simulated network in tests. */
export interface Transport {
  /** `connections`: at most this many at once. */
  open(origin: string, connections: number): Endpoint;
}
