import { EventEmitter } from 'node:events';
import { type Dispatcher, Pool } from 'undici';
import { Fault } from '../core/fault.ts';
import type { Clock } from './clock.ts';
import type { Attempt, Endpoint, Outcome, RequestBody, Transport } from './transport.ts';

/** Errors that come before a connection exists. */
const unsentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Errors that are the caller's own doing. */
const misuseCodes: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_NOT_SUPPORTED',
]);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Errors of the network all have a code; one without comes from the caller's stream and says nothing of the target. */
function isStream(body: RequestBody): boolean {
  return body !== null && typeof body === 'object' && 'pipe' in body;
}

/** undici listens to an emitter as it does to an AbortSignal, and an emitter costs a tenth of one. */
class Cancellation extends EventEmitter {
  aborted = false;
  reason: unknown = null;

  cancel(reason: unknown): void {
    this.aborted = true;
    this.reason = reason;
    this.emit('abort');
  }
}

/** Sends over a pool of HTTP/1.1 connections to one origin. */
class UndiciEndpoint implements Endpoint {
  readonly #pool: Pool;
  readonly #clock: Clock;

  constructor(origin: string, connections: number, clock: Clock) {
    this.#pool = new Pool(origin, { connections, headersTimeout: 0, bodyTimeout: 0 });
    this.#clock = clock;
  }

  send(attempt: Attempt): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      new Exchange(attempt, this.#clock, resolve, reject).start(this.#pool);
    });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/**
 * One request and its answer. The outcome is settled here and not by undici: while a connection is being made undici
 * does not hear the cancellation, and a host that swallows packets would hold the call past its time.
 */
class Exchange {
  readonly #attempt: Attempt;
  readonly #clock: Clock;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #reject: (error: unknown) => void;
  readonly #cancellation = new Cancellation();
  readonly #startedAt: number;
  #cancelTimer: () => void;
  #done = false;

  constructor(
    attempt: Attempt,
    clock: Clock,
    resolve: (outcome: Outcome) => void,
    reject: (error: unknown) => void,
  ) {
    this.#attempt = attempt;
    this.#clock = clock;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#startedAt = clock.now();
    this.#cancelTimer = clock.after(attempt.timeoutMs, () => this.#abandon({ kind: 'timeout' }));
  }

  start(pool: Pool): void {
    const { method, path, headers, body, signal } = this.#attempt;
    if (signal?.aborted) {
      this.#onAbort();
      return;
    }
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    pool.request({ method, path, headers, body, signal: this.#cancellation }, (error, data) => {
      if (error !== null) this.#fail(error);
      else this.#answer(data);
    });
  }

  readonly #onAbort = () => {
    this.#abandon({ kind: 'aborted', reason: this.#attempt.signal?.reason });
  };

  /** Ends the exchange from this side. Once the response is out, what is left of its body fails. */
  #abandon(outcome: Outcome): void {
    this.#release();
    this.#cancellation.cancel(
      outcome.kind === 'aborted'
        ? outcome.reason
        : new Fault('TARGET_TIMEOUT', 'the response body did not end within the deadline'),
    );
    this.#settle(outcome);
  }

  #answer(data: Dispatcher.ResponseData): void {
    if (this.#done) return;
    this.#cancelTimer();
    const leftMs = this.#attempt.deadlineMs - (this.#clock.now() - this.#startedAt);
    this.#cancelTimer = this.#clock.after(Math.max(0, leftMs), () => this.#abandon({ kind: 'timeout' }));
    data.body.once('close', () => this.#release());
    const response = { status: data.statusCode, headers: data.headers, body: data.body };
    this.#settle({ kind: 'response', response });
  }

  #fail(error: Error): void {
    if (this.#done) return;
    this.#release();
    const code = codeOf(error);
    if (misuseCodes.has(code)) {
      this.#done = true;
      this.#reject(new Fault('INPUT_INVALID', `request: ${error.message}`, { cause: error }));
      return;
    }
    if (code === '' && isStream(this.#attempt.body)) {
      this.#done = true;
      this.#reject(error);
      return;
    }
    this.#settle({ kind: 'unreachable', sent: !unsentCodes.has(code), cause: error });
  }

  #settle(outcome: Outcome): void {
    if (this.#done) return;
    this.#done = true;
    this.#resolve(outcome);
  }

  #release(): void {
    this.#cancelTimer();
    this.#attempt.signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** Endpoints over undici. */
export function undiciTransport(clock: Clock): Transport {
  return { open: (origin, connections) => new UndiciEndpoint(origin, connections, clock) };
}
