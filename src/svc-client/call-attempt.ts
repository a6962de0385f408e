import { Fault } from '../core/fault.ts';
import type { Clock } from './clock.ts';
import type { SvcEmitter } from './events.ts';
import type { Journey } from './journey.ts';
import type { CheckpointSettings } from './options.ts';
import { PASSPORT_HEADER, writePassport } from './passport.ts';
import type { Rails } from './rails.ts';
import { RECEIPT_HEADER, type Receipt, readReceipt } from './receipt.ts';
import type { PreparedRequest } from './request.ts';
import { retryCause } from './retry-rules.ts';
import type { Target } from './target.ts';
import type { Evidence, Passage } from './target-breaker.ts';
import type { Outcome, SvcResponse } from './transport.ts';

/** What attempts need of their client. */
export interface AttemptContext {
  readonly settings: CheckpointSettings;
  readonly rails: Rails;
  readonly clock: Clock;
  readonly events: SvcEmitter;
  /** A name for one call that no other call of any process has. */
  readonly nextNonce: () => string;
}

/** How an attempt went. */
export interface AttemptResult {
  readonly outcome: Outcome;
  /** The callee says that a call further down failed for good. */
  readonly failedBelow: boolean;
  readonly endedAt: number;
}

/** What was lent with a call and under which name. */
interface Loan {
  readonly lent: number;
  readonly nonce: string;
}

const noLoan: Loan = { lent: 0, nonce: '' };

/** One attempt of a call. */
export interface AttemptPlan {
  readonly target: Target;
  readonly request: PreparedRequest;
  readonly journey: Journey;
  /** How it passed the breaker. */
  readonly passage: Passage;
  readonly startedAt: number;
  readonly deadlineAt: number;
}

/** One sending of a request: with its passport, within its time; records what comes of it. */
export class CallAttempt {
  readonly #context: AttemptContext;
  readonly #plan: AttemptPlan;
  /** What the target is usually given, and what it is given now, in milliseconds. */
  readonly #allowedMs: number;
  readonly #timeoutMs: number;
  readonly #loan: Loan;

  /** Puts the passport into the headers of the request and sets aside what it lends. */
  constructor(context: AttemptContext, plan: AttemptPlan) {
    this.#context = context;
    this.#plan = plan;
    this.#allowedMs = plan.request.timeoutMs ?? plan.target.settings.timeoutMs;
    this.#timeoutMs = Math.min(this.#allowedMs, plan.deadlineAt - plan.startedAt);
    this.#loan = stamp(context, plan, this.#timeoutMs);
  }

  send(): Promise<Outcome> {
    const { target, request, startedAt, deadlineAt } = this.#plan;
    const { method, headers, body, signal } = request;
    const { endpoint, prefix } = target.nextRoute();
    target.counts.attempts += 1;
    return endpoint.send({
      method,
      path: prefix === '' ? request.path : prefix + request.path,
      headers,
      body,
      startedAt,
      timeoutMs: this.#timeoutMs,
      deadlineMs: deadlineAt - startedAt,
      signal,
    });
  }

  /** Records the outcome and settles the loan. */
  conclude(outcome: Outcome): AttemptResult {
    const { rails, clock } = this.#context;
    const { target, passage, startedAt } = this.#plan;
    const endedAt = clock.now();
    if (outcome.kind === 'response' || outcome.kind === 'timeout') {
      rails.recordLatency(endedAt - startedAt, endedAt);
    }
    const hadTime = this.#timeoutMs * 2 >= this.#allowedMs;
    rails.record(target, passage, evidenceOf(outcome, passage, hadTime), endedAt);
    return { outcome, failedBelow: settleLoan(this.#context, this.#plan, this.#loan, outcome), endedAt };
  }
}

function stamp(context: AttemptContext, plan: AttemptPlan, timeoutMs: number): Loan {
  const { target, request, journey } = plan;
  if (!target.settings.passport) return noLoan;
  const lent = target.givesReceipts ? journey.lend() : 0;
  const nonce = context.nextNonce();
  request.headers[PASSPORT_HEADER] = writePassport(
    {
      requestId: journey.requestId,
      hops: [...journey.hops, target.slugKey],
      retries: lent,
      remainingMs: Math.floor(timeoutMs),
      nonce,
    },
    context.settings.keys,
  );
  return { lent, nonce };
}

/**
 * What the attempt shows of its target. A timeout counts only if the target had at least half of its usual time:
 * callers that are nearly out of time must not open its breaker for all others. A gateway error closes no breaker.
 */
function evidenceOf(outcome: Outcome, passage: Passage, hadTime: boolean): Evidence {
  switch (outcome.kind) {
    case 'response':
      if (outcome.response.status < 502 || outcome.response.status > 504) return 'good';
      return passage === 'probe' ? 'bad' : 'none';
    case 'timeout':
      return hadTime ? 'bad' : 'none';
    case 'unreachable':
      return 'bad';
    case 'aborted':
    case 'misused':
      return 'none';
  }
}

/** Takes back what the callee did not use, if that is certain. Tells whether a call further down failed. */
function settleLoan(context: AttemptContext, plan: AttemptPlan, loan: Loan, outcome: Outcome): boolean {
  const { target, journey } = plan;
  if (outcome.kind === 'unreachable' && !outcome.sent) journey.takeBack(loan.lent, loan.lent);
  if (outcome.kind !== 'response' || loan.nonce === '') return false;
  const failed = retryCause(outcome) !== null;
  const receipt = receiptOf(context, target, loan, outcome.response, failed);
  if (receipt === null) return false;
  journey.takeBack(loan.lent, receipt.unused);
  return receipt.failedBelow;
}

/** The receipt, if it says something that is not known and it verifies. */
function receiptOf(
  { settings, events }: AttemptContext,
  target: Target,
  { lent, nonce }: Loan,
  { headers }: SvcResponse,
  failed: boolean,
): Receipt | null {
  const text = headers[RECEIPT_HEADER];
  // A failure may have been answered by something in between, which says nothing of the service.
  if (text !== undefined || !failed) target.givesReceipts = text !== undefined;
  if (text === undefined || (lent === 0 && !failed)) return null;
  const reading = readReceipt(String(text), nonce, lent, settings.keys);
  if (reading.valid) return reading.receipt;
  events.emit('receipt-dropped', { target: target.slugKey, flaw: reading.flaw });
  return null;
}

/** The fault of a call that ended without a response. */
export function faultOf(
  outcome: Extract<Outcome, { kind: 'timeout' | 'unreachable' }>,
  slugKey: string,
): Fault {
  return outcome.kind === 'timeout'
    ? new Fault('TARGET_TIMEOUT', `${slugKey} did not answer in time`)
    : new Fault('TARGET_UNREACHABLE', `${slugKey} cannot be reached`, { cause: outcome.cause });
}
