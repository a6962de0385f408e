import { STANDSTILL_MS } from '../core/duration.ts';
import { Fault } from '../core/fault.ts';
import type { Clock } from './clock.ts';
import type { SvcEmitter } from './events.ts';
import type { Journey } from './journey.ts';
import type { CheckpointSettings } from './options.ts';
import { PASSPORT_HEADER, signPassport } from './passport.ts';
import type { Rails } from './rails.ts';
import { type Receipt, readReceipt } from './receipt.ts';
import type { PreparedRequest } from './request.ts';
import { retryCause } from './retry-rules.ts';
import type { Target } from './target.ts';
import type { Evidence, Passage } from './target-breaker.ts';
import {
  type Attempt,
  type BodyEnd,
  type Endpoint,
  isStream,
  type Outcome,
  type RequestBody,
} from './transport.ts';

/** What attempts need of their client. */
export interface AttemptContext {
  readonly settings: CheckpointSettings;
  readonly rails: Rails;
  readonly clock: Clock;
  readonly events: SvcEmitter;
  /** A name for one call that no other call of any process has. */
  readonly nextNonce: () => string;
}

/**
 * One sending of a request: with its passport, within its time; records what comes of it. It is the {@link Attempt} that
 * the transport gets, and all its fields are plain: one is made for each call, and this is the cheapest to make.
 */
export class CallAttempt implements Attempt {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody;
  readonly startedAt: number;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly stallMs: number;
  readonly signal: AbortSignal | undefined;
  private readonly context: AttemptContext;
  private readonly target: Target;
  private readonly journey: Journey;
  private readonly passage: Passage;
  private readonly endpoint: Endpoint;
  /** Whether the target has at least half of its usual time. */
  private readonly hasTime: boolean;
  /** Retries that were lent, and under which name; without a name nothing was. */
  private readonly lent: number;
  private readonly nonce: string;
  /** What the head of the response has shown, and how its body ended: whichever is known first waits for the other. */
  private shown: Evidence | null = null;
  private end: BodyEnd | null = null;
  /** Whether a probe was counted before its body has ended, and what keeps that from happening. */
  private counted = false;
  private cancelCount: (() => void) | null = null;

  /** Puts the passport into the headers of the request and sets aside what it lends. */
  constructor(
    context: AttemptContext,
    target: Target,
    request: PreparedRequest,
    journey: Journey,
    passage: Passage,
    startedAt: number,
    deadlineAt: number,
  ) {
    const { endpoint, prefix } = target.nextRoute();
    const { settings } = target;
    const allowedMs = request.timeoutMs ?? settings.timeoutMs;
    const leftMs = deadlineAt - startedAt;
    // Only where deadlines are in shadow is anything sent after one: it then has the time of one without.
    const deadlineMs = leftMs < 1 ? allowedMs : leftMs;
    const timeoutMs = Math.min(allowedMs, deadlineMs);
    this.method = request.method;
    this.path = prefix === '' ? request.path : prefix + request.path;
    this.headers = request.headers;
    this.body = request.body;
    this.startedAt = startedAt;
    this.timeoutMs = timeoutMs;
    this.deadlineMs = deadlineMs;
    this.stallMs = settings.stallMs;
    this.signal = request.signal;
    this.context = context;
    this.target = target;
    this.journey = journey;
    this.passage = passage;
    this.endpoint = endpoint;
    this.hasTime = timeoutMs * 2 >= allowedMs;
    this.lent = settings.passport && target.givesReceipts ? journey.lend() : 0;
    this.nonce = settings.passport ? context.nextNonce() : '';
    if (settings.passport) request.headers[PASSPORT_HEADER] = this.passport();
  }

  send(): Promise<Outcome> {
    this.target.counts.attempts += 1;
    return this.endpoint.send(this);
  }

  /** Records the outcome and settles the loan. Tells whether a call further down failed for good. */
  conclude(outcome: Outcome, now: number): boolean {
    const { rails } = this.context;
    const tookMs = now - this.startedAt;
    // An answer that is read after its time was there before: this process stood still, and not its target.
    const wasInTime = outcome.kind === 'response' && tookMs <= this.timeoutMs + STANDSTILL_MS;
    // A visitor who sends slowly would pass for a spike.
    if ((wasInTime || outcome.kind === 'timeout') && !isStream(this.body)) {
      rails.recordLatency(tookMs, now);
    }
    const evidence = evidenceOf(outcome, this.passage, this.hasTime);
    if (outcome.kind === 'response' && evidence !== 'bad') {
      this.shown = evidence;
      this.recordResponse();
      if (this.passage === 'probe') this.countInTime(now);
    } else {
      rails.record(this.target, this.passage, evidence, now);
    }
    return this.settleLoan(outcome);
  }

  bodyEnded(end: BodyEnd): void {
    this.end = end;
    this.cancelCount?.();
    this.recordResponse();
  }

  /**
   * A body may flow for minutes, and nobody else passes while a probe is under way: it is counted by what its head has
   * shown once its time to answer is over. One that has to end by then needs no other bound.
   */
  private countInTime(now: number): void {
    const { startedAt, timeoutMs, context } = this;
    if (this.end !== null || timeoutMs >= this.deadlineMs) return;
    const count = (): void => {
      this.counted = true;
      context.rails.record(this.target, this.passage, this.shown ?? 'none', context.clock.now());
    };
    this.cancelCount = context.clock.after(startedAt + timeoutMs - now, count, { keepsAlive: false });
  }

  /** A target may answer and then fall silent, so that a response is evidence only once its body has ended. */
  private recordResponse(): void {
    const { shown, end, context } = this;
    if (shown === null || end === null) return;
    const evidence = evidenceOfBody(end, shown, this.hasTime);
    // What nearly every call ends with moves no breaker, and even asking for the time costs.
    // A probe that was counted has made room for the next, which must not be taken for ended.
    if (evidence !== 'bad' && (this.passage === 'normal' || this.counted)) return;
    context.rails.record(this.target, this.passage, evidence, context.clock.now());
  }

  private passport(): string {
    const { journey, lent, nonce } = this;
    const { keys } = this.context.settings;
    const path = `${journey.hopText}>${this.target.slugKey}`;
    return signPassport(keys, lent, Math.floor(this.timeoutMs), nonce, path, journey.requestId);
  }

  /** Takes back what the callee did not use, if that is certain. Tells whether a call further down failed. */
  private settleLoan(outcome: Outcome): boolean {
    const { journey, lent } = this;
    const hasFailed = outcome.kind === 'unreachable' || outcome.kind === 'timeout';
    if (hasFailed && outcome.sent === false) journey.takeBack(lent, lent);
    if (outcome.kind !== 'response' || this.nonce === '') return false;
    const receipt = this.readReceipt(outcome.receipt, retryCause(outcome) !== null);
    if (receipt === null) return false;
    journey.takeBack(lent, receipt.unused);
    return receipt.failedBelow;
  }

  /** The receipt, if it says something that is not known and it verifies. */
  private readReceipt(text: string | null, failed: boolean): Receipt | null {
    const { target, lent, context } = this;
    // A failure may have been answered by something in between, which says nothing of the service.
    if (text !== null || !failed) target.givesReceipts = text !== null;
    if (text === null || (lent === 0 && !failed)) return null;
    const reading = readReceipt(text, this.nonce, lent, context.settings.keys);
    if (reading.valid) return reading.receipt;
    context.events.emit('receipt-dropped', { target: target.slugKey, flaw: reading.flaw });
    return null;
  }
}

/**
 * What the attempt shows of its target. A timeout counts only if the target had at least half of its usual time, and the
 * whole request: callers that are nearly out of time, send slowly, or hold all connections, must not open its breaker for all
 * others. A gateway error closes no breaker.
 */
function evidenceOf(outcome: Outcome, passage: Passage, hadTime: boolean): Evidence {
  switch (outcome.kind) {
    case 'response':
      if (outcome.response.status < 502 || outcome.response.status > 504) return 'good';
      return passage === 'probe' ? 'bad' : 'none';
    case 'timeout':
      return hadTime && outcome.isUploading !== true && outcome.isCrowded !== true ? 'bad' : 'none';
    case 'unreachable':
      return 'bad';
    case 'aborted':
    case 'misused':
      return 'none';
  }
}

/** What a response shows once its body has ended. */
function evidenceOfBody(end: BodyEnd, shown: Evidence, hadTime: boolean): Evidence {
  switch (end) {
    case 'complete':
    case 'dropped':
      return shown;
    case 'timeout':
      return hadTime ? 'bad' : 'none';
    case 'broken':
      return 'bad';
  }
}

/** The fault of a call that ended without a response. */
export function faultOf(
  outcome: Extract<Outcome, { kind: 'timeout' | 'unreachable' }>,
  slugKey: string,
): Fault {
  if (outcome.kind === 'unreachable') {
    return new Fault('TARGET_UNREACHABLE', `${slugKey} cannot be reached`, { cause: outcome.cause });
  }
  if (outcome.isUploading === true) {
    return new Fault('TARGET_TIMEOUT', `what is sent to ${slugKey} did not come in time`);
  }
  return outcome.isCrowded === true
    ? new Fault('TARGET_TIMEOUT', `no connection to ${slugKey} was free in time`)
    : new Fault('TARGET_TIMEOUT', `${slugKey} did not answer in time`);
}
