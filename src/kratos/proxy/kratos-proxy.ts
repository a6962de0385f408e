import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connections } from '../../connections/connections.ts';
import { peerOf } from '../../connections/peer.ts';
import { RequestsAtOnce } from '../../connections/requests-at-once.ts';
import { stopListening } from '../../connections/stop-listening.ts';
import { Fault } from '../../core/fault.ts';
import type { EventHub } from '../../guard/events.ts';
import { type ClientIp, createClientIp, type TrustedPeers } from '../client-ip.ts';
import { proxyDefaults } from '../defaults.ts';
import type { KratosEvents, WarningEvent } from '../events.ts';
import type { LoginBackoff } from '../login-backoff.ts';
import { answerFailure, sendJson, sendProblem } from './answers.ts';
import type { ExchangeFailure } from './exchange.ts';
import { Farewell } from './farewell.ts';
import { requestHeaders, valuesOf } from './headers.ts';
import { isTooLarge } from './login-body.ts';
import { LoginDesk } from './login-desk.ts';
import { readTarget } from './target.ts';
import { Upstream, type UpstreamOptions } from './upstream.ts';

/** How to stand in front of Kratos. */
export interface KratosProxyOptions {
  readonly upstream: UpstreamOptions;
  readonly backoff: LoginBackoff;
  /** Whose forwarding headers count. Default: nobody's. */
  readonly trustedProxies?: TrustedPeers | undefined;
  /** Which address of `X-Forwarded-For`: the first, or the nearest that is no trusted proxy. Default `first`. */
  readonly forwardedFor?: 'first' | 'nearest' | undefined;
  /** Where a browser that is locked out is sent. Default `/login`. */
  readonly lockoutPath?: string | undefined;
  /** The cookie by which Kratos says that a login has succeeded. Default `ory_kratos_session`. */
  readonly sessionCookie?: string | undefined;
  /**
   * Connections of clients at once. Near that many, idle ones go first, then those that have brought no request yet. Default
   * 20,000.
   */
  readonly connections?: number | undefined;
  /** A fault of ours; the request was answered with 500. Default: a warning of the process. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** A reverse proxy for Kratos's public API, not listening yet. */
export interface KratosProxy {
  readonly server: Server;
  /**
   * Takes requests for `graceMs` more (default 0), each answer being the last of its connection; then ends the listener
   * and what is under way, within `drainMs` (default 10,000 ms).
   */
  close(drainMs?: number, graceMs?: number): Promise<void>;
}

const nobody: TrustedPeers = { hasPeer: () => false };

/** How long an answer about Kratos's health counts. */
const healthMs = 1_000;

/**
 * A reverse proxy that passes everything through as it is and looks at submitted logins only.
 *
 * @throws Fault `CONFIG_INVALID` when the URL of Kratos is none.
 */
export function createKratosProxy(options: KratosProxyOptions): KratosProxy {
  const { backoff, trustedProxies = nobody, onFault = emitFault } = options;
  const { lockoutPath = proxyDefaults.lockoutPath } = options;
  if (!/^https?:\/\/[^/?#]/i.test(options.upstream.url) || !URL.canParse(options.upstream.url)) {
    throw new Fault(
      'CONFIG_INVALID',
      'The URL of Kratos must begin with http:// or https:// and name a host.',
    );
  }
  const upstream = new Upstream(options.upstream);
  const warn = seldom(backoff.events);
  const door = new ProxyDoor({
    upstream,
    desk: new LoginDesk({
      upstream,
      backoff,
      lockoutPath,
      sessionCookie: options.sessionCookie ?? proxyDefaults.sessionCookie,
      onFailure: (failure) => warnOfUpstream(warn, failure),
      onFault,
    }),
    clientIp: createClientIp({
      trustedProxies,
      forwardedFor: options.forwardedFor,
      onUntrusted: () => warn(proxyUntrusted),
    }),
    backoff,
    onFailure: (failure) => warnOfUpstream(warn, failure),
    onFault,
  });
  const requests = new RequestsAtOnce();
  const server = createServer(serverOptions, (request, response) => {
    if (requests.begin(request, response)) door.respond(request, response);
  });
  const { connections: most = proxyDefaults.maxConnections } = options;
  server.maxConnections = most;
  const connections = new Connections(
    server,
    most,
    () => performance.now(),
    () => server.closeIdleConnections(),
  );
  server.on('request', ({ socket }: IncomingMessage) => connections.spoke(socket));
  server.on('checkContinue', ({ socket }: IncomingMessage) => connections.spoke(socket));
  // A client that does not take its answers would hold a connection to Kratos as long as it likes. One that waits for an answer
  // is as silent: for a free connection first, then for Kratos.
  server.timeout = 2 * (options.upstream.timeoutMs ?? proxyDefaults.upstreamTimeoutMs) + unreadMs;
  // Their bytes are bounded. Of more than a number of them Node would drop the last, which may be what a proxy has said.
  server.maxHeadersCount = 0;
  server.on('checkContinue', (request, response) => {
    if (requests.begin(request, response)) door.respondToExpectation(request, response);
  });
  return {
    server,
    close: async (drainMs = 10_000, graceMs = 0) => {
      door.farewell.begin();
      await sleep(graceMs);
      const { ended } = await stopListening(server);
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
      await ended;
      clearTimeout(cut);
      await upstream.close(drainMs);
    },
  };
}

/** Slow clients are cut off: nobody takes a minute to send a request to Kratos. */
const serverOptions = {
  maxHeaderSize: 64 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  noDelay: true,
} as const;

/** How long a client may take no byte of its answer. */
const unreadMs = 30_000;

interface DoorParts {
  readonly upstream: Upstream;
  readonly desk: LoginDesk;
  readonly clientIp: ClientIp;
  readonly backoff: LoginBackoff;
  readonly onFailure: (failure: ExchangeFailure) => void;
  readonly onFault: (error: unknown) => void;
}

/** Takes requests in and says who deals with them. */
class ProxyDoor {
  readonly farewell = new Farewell();
  readonly #parts: DoorParts;
  #health: { readonly until: number; readonly answers: Promise<boolean> } | null = null;

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  readonly respond = (request: IncomingMessage, response: ServerResponse): void => {
    this.farewell.follow(response);
    this.#respond(request, response).catch((error: unknown) => {
      this.#parts.onFault(error);
      sendProblem(response, 'fault');
    });
  };

  /** A body that will be refused is not asked for. */
  readonly respondToExpectation = (request: IncomingMessage, response: ServerResponse): void => {
    const isRefused = readTarget(request.url ?? '')?.isLogin === true && isTooLarge(request);
    if (!isRefused) response.writeContinue();
    this.respond(request, response);
  };

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', method, rawHeaders, headers, socket } = request;
    const target = readTarget(url);
    if (target === null || valuesOf(rawHeaders, 'host').length > 1)
      return sendProblem(response, 'badRequest');
    if (method === 'GET' || method === 'HEAD') {
      if (target.path === '/health/live') return sendJson(response, 200, { status: 'ok' });
      if (target.path === '/health/ready') return this.#tellHealth(response);
    }
    const clientIp = this.#parts.clientIp(peerOf(socket), headers);
    if (method === 'POST' && target.isLogin) {
      return this.#parts.desk.take(request, response, target, clientIp);
    }
    const isChunked = headers['transfer-encoding'] !== undefined;
    this.#parts.upstream.send(
      request,
      response,
      { path: target.path, headers: requestHeaders(rawHeaders, clientIp, !isChunked), body: null },
      { judge: null, onFailure: (failure, hasBegun) => this.#failed(response, failure, hasBegun) },
    );
  }

  #failed(response: ServerResponse, failure: ExchangeFailure, hasBegun: boolean): void {
    this.#parts.onFailure(failure);
    answerFailure(response, failure, hasBegun);
  }

  /** Without its store the proxy goes on in another mode; without Kratos it is of no use. */
  async #tellHealth(response: ServerResponse): Promise<void> {
    const now = performance.now();
    if (this.#health === null || now > this.#health.until) {
      this.#health = { until: now + healthMs, answers: this.#parts.upstream.answers() };
    }
    const answers = await this.#health.answers;
    const { mode } = this.#parts.backoff.status();
    const body = { status: answers ? 'ok' : 'unavailable', upstream: answers, mode };
    sendJson(response, answers ? 200 : 503, body);
  }
}

const proxyUntrusted: WarningEvent = {
  code: 'KRATOS_PROXY_UNTRUSTED',
  message:
    'A request carried True-Client-Ip, X-Forwarded-For or X-Real-Ip from a peer that is no trusted proxy: the headers are ignored and the address of the peer is used. If there is a proxy in front, list its address in trustedProxies.',
};

function warnOfUpstream(warn: (warning: WarningEvent) => void, failure: ExchangeFailure): void {
  if (failure === 'unreachable') {
    warn({ code: 'KRATOS_UPSTREAM_UNREACHABLE', message: 'Kratos cannot be reached: requests get 502.' });
  }
  if (failure === 'unreadable') {
    warn({
      code: 'KRATOS_UPSTREAM_UNREADABLE',
      message: 'Kratos gives answers that are no HTTP, or with headers above 64 KiB: requests get 502.',
    });
  }
  if (failure === 'timeout' || failure === 'crowded') {
    warn({ code: 'KRATOS_UPSTREAM_TIMEOUT', message: 'Kratos does not answer in time: requests get 504.' });
  }
}

/** Each warning at most once a minute: what clients do must not fill a log. */
function seldom(events: EventHub<KratosEvents>): (warning: WarningEvent) => void {
  const givenAt = new Map<string, number>();
  return (warning) => {
    const now = performance.now();
    if (now - (givenAt.get(warning.code) ?? Number.NEGATIVE_INFINITY) < 60_000) return;
    givenAt.set(warning.code, now);
    events.emit('warning', warning);
  };
}

function emitFault(error: unknown): void {
  const detail = error instanceof Error ? error.stack : undefined;
  process.emitWarning('The Kratos proxy has met a fault of its own.', {
    type: 'PortcullisWarning',
    code: 'PORTCULLIS_KRATOS_FAULT',
    ...(detail === undefined ? {} : { detail }),
  });
}
