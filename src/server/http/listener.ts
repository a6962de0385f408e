import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connections } from '../../connections/connections.ts';
import { RequestsAtOnce } from '../../connections/requests-at-once.ts';
import { stopListening } from '../../connections/stop-listening.ts';
import { Fault } from '../../core/fault.ts';
import { problemMediaType } from '../../limits/index.ts';
import type { ConnectionBounds } from './bounds.ts';
import { endWithLastWords } from './last-words.ts';
import { type ProblemCode, problemBody } from './problem.ts';

/** Answers one request. Must not reject. */
export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** What a listener tells besides its requests. */
export interface ListenerEvents {
  /** A connection was closed as it came: there were too many. */
  dropped(): void;
  /** What came on a connection was not a request that a route could answer; this is the status of the answer. */
  malformed(status: number): void;
}

/** The node:http server: its bounds, what it says to clients that speak no HTTP, and its end. */
export class HttpListener {
  readonly #server: Server;
  readonly #bounds: ConnectionBounds;
  #isDraining = false;

  constructor(respond: Respond, bounds: ConnectionBounds, events: ListenerEvents) {
    this.#bounds = bounds;
    this.#server = createServer(
      {
        maxHeaderSize: bounds.headerBytes,
        headersTimeout: bounds.requestMs,
        requestTimeout: bounds.requestMs,
        keepAliveTimeout: bounds.idleMs,
        connectionsCheckingInterval: Math.min(1_000, bounds.requestMs),
      },
      (request, response) => {
        connections.spoke(request.socket);
        if (requests.begin(request, response)) respond(request, response);
      },
    );
    const requests = new RequestsAtOnce(bounds.requestsAtOnce);
    const connections = new Connections(
      this.#server,
      bounds.connections,
      () => performance.now(),
      () => this.#server.closeIdleConnections(),
    );
    this.#server.maxConnections = bounds.connections;
    // A client that does not take its answers would keep its connection as long as it likes.
    this.#server.timeout = bounds.stalledMs;
    // Their bytes are bounded. Of more than a number of them Node would drop the last, which may be what a proxy has said.
    this.#server.maxHeadersCount = 0;
    this.#server.on('drop', () => events.dropped());
    const ended = new WeakSet<Socket>();
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      if (ended.has(socket)) return;
      ended.add(socket);
      // A client that is gone has asked nothing and hears nothing; one that is being answered would take ours for a part of it.
      if (error.code === 'ECONNRESET' || requests.hasBegunOn(socket)) socket.destroy();
      else events.malformed(endWithProblem(socket, codeOf(error)));
    });
    this.#server.on('checkExpectation', (_, response: ServerResponse) => {
      events.malformed(endWithProblem(response.socket, 'EXPECTATION_FAILED'));
    });
  }

  /** Whether answers should end their connections. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** @throws Fault `CONFIG_INVALID` when the port is taken; anything else as the system says it. */
  async listen(host: string, port: number): Promise<AddressInfo> {
    this.#server.listen(port, host);
    try {
      await once(this.#server, 'listening');
    } catch (cause) {
      throw isTaken(cause) ? taken(port, cause) : cause;
    }
    return this.#server.address() as AddressInfo;
  }

  /**
   * Ends without losing a request: for a moment everything is still answered, each answer being the last of its
   * connection; then nothing new is accepted and idle connections go; what runs is answered; what takes too long is cut.
   * Gives how many connections were cut.
   */
  async drain(): Promise<number> {
    this.#isDraining = true;
    await sleep(this.#bounds.graceMs);
    if (!this.#server.listening) return 0;
    const { ended: closed } = await stopListening(this.#server);
    const timeout = new AbortController();
    const late = sleep(this.#bounds.drainMs, 'late', { signal: timeout.signal });
    const ended = await Promise.race([closed, late]);
    timeout.abort();
    await Promise.allSettled([late]);
    if (ended !== 'late') return 0;
    const left = await this.#connections();
    this.#server.closeAllConnections();
    await closed;
    return left;
  }

  #connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  }
}

const isTaken = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';

function taken(port: number, cause: unknown): Fault {
  return new Fault(
    'CONFIG_INVALID',
    `port ${port} is taken: choose another with --port, or stop what listens there`,
    { cause },
  );
}

function codeOf({ code }: NodeJS.ErrnoException): ProblemCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT';
  return 'REQUEST_INVALID';
}

const details: Partial<Record<ProblemCode, string>> = {
  HEADERS_TOO_LARGE: 'The headers of the request are too large.',
  REQUEST_TIMEOUT: 'The request took too long to arrive.',
  EXPECTATION_FAILED: 'The only expectation that is met is 100-continue.',
};

/** Where there is no response object the answer is written by hand; then the connection ends. Gives its status. */
function endWithProblem(socket: Socket | null, code: ProblemCode): number {
  const problem = problemBody(code, details[code] ?? 'What came is not an HTTP request.');
  if (socket === null || !socket.writable) {
    socket?.destroy();
    return problem.status;
  }
  const body = JSON.stringify(problem);
  endWithLastWords(
    socket,
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: ${problemMediaType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  return problem.status;
}
