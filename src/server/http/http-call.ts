import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAddress, ShownAddress } from '../../adapters/client-address.ts';
import { headerOf, namesOf } from '../../adapters/node-messages.ts';
import { peerOf } from '../../connections/peer.ts';
import { isOver, onceClosed } from '../../connections/response-close.ts';
import { queryFields } from '../../limits/request-path.ts';
import type { RouteCall } from '../route.ts';

/** What every call of a service shares. */
export interface CallContext {
  readonly shownBy: (...seen: Parameters<ClientAddress>) => ShownAddress;
  /** Whether a socket's peer is a trusted proxy. */
  readonly isTrusted: (peer: string | undefined) => boolean;
  /** Aborted when streams have to end. */
  readonly ending: AbortSignal;
}

/** What the door has found out about a request. */
export interface CallInput {
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly caller: string | null;
  readonly body: unknown;
}

/** A request as its route sees it. What only some routes ask for is made when it is asked for. */
export class HttpCall implements RouteCall {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  readonly caller: string | null;
  readonly body: unknown;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #search: string;
  readonly #context: CallContext;
  #query: URLSearchParams | null = null;
  #signal: AbortSignal | null = null;

  /** @param search the query with its question mark; empty where there is none */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    search: string,
    input: CallInput,
    context: CallContext,
  ) {
    this.#request = request;
    this.#response = response;
    this.method = request.method ?? 'GET';
    this.params = input.params;
    this.caller = input.caller;
    this.body = input.body;
    this.#search = search;
    this.#context = context;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get httpVersion(): string {
    return this.#request.httpVersion;
  }

  get headerNames(): readonly string[] {
    return namesOf(this.#request.rawHeaders);
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(queryFields(this.#search.slice(1)));
    return this.#query;
  }

  get fromTrustedProxy(): boolean {
    return this.#context.isTrusted(this.#peer);
  }

  get ip(): string {
    return this.#shown.asShown;
  }

  get isTranslated(): boolean {
    return this.#shown.isTranslated;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#endSignal();
    return this.#signal;
  }

  get #shown(): ShownAddress {
    return this.#context.shownBy(this.#peer, headerOf(this.headers));
  }

  get #peer(): string | undefined {
    return peerOf(this.#request.socket);
  }

  /** The service outlives its calls by far: what one of them hangs on its signal has to go with the call. */
  #endSignal(): AbortSignal {
    const end = new AbortController();
    const abort = () => end.abort();
    const { ending } = this.#context;
    if (ending.aborted || isOver(this.#response)) abort();
    else {
      ending.addEventListener('abort', abort);
      onceClosed(this.#response, () => {
        ending.removeEventListener('abort', abort);
        abort();
      });
    }
    return end.signal;
  }
}
