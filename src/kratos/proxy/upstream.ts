import type { IncomingMessage, ServerResponse } from 'node:http';
import { Pool } from 'undici';
import { defaultUpstreamConnections, proxyDefaults } from '../defaults.ts';
import { type AnswerJudge, Exchange, type ExchangeFailure } from './exchange.ts';

/** How Kratos is reached. Times in milliseconds. */
export interface UpstreamOptions {
  /** Kratos's public API, perhaps with a path that all requests are put behind. */
  readonly url: string;
  /** Until Kratos has begun to answer, and between two pieces of an answer. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Until a connection stands. Default 3,000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Connections at once, and as many for requests whose body the client is still sending; further ones wait, for as long as
   * Kratos may take to answer. Default 1,024.
   */
  readonly connections?: number | undefined;
}

/** A request on its way to Kratos. */
export interface UpstreamRequest {
  /** Path and query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  /** The body, where it has been read already; null: as the client sends it, if it sends one. */
  readonly body: Buffer | null;
}

/** What the client is to be told of, and what may be judged before it is. */
export interface ExchangeParts {
  readonly judge: AnswerJudge | null;
  readonly onFailure: (failure: ExchangeFailure, hasBegun: boolean) => void;
}

/** As many bytes as a request may have. */
const longestHeaders = 64 * 1024;

/** Kratos, behind connections that are kept open. */
export class Upstream {
  readonly #pool: Pool;
  /** Apart from the others: a body takes as long as its client likes, and whoever sends many must not keep logins out. */
  readonly #uploads: Pool;
  readonly #timeoutMs: number;
  readonly #path: string;

  constructor(options: UpstreamOptions) {
    const { url, connectTimeoutMs = 3_000, connections = defaultUpstreamConnections } = options;
    const { timeoutMs = proxyDefaults.upstreamTimeoutMs } = options;
    const { origin, pathname } = new URL(url);
    this.#path = pathname.replace(/\/+$/, '');
    this.#timeoutMs = timeoutMs;
    const settings = {
      connections,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxHeaderSize: longestHeaders,
      connect: { timeout: connectTimeoutMs },
    };
    this.#pool = new Pool(origin, settings);
    this.#uploads = new Pool(origin, settings);
  }

  /** Sends a request on, and its answer back. Failures are told; nothing is thrown. */
  send(
    request: IncomingMessage,
    response: ServerResponse,
    { path, headers, body }: UpstreamRequest,
    { judge, onFailure }: ExchangeParts,
  ): void {
    const { method = 'GET' } = request;
    const options = {
      path: this.#path + path,
      method,
      headers,
      body: body ?? (hasBody(request) ? request : null),
    };
    // A connection may have been closed by the other side while it was idle: what changes nothing is tried once more.
    const isRepeatable = options.body === null && (method === 'GET' || method === 'HEAD');
    const repeat = (failure: ExchangeFailure, hasBegun: boolean) => {
      if (failure !== 'unreachable' || hasBegun) return onFailure(failure, hasBegun);
      this.#pool.dispatch(options, new Exchange(response, judge, this.#timeoutMs, onFailure));
    };
    const pool = options.body === request ? this.#uploads : this.#pool;
    pool.dispatch(options, new Exchange(response, judge, this.#timeoutMs, isRepeatable ? repeat : onFailure));
  }

  /** Whether Kratos answers at all. */
  async answers(): Promise<boolean> {
    try {
      const { statusCode, body } = await this.#pool.request({
        path: `${this.#path}/health/ready`,
        method: 'GET',
        headersTimeout: 2_000,
        signal: AbortSignal.timeout(2_500),
      });
      await body.dump();
      return statusCode < 500;
    } catch (error) {
      return !(error instanceof Error);
    }
  }

  /** Lets what is under way end, for at most this long. */
  async close(drainMs: number): Promise<void> {
    const pools = [this.#pool, this.#uploads];
    const cut = setTimeout(() => {
      for (const pool of pools) void pool.destroy();
    }, drainMs);
    await Promise.all(pools.map((pool) => pool.close()));
    clearTimeout(cut);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
