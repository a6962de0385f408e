import { backoffMs } from './backoff.ts';
import { type AttemptContext, CallAttempt, faultOf } from './call-attempt.ts';
import { type CheckpointCounters, denies } from './checkpoint.ts';
import { pause } from './clock.ts';
import type { Denial } from './denial.ts';
import { closesSecondCycle } from './hops.ts';
import type { Journey } from './journey.ts';
import { MAX_HOPS } from './passport.ts';
import type { Clearance, Cleared, Gate } from './rails.ts';
import type { PreparedRequest } from './request.ts';
import { retryAfterMs } from './retry-after.ts';
import { type RetryCause, retryCause, type WithholdReason } from './retry-rules.ts';
import type { Target } from './target.ts';
import { isShut, type Passage } from './target-breaker.ts';
import { countCall, takeRetry } from './target-retry-budget.ts';
import { isStream, type Outcome, type SvcResponse } from './transport.ts';

/**
 * What became of a call. `ok` means that the service answered, whatever its status. A denial means that nothing was
 * sent. A call that was sent and got no answer rejects with a `Fault`: `TARGET_TIMEOUT` or `TARGET_UNREACHABLE`.
 */
export type CallResult =
  | { readonly ok: true; readonly response: SvcResponse; readonly attempts: number }
  | { readonly ok: false; readonly denied: Denial };

/** What calls need of their client. */
export interface CallContext extends AttemptContext {
  readonly counters: CheckpointCounters;
  readonly random: () => number;
}

/** One call with all its attempts. */
export class Call implements Gate {
  private readonly context: CallContext;
  private readonly target: Target;
  private readonly request: PreparedRequest;
  private readonly journey: Journey;
  private readonly startedAt: number;
  private readonly deadlineAt: number;
  /** The time of the present step: asked for once per step, since even asking costs. */
  private now: number;
  private attempts = 0;

  constructor(context: CallContext, target: Target, request: PreparedRequest, journey: Journey, now: number) {
    this.context = context;
    this.target = target;
    this.request = request;
    this.journey = journey;
    this.startedAt = now;
    this.now = now;
    const ownMs = request.deadlineMs ?? context.settings.deadlineMs;
    this.deadlineAt = Math.min(journey.callsUntil, now + ownMs);
  }

  async run(): Promise<CallResult> {
    this.target.underWay += 1;
    try {
      const objection = this.objection();
      if (objection !== null && !this.skips(objection)) return this.deny(objection);
      const clearing = this.clear();
      const first = clearing instanceof Promise ? await clearing : clearing;
      if (!first.clear) return this.deny(first.denial);
      this.countCall();
      let { passage } = first;
      for (;;) {
        const attempt = this.begin(passage);
        const outcome = await attempt.send();
        this.now = this.context.clock.now();
        const failedBelow = attempt.conclude(outcome, this.now);
        const cause = retryCause(outcome);
        if (cause === null) return this.finish(outcome);
        const waitMs = this.retryWaitMs(outcome, cause, failedBelow);
        if (waitMs === null) return this.fail(outcome);
        const next = await this.waitToRetry(waitMs, outcome);
        if (next === null) return this.fail(outcome);
        letGo(outcome);
        this.target.counts.retries += 1;
        passage = next;
      }
    } finally {
      this.target.noteEnd();
    }
  }

  /** A denied retry is not told as a denied call: the call has been made. */
  skips(denial: Denial): boolean {
    if (this.attempts > 0) return this.context.settings.shadow.has(denial.reason);
    return !denies(this.context, denial, 'client', this.journey.requestId);
  }

  /** What speaks against the call before any limit is looked at. */
  private objection(): Denial | null {
    const { hops } = this.journey;
    const target = this.target.slugKey;
    if (closesSecondCycle(hops, target)) return { reason: 'loop', target, hops: [...hops, target] };
    if (hops.length >= MAX_HOPS) return { reason: 'too-many-hops', target };
    return this.isLate() ? { reason: 'deadline', target } : null;
  }

  private isLate(): boolean {
    return this.deadlineAt - this.now < 1;
  }

  /** Timers come late: what a wait has made too late is not sent. */
  private lateness(): Denial | null {
    if (!this.isLate()) return null;
    const denial: Denial = { reason: 'deadline', target: this.target.slugKey };
    return this.skips(denial) ? null : denial;
  }

  private deny(denied: Denial): CallResult {
    const counts = this.target.counts.denied;
    counts[denied.reason] = (counts[denied.reason] ?? 0) + 1;
    this.journey.noteFailedCall();
    return { ok: false, denied };
  }

  private countCall(): void {
    const { retryBudget, settings, counts } = this.target;
    counts.calls += 1;
    this.target.retryBudget = countCall(retryBudget, settings.retryBudget, this.startedAt);
  }

  /** Clears the next attempt; a promise only if it has to wait in the queue of its target. */
  private clear(): Clearance | Promise<Clearance> {
    const target = this.target;
    const { queue } = target.settings;
    const mayWait = queue !== null && target.waiting < queue.limit;
    // A place that is free only at the deadline would be waited for in vain.
    const maxWaitMs = mayWait ? Math.min(queue.deadlineMs, this.deadlineAt - this.now - 1) : 0;
    const clearance = this.context.rails.clear(target, this.request.priority, maxWaitMs, this, this.now);
    return clearance.clear && clearance.waitMs > 0 ? this.wait(clearance) : clearance;
  }

  private async wait(clearance: Cleared): Promise<Clearance> {
    const { rails, clock } = this.context;
    const { body } = this.request;
    // Until the request is sent nobody else need listen, and a stream that fails unheard would end the process. The failure is
    // told when it is sent.
    if (isStream(body)) body.on('error', () => undefined);
    this.target.waiting += 1;
    try {
      await pause(clock, clearance.waitMs, this.request.signal);
    } catch (gone) {
      rails.forgo(this.target, clearance, clock.now());
      throw gone;
    } finally {
      this.target.waiting -= 1;
    }
    this.now = clock.now();
    const confirmed = this.confirm(clearance);
    if (!confirmed.clear) rails.forgo(this.target, clearance, this.now);
    return confirmed;
  }

  private confirm(clearance: Cleared): Clearance {
    const denial = this.lateness();
    if (denial !== null) return { clear: false, denial };
    return this.context.rails.confirm(this.target, this.request.priority, clearance, this, this.now);
  }

  private begin(passage: Passage): CallAttempt {
    this.attempts += 1;
    return new CallAttempt(
      this.context,
      this.target,
      this.request,
      this.journey,
      passage,
      this.now,
      this.deadlineAt,
    );
  }

  /** How long to wait before the next attempt, taken from both budgets; null when there is none. */
  private retryWaitMs(outcome: Outcome, cause: RetryCause, failedBelow: boolean): number | null {
    const waitMs = this.backoffMs(outcome);
    const reason = this.reasonToWithhold(failedBelow, waitMs);
    if (reason !== null) return this.withhold(cause, reason);
    const retry = { target: this.target.slugKey, retry: this.attempts, cause, waitMs };
    this.context.events.emit('retry', retry);
    return waitMs;
  }

  /** Full jitter, but never sooner than the service asks for. */
  private backoffMs(outcome: Outcome): number {
    const { backoff } = this.target.settings;
    const ownMs = backoffMs(backoff, this.attempts, this.context.random);
    const askedMs = outcome.kind === 'response' ? retryAfterMs(outcome.response.headers) : null;
    return Math.max(ownMs, askedMs ?? 0);
  }

  /** The budgets come last, so that a retry that is not made costs nothing. */
  private reasonToWithhold(failedBelow: boolean, waitMs: number): WithholdReason | null {
    if (!this.request.retryable) return 'not-idempotent';
    if (failedBelow) return 'failed-below';
    const target = this.target;
    if (this.deadlineAt - this.now - waitMs < 1) return 'deadline';
    if (isShut(target.breaker, this.now + waitMs)) return 'breaker';
    const { retryBudget, settings } = target;
    const left = takeRetry(retryBudget, settings.retryBudget, this.now);
    if (left === null) return 'target-budget';
    if (!this.journey.spendRetry()) return 'tree-budget';
    target.retryBudget = left;
    return null;
  }

  private withhold(cause: RetryCause, reason: WithholdReason): null {
    this.context.events.emit('retry-withheld', { target: this.target.slugKey, cause, reason });
    return null;
  }

  /** Waits and clears the retry; null when the rails no longer let it pass. */
  private async waitToRetry(waitMs: number, outcome: Outcome): Promise<Passage | null> {
    const { clock } = this.context;
    const clearance = await this.unlessGone(async () => {
      await pause(clock, waitMs, this.request.signal);
      this.now = clock.now();
      const denial = this.lateness();
      return denial === null ? this.clear() : { clear: false as const, denial };
    }, outcome);
    if (clearance.clear) return clearance.passage;
    return this.withhold(retryCause(outcome) ?? 'unreachable', withholdReason(clearance.denial));
  }

  /** When the caller goes away while it waits, the response it will not see is let go. */
  private async unlessGone<T>(wait: () => Promise<T>, outcome: Outcome): Promise<T> {
    try {
      return await wait();
    } catch (gone) {
      letGo(outcome);
      this.now = this.context.clock.now();
      this.tell({ kind: 'aborted', reason: gone });
      throw gone;
    }
  }

  /** Ends with a failure that will not be tried again. */
  private fail(outcome: Outcome): CallResult {
    this.target.counts.failures += 1;
    this.journey.noteFailedCall();
    return this.finish(outcome);
  }

  private finish(outcome: Outcome): CallResult {
    this.tell(outcome);
    if (outcome.kind === 'aborted') throw outcome.reason;
    if (outcome.kind === 'misused') throw outcome.error;
    if (outcome.kind !== 'response') throw faultOf(outcome, this.target.slugKey);
    return { ok: true, response: outcome.response, attempts: this.attempts };
  }

  private tell(outcome: Outcome): void {
    const { events } = this.context;
    if (!events.hears('call')) return;
    events.emit('call', {
      target: this.target.slugKey,
      outcome: outcome.kind,
      status: outcome.kind === 'response' ? outcome.response.status : null,
      attempts: this.attempts,
      durationMs: this.now - this.startedAt,
    });
  }
}

/** As what a retry is told that was denied after its wait. */
function withholdReason({ reason }: Denial): WithholdReason {
  if (reason === 'deadline') return 'deadline';
  return reason === 'target-breaker' || reason === 'global-breaker' ? 'breaker' : 'rate';
}

/** Forgets a response nobody will read. Not waited for: its deadline bounds it. */
function letGo(outcome: Outcome): void {
  if (outcome.kind === 'response') void outcome.response.body.dump();
}
