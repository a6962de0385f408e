import type { ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { isOver, onceClosed } from '../../connections/response-close.ts';
import { Fault } from '../../core/fault.ts';
import { answerHeaders, valuesOf } from './headers.ts';
import type { AnswerHead } from './outcome.ts';

/**
 * Why there was no answer. `unreadable`: there was one, of which nothing can be made. `crowded`: no connection was free in
 * time, so that nothing was sent. `gone`: nobody waits for one any more.
 */
export type ExchangeFailure = 'unreachable' | 'unreadable' | 'timeout' | 'crowded' | 'invalid' | 'gone';

/** Sees an answer before the client does. */
export interface AnswerJudge {
  /** Whether the body has to begin before the answer can be judged. */
  needsBody(head: AnswerHead): boolean;
  /** Whether the answer goes on to the client. If not, the judge has answered itself. */
  judge(head: AnswerHead, bodyStart: Buffer | null): Promise<boolean> | boolean;
}

const timeouts: ReadonlySet<unknown> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const refusals: ReadonlySet<unknown> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** Of what is no HTTP the name alone tells: undici leaves its code out. Of a status below 100 it says that it asserts. */
const unreadable = /^(HTTPParserError|ERR_ASSERTION|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_|UND_ERR_RESPONSE)/;

/**
 * One request under way to Kratos and its answer on the way back: head, body and trailers go through as they come, no
 * faster than the client takes them. Ends on both sides when one of them ends.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  readonly #judge: AnswerJudge | null;
  readonly #onFailure: (failure: ExchangeFailure, hasBegun: boolean) => void;
  readonly #waiting: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #head: (AnswerHead & { readonly message: string }) | null = null;
  #hasJudged = false;
  /** Before the head is sent: waiting for the judge. */
  #isHeld = false;
  /** The answer broke off while it was held. */
  #isBroken = false;
  #hasTrailer = false;
  #hasWritten = false;
  #isOver = false;

  /** @param longestWaitMs until a connection is free */
  constructor(
    response: ServerResponse,
    judge: AnswerJudge | null,
    longestWaitMs: number,
    onFailure: (failure: ExchangeFailure, hasBegun: boolean) => void,
  ) {
    this.#response = response;
    this.#judge = judge;
    this.#onFailure = onFailure;
    this.#waiting = setTimeout(this.#waited, longestWaitMs);
    onceClosed(response, this.#clientLeft);
    response.on('drain', this.#drained);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    clearTimeout(this.#waiting);
    if (this.#isOver || isOver(this.#response)) controller.abort(unwanted());
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    fields: Record<string, string | string[] | undefined>,
    message = '',
  ): void {
    if (status < 200) {
      this.#sendInterim(status, fields.link);
      return;
    }
    const headers = answerHeaders((controller.rawHeaders ?? []) as Buffer[]);
    // The words beside a status mean nothing; those that could not be sent on are left out.
    this.#head = { status, headers, message: /^[\t\x20-\x7e]*$/.test(message) ? message : '' };
    if (this.#judge === null) this.#sendHead(this.#head);
    else if (!this.#judge.needsBody(this.#head)) this.#hold(controller, this.#judge, null);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (!this.#response.headersSent && this.#judge !== null) this.#hold(controller, this.#judge, chunk);
    else if (!this.#write(chunk)) controller.pause();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    const trailers = textsOf((controller.rawTrailers ?? []) as Buffer[]);
    const finish = () => this.#finish(trailers);
    if (this.#head === null || this.#judge === null || this.#response.headersSent) finish();
    else this.#whenJudged(controller, this.#verdictOf(this.#judge, this.#head, null), finish);
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.#isBroken = true;
    if (this.#isOver || this.#isHeld) return;
    this.#end();
    this.#onFailure(isOver(this.#response) ? 'gone' : failureOf(error), this.#response.headersSent);
  }

  /** Keeps the answer back until it is judged; the rest of it waits in the socket. */
  #hold(controller: Dispatcher.DispatchController, judge: AnswerJudge, chunk: Buffer | null): void {
    if (this.#head === null) return;
    const verdict = this.#verdictOf(judge, this.#head, chunk);
    if (verdict !== true) controller.pause();
    this.#whenJudged(controller, verdict, () => {
      if (chunk === null || this.#write(chunk)) controller.resume();
      else controller.pause();
    });
  }

  #verdictOf(judge: AnswerJudge, head: AnswerHead, bodyStart: Buffer | null): Promise<boolean> | boolean {
    this.#hasJudged = true;
    return judge.judge(head, bodyStart);
  }

  /** Sends the head and goes on, at once where the judge needs no time; or ends where the judge has answered. */
  #whenJudged(
    controller: Dispatcher.DispatchController,
    verdict: Promise<boolean> | boolean,
    goOn: () => void,
  ): void {
    const settle = (goesOn: boolean) => {
      this.#isHeld = false;
      if (goesOn && this.#isBroken) this.#response.destroy();
      if (!goesOn || this.#isOver || this.#isBroken || this.#head === null || isOver(this.#response)) {
        this.#end();
        controller.abort(unwanted());
        return;
      }
      this.#sendHead(this.#head);
      goOn();
    };
    if (typeof verdict === 'boolean') {
      settle(verdict);
      return;
    }
    this.#isHeld = true;
    verdict.then(settle).catch((error: Error) => {
      this.#isHeld = false;
      this.onResponseError(controller, error);
    });
  }

  #sendHead({ status, headers, message }: AnswerHead & { readonly message: string }): void {
    const response = this.#response;
    if (isOver(response)) return;
    const sent = withoutVainTrailer(headers, response);
    this.#hasTrailer = valuesOf(sent, 'trailer').length > 0;
    response.sendDate = false;
    response.writeHead(status, message, sent as string[]);
    // The head mostly leaves together with the body; where that takes its time, the head does not wait for it. Not
    // `flushHeaders`, which would send Latin-1 as UTF-8.
    setImmediate(() => {
      if (!this.#hasWritten && !this.#isOver) response.write(nothing);
    });
  }

  #write(chunk: Buffer): boolean {
    this.#hasWritten = true;
    return this.#response.write(chunk);
  }

  /**
   * Interim answers are advice: one that cannot be sent on is left out. Clients of HTTP/1.0 know none; and while the answer
   * before this one is under way, which is when it has no socket yet, Node would put its head in front of the advice.
   */
  #sendInterim(status: number, link: string | string[] | undefined): void {
    if (this.#response.req.httpVersion !== '1.1' || this.#response.socket === null) return;
    if (status === 102) this.#response.writeProcessing();
    if (status !== 103 || link === undefined) return;
    try {
      this.#response.writeEarlyHints({ link });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }

  #finish(trailers: readonly string[]): void {
    if (this.#isOver) return;
    this.#end();
    if (trailers.length > 0 && this.#hasTrailer) {
      this.#response.addTrailers(pairsOf(trailers));
    }
    this.#response.end();
  }

  /** What Kratos has got it answers, and the judge has to see that answer: who hangs up before would guess for nothing. */
  readonly #clientLeft = (): void => {
    if (this.#isOver || (this.#judge !== null && !this.#hasJudged && this.#controller !== null)) return;
    this.#end();
    this.#controller?.abort(unwanted());
    this.#onFailure('gone', this.#response.headersSent);
  };

  readonly #waited = (): void => {
    if (this.#isOver) return;
    this.#end();
    this.#onFailure('crowded', false);
  };

  readonly #drained = (): void => this.#controller?.resume();

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#waiting);
    this.#response.off('drain', this.#drained);
  }
}

const nothing = Buffer.alloc(0);

/** Trailers can only follow a body in chunks. */
function withoutVainTrailer(headers: readonly string[], response: ServerResponse): readonly string[] {
  if (valuesOf(headers, 'trailer').length === 0) return headers;
  const isChunked = valuesOf(headers, 'content-length').length === 0 && response.req.httpVersion === '1.1';
  if (isChunked && response.req.method !== 'HEAD') return headers;
  return headers.filter((_, at) => headers[at - (at % 2)]?.toLowerCase() !== 'trailer');
}

const textsOf = (raw: readonly Buffer[]): string[] => raw.map((bytes) => bytes.toString('latin1'));

function pairsOf(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < flat.length; at += 2) pairs.push([flat[at] ?? '', flat[at + 1] ?? '']);
  return pairs;
}

const unwanted = (): Fault => new Fault('TARGET_UNREACHABLE', 'Nobody waits for the answer any more.');

function failureOf(error: Error): ExchangeFailure {
  const code = 'code' in error && error.code !== undefined ? error.code : error.name;
  if (timeouts.has(code)) return 'timeout';
  if (refusals.has(code)) return 'invalid';
  return unreadable.test(String(code)) ? 'unreadable' : 'unreachable';
}
