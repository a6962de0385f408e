import type { Dispatcher } from 'undici';
import { Fault } from '../core/fault.ts';
import type { Expiring, ExpiryWatch } from './expiry-watch.ts';
import type { Occupancy } from './occupancy.ts';
import { type Flow, ResponseBody } from './response-body.ts';
import { type Attempt, type BodyEnd, isStream, type Outcome } from './transport.ts';
import { type RawHeaders, receiptIn, UndiciResponse } from './undici-response.ts';
import { Upload } from './upload.ts';

/**
 * One request and its answer. Its outcome is settled here and not by undici: while a connection is being made undici
 * hears no cancellation, and a host that swallows packets would hold the call past its time.
 *
 * Its methods are those that undici 7 calls in its own clients. It also takes handlers with a controller, but wraps
 * them into one like this, and reads all headers before anybody asks.
 */
export class Exchange implements Dispatcher.DispatchHandler, Expiring, Flow {
  expiresAt: number;
  before: Expiring | null = null;
  after: Expiring | null = null;
  private readonly attempt: Attempt;
  private readonly watch: ExpiryWatch;
  private readonly occupancy: Occupancy;
  private readonly occupancyMark: number;
  private readonly resolve: (outcome: Outcome) => void;
  /** To be told once, when neither more of the answer nor an end can come of it. */
  private readonly noteEnd: () => void;
  private readonly deadlineAt: number;
  /** What undici gives to stop the request, just before it sends it, and to go on with a response that was paused. */
  private stop: ((reason?: Error) => void) | null = null;
  private goOn: (() => void) | null = null;
  private isPaused = false;
  private readonly upload: Upload | null;
  private body: ResponseBody | null = null;
  /** What had been taken of the body when something of it was last seen waiting; null when nothing was. */
  private takenBefore: number | null = null;
  private onAbort: (() => void) | null = null;
  /** What undici is told when it comes to a request that has been given up. */
  private givenUp: Error | null = null;
  private settled = false;
  private ended = false;
  private released = false;

  constructor(
    attempt: Attempt,
    watch: ExpiryWatch,
    occupancy: Occupancy,
    resolve: (outcome: Outcome) => void,
    noteEnd: () => void,
  ) {
    this.expiresAt = attempt.startedAt + attempt.timeoutMs;
    this.deadlineAt = attempt.startedAt + attempt.deadlineMs;
    this.attempt = attempt;
    this.watch = watch;
    this.occupancy = occupancy;
    this.occupancyMark = occupancy.mark();
    this.resolve = resolve;
    this.noteEnd = noteEnd;
    this.upload = isStream(attempt.body) ? new Upload(attempt.body) : null;
  }

  /** Begins to listen to the clock and to the caller; false when the caller has already gone. */
  begin(): boolean {
    this.watch.add(this);
    const { signal } = this.attempt;
    if (signal === undefined) return true;
    this.onAbort = () => this.giveUp(signal.reason, { kind: 'aborted', reason: signal.reason });
    if (signal.aborted) this.onAbort();
    else signal.addEventListener('abort', this.onAbort, { once: true });
    return !signal.aborted;
  }

  onConnect(stop: (reason?: Error) => void): void {
    // Thrown and not stopped: that would also end the connection, which others wait for.
    if (this.givenUp !== null) throw this.givenUp;
    this.stop = stop;
    this.occupancy.take();
  }

  /** Answers whether undici is to go on, as the next does. */
  onHeaders(status: number, raw: RawHeaders, goOn: () => void): boolean {
    // Interim responses are not the answer.
    if (status < 200 || this.settled) return true;
    this.goOn = goOn;
    this.body = new ResponseBody(this);
    const response = new UndiciResponse(status, raw, this.body);
    this.settle({ kind: 'response', response, receipt: receiptIn(raw) });
    if (this.attempt.timeoutMs > this.attempt.stallMs) this.lookSooner();
    return !this.isPaused;
  }

  onData(chunk: Uint8Array): boolean {
    this.body?.push(chunk);
    return !this.isPaused;
  }

  onComplete(): void {
    this.release();
    this.body?.complete();
    this.end('complete');
  }

  onError(error: Error): void {
    this.release();
    this.body?.fail(error);
    const failure = failureOf(error, this.upload, this.stop !== null);
    this.end(failure.kind === 'unreachable' ? 'broken' : 'dropped');
    this.settle(failure);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.goOn?.();
  }

  abort(reason: Error): void {
    this.end('dropped');
    this.stop?.(reason);
  }

  /** Once the answer has begun, its body may take until the deadline, while its reader takes what there is. */
  expire(): void {
    if (this.body === null || this.expiresAt >= this.deadlineAt) {
      this.giveUp(
        new Fault('TARGET_TIMEOUT', 'the response did not end within the deadline'),
        this.timeout(),
      );
      return;
    }
    if (this.standsStill(this.body)) this.giveUpUnread(this.attempt.stallMs);
    else this.lookAgain();
  }

  /** Whom the request has waited for: its caller, a connection of this process, or the target. */
  private timeout(): Outcome {
    if (this.stop !== null) {
      return { kind: 'timeout', ...(this.upload?.isAwaited && { isUploading: true }) };
    }
    const isCrowded = this.occupancy.wasFullSince(this.occupancyMark);
    return { kind: 'timeout', sent: false, ...(isCrowded && { isCrowded }) };
  }

  /** The time to answer may be long; a body that is there has to be read all the same. */
  private lookSooner(): void {
    this.watch.remove(this);
    this.lookAgain();
  }

  /** Counted from now and not from when it was due: where the process was busy, the reader could take nothing either. */
  private lookAgain(): void {
    this.expiresAt = Math.min(this.deadlineAt, this.watch.now() + this.attempt.stallMs);
    this.watch.add(this);
  }

  /**
   * Whether what waited to be read at the last look still does. To look now and then costs nothing where bodies are short;
   * to note the time of every piece would.
   */
  private standsStill(body: ResponseBody): boolean {
    const { takenBefore } = this;
    this.takenBefore = body.isUnread ? body.taken : null;
    return takenBefore !== null && takenBefore === this.takenBefore;
  }

  /** It is the reader who is late, and says nothing of the target. */
  private giveUpUnread(stallMs: number): void {
    const message = `nothing of the response was read for ${stallMs} ms, and its connection was given up`;
    const reason = new Fault('TARGET_TIMEOUT', message);
    this.giveUp(reason, { kind: 'aborted', reason });
  }

  /** Ends the exchange from this side. What is left of a body fails. */
  private giveUp(reason: unknown, outcome: Outcome): void {
    this.release();
    this.givenUp = reason instanceof Error ? reason : new DOMException('The caller went away', 'AbortError');
    this.body?.fail(reason);
    // While it is paused, or the upload has not ended, it is the caller who is late and not the target.
    const isTargetLate = outcome.kind === 'timeout' && !this.isPaused && outcome.isUploading !== true;
    this.end(isTargetLate ? 'timeout' : 'dropped');
    this.settle(outcome);
    if (this.stop !== null) this.stop(this.givenUp);
    else this.upload?.letGo();
  }

  /** Tells how the body ended. What comes of an end, such as the error of a request that was stopped, is not another. */
  private end(how: BodyEnd): void {
    if (this.body === null || this.ended) return;
    this.ended = true;
    this.attempt.bodyEnded(how);
  }

  private settle(outcome: Outcome): void {
    if (this.settled) return;
    this.settled = true;
    this.resolve(outcome);
  }

  private release(): void {
    if (this.released) return;
    this.released = true;
    if (this.stop !== null) this.occupancy.free();
    this.noteEnd();
    this.watch.remove(this);
    if (this.onAbort !== null) this.attempt.signal?.removeEventListener('abort', this.onAbort);
  }
}

/** Errors that are the caller's own doing. */
const misuseCodes: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_NOT_SUPPORTED',
]);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * What an error of undici says about the request. Errors of the network all have a code, but not one that tells whether
 * anything was sent: a host may become unreachable at any time.
 */
function failureOf(error: Error, upload: Upload | null, sent: boolean): Outcome {
  const code = codeOf(error);
  if (misuseCodes.has(code)) {
    return {
      kind: 'misused',
      error: new Fault('INPUT_INVALID', `request: ${error.message}`, { cause: error }),
    };
  }
  if (upload !== null && (upload.hasFailed || code === '')) return { kind: 'misused', error };
  return { kind: 'unreachable', sent, cause: error };
}
