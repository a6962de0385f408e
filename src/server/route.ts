import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type Type from 'typebox';

/** What a token may do. `operate` may everything that `observe` may; `decide` is apart from both. */
export type Role = 'decide' | 'observe' | 'operate';

/** The most that the body of a route takes whose body is a list of up to 1,000. */
export const listBodyBytes = 1024 * 1024;

/** A request as a route sees it: its body is read, bounded and valid by the route's own schema. */
export interface RouteCall {
  readonly method: string;
  /** Path parameters by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Of the request: `1.1`. */
  readonly httpVersion: string;
  /** The names of the headers as they came, in their order. */
  readonly headerNames: readonly string[];
  readonly body: unknown;
  /** The client's address, found through trusted proxies; one of 6to4 or NAT64 as it came. */
  readonly ip: string;
  /** Whether {@link ip} is an address of 6to4 or NAT64, which whoever is on the link may take. */
  readonly isTranslated: boolean;
  /** Whether the socket's peer is one of the trusted proxies: only then its forwarding headers count. */
  readonly fromTrustedProxy: boolean;
  /** The name of the token that let the caller in; null on loopback without tokens and on open routes. */
  readonly caller: string | null;
  /** Aborted when the client goes away or the service must end. */
  readonly signal: AbortSignal;
}

/** What a route answers. An object is sent as JSON; a string or bytes as they are, with the given content type. */
export interface RouteAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string | Uint8Array | Readable;
}

/** One endpoint: what it takes, what it gives and who may ask. OpenAPI is made from the same schemas that validate. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/v1/blocks/:id` */
  readonly path: string;
  readonly summary: string;
  /** Null: anybody may ask (health). */
  readonly role: Role | null;
  /**
   * Proxies ask this with the headers of their visitors, whose `Host` and `Origin` say nothing about the caller.
   * Default false.
   */
  readonly fromProxies?: boolean;
  /** Whether the route judges by itself who may ask, and nobody else does. Default false. */
  readonly ownAccess?: boolean;
  /** Whether the body is handed over as bytes, unread and unchecked. Default false: it is JSON, by its schema. */
  readonly rawBody?: boolean;
  /** The largest body, in bytes. Default 64 KiB. */
  readonly bodyBytes?: number;
  readonly query?: Type.TSchema;
  readonly body?: Type.TSchema;
  /** Fields of the body that only a token's name can stand in for: a caller without one has to give them. Default none. */
  readonly requiredWithoutToken?: readonly string[];
  /** By status; null says nothing of the body. What is no JSON names its `contentMediaType`. */
  readonly answers: Readonly<Record<number, Type.TSchema | null>>;
  handle(call: RouteCall): RouteAnswer | Promise<RouteAnswer>;
}
