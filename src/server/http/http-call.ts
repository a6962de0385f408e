import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAddress } from '../../adapters/client-address.ts';
import type { RouteCall } from '../route.ts';

/** Reads a header of node:http by its lower-case name; one that came several times is joined. */
export function headerOf(headers: IncomingHttpHeaders): (name: string) => string | undefined {
  return (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
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
  readonly #addressOf: ClientAddress;
  readonly #ending: AbortSignal;
  #query: URLSearchParams | null = null;
  #signal: AbortSignal | null = null;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    found: {
      readonly params: Readonly<Record<string, string>>;
      readonly caller: string | null;
      readonly body: unknown;
      readonly search: string;
    },
    context: { readonly addressOf: ClientAddress; readonly ending: AbortSignal },
  ) {
    this.#request = request;
    this.#response = response;
    this.method = request.method ?? 'GET';
    this.params = found.params;
    this.caller = found.caller;
    this.body = found.body;
    this.#search = found.search;
    this.#addressOf = context.addressOf;
    this.#ending = context.ending;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#search);
    return this.#query;
  }

  get peer(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  get ip(): string {
    return this.#addressOf(this.peer, headerOf(this.headers));
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#ending, this.#goneSignal()]);
    return this.#signal;
  }

  #goneSignal(): AbortSignal {
    const gone = new AbortController();
    this.#response.once('close', () => gone.abort());
    return gone.signal;
  }
}
