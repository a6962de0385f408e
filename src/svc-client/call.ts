import { backoffMs } from './backoff.ts';
import { type AttemptContext, type AttemptResult, faultOf, makeAttempt } from './call-attempt.ts';
import { type CheckpointCounters, denies } from './checkpoint.ts';
import { pause } from './clock.ts';
import type { Denial } from './denial.ts';
import { closesSecondCycle } from './hops.ts';
import type { Journey } from './journey.ts';
import { MAX_HOPS } from './passport.ts';
import type { Clearance } from './rails.ts';
import type { PreparedRequest } from './request.ts';
import { retryAfterMs } from './retry-after.ts';
import { type RetryCause, retryCause, type WithholdReason } from './retry-rules.ts';
import type { Target } from './target.ts';
import type { Passage } from './target-breaker.ts';
import { countCall, takeRetry } from './target-retry-budget.ts';
import type { Outcome, SvcResponse } from './transport.ts';

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
export class Call {
  readonly #context: CallContext;
  readonly #target: Target;
  readonly #request: PreparedRequest;
  readonly #journey: Journey;
  readonly #startedAt: number;
  readonly #deadlineAt: number;
  #retries = 0;

  constructor(context: CallContext, target: Target, request: PreparedRequest, journey: Journey) {
    this.#context = context;
    this.#target = target;
    this.#request = request;
    this.#journey = journey;
    this.#startedAt = context.clock.now();
    const ownMs = request.deadlineMs ?? context.settings.deadlineMs;
    this.#deadlineAt = Math.min(journey.callsUntil, this.#startedAt + ownMs);
  }

  async run(): Promise<CallResult> {
    const objection = this.#objection();
    if (objection !== null && this.#denies(objection)) return this.#deny(objection);
    const first = await this.#clear((denial) => !this.#denies(denial));
    if (!first.clear) return this.#deny(first.denial);
    this.#countCall();
    let result = await this.#attempt(first.passage);
    for (;;) {
      const waitMs = this.#retryWaitMs(result);
      if (waitMs === null) return this.#finish(result.outcome);
      const passage = await this.#waitToRetry(waitMs, result.outcome);
      if (passage === null) return this.#finish(result.outcome);
      letGo(result.outcome);
      result = await this.#attempt(passage);
    }
  }

  /** What speaks against the call before any limit is looked at. */
  #objection(): Denial | null {
    const { hops } = this.#journey;
    const target = this.#target.slugKey;
    if (closesSecondCycle(hops, target)) return { reason: 'loop', target, hops: [...hops, target] };
    if (hops.length >= MAX_HOPS) return { reason: 'too-many-hops', target };
    return this.#remainingMs() < 1 ? { reason: 'deadline', target } : null;
  }

  #remainingMs(): number {
    return this.#deadlineAt - this.#context.clock.now();
  }

  #denies(denial: Denial): boolean {
    return denies(this.#context, denial, 'client', this.#journey.requestId);
  }

  #deny(denied: Denial): CallResult {
    const counts = this.#target.counts.denied;
    counts[denied.reason] = (counts[denied.reason] ?? 0) + 1;
    this.#journey.noteFailedCall();
    return { ok: false, denied };
  }

  #countCall(): void {
    const { retryBudget, settings, counts } = this.#target;
    counts.calls += 1;
    this.#target.retryBudget = countCall(retryBudget, settings.retryBudget, this.#startedAt);
  }

  /** Clears the next attempt, waiting in the queue if the target has one. */
  async #clear(skips: (denial: Denial) => boolean): Promise<Clearance> {
    const { rails } = this.#context;
    const target = this.#target;
    const { queue } = target.settings;
    const maxWaitMs =
      queue === null || target.waiting >= queue.limit ? 0 : Math.min(queue.deadlineMs, this.#remainingMs());
    const clearance = rails.clear(target, this.#request.priority, maxWaitMs, skips);
    if (!clearance.clear || clearance.waitMs === 0) return clearance;
    target.waiting += 1;
    try {
      await pause(this.#context.clock, clearance.waitMs, this.#request.signal);
    } catch (gone) {
      rails.record(target, clearance.passage, 'none');
      throw gone;
    } finally {
      target.waiting -= 1;
    }
    return rails.confirm(target, clearance, skips);
  }

  #attempt(passage: Passage): Promise<AttemptResult> {
    return makeAttempt(this.#context, this.#target, this.#request, this.#journey, passage, this.#deadlineAt);
  }

  /** How long to wait before the next attempt, taken from both budgets; null when there is none. */
  #retryWaitMs({ outcome, failedBelow }: AttemptResult): number | null {
    const cause = retryCause(outcome);
    if (cause === null) return null;
    const waitMs = this.#backoffMs(outcome);
    const reason = this.#reasonToWithhold(failedBelow, waitMs);
    if (reason !== null) return this.#withhold(cause, reason);
    this.#retries += 1;
    this.#target.counts.retries += 1;
    const retry = { target: this.#target.slugKey, retry: this.#retries, cause, waitMs };
    this.#context.events.emit('retry', retry);
    return waitMs;
  }

  /** Full jitter, but never sooner than the service asks for. */
  #backoffMs(outcome: Outcome): number {
    const { backoff } = this.#target.settings;
    const ownMs = backoffMs(backoff, this.#retries + 1, this.#context.random);
    const askedMs = outcome.kind === 'response' ? retryAfterMs(outcome.response.headers) : null;
    return Math.max(ownMs, askedMs ?? 0);
  }

  /** The budgets come last, so that a retry that is not made costs nothing. */
  #reasonToWithhold(failedBelow: boolean, waitMs: number): WithholdReason | null {
    if (!this.#request.retryable) return 'not-idempotent';
    if (failedBelow) return 'failed-below';
    if (this.#remainingMs() - waitMs < 1) return 'deadline';
    if (this.#context.rails.isShut(this.#target, waitMs)) return 'breaker';
    const target = this.#target;
    const { retryBudget, settings } = target;
    const left = takeRetry(retryBudget, settings.retryBudget, this.#context.clock.now());
    if (left === null) return 'target-budget';
    if (!this.#journey.spendRetry()) return 'tree-budget';
    target.retryBudget = left;
    return null;
  }

  #withhold(cause: RetryCause, reason: WithholdReason): null {
    this.#context.events.emit('retry-withheld', { target: this.#target.slugKey, cause, reason });
    return null;
  }

  /** Waits and clears the retry; null when the rails no longer let it pass. */
  async #waitToRetry(waitMs: number, outcome: Outcome): Promise<Passage | null> {
    const { clock, settings } = this.#context;
    const clearance = await this.#unlessGone(async () => {
      await pause(clock, waitMs, this.#request.signal);
      return this.#clear(({ reason }) => settings.shadow.has(reason));
    }, outcome);
    if (clearance.clear) return clearance.passage;
    const { reason } = clearance.denial;
    const breaker = reason === 'target-breaker' || reason === 'global-breaker';
    this.#withhold(retryCause(outcome) ?? 'unreachable', breaker ? 'breaker' : 'rate');
    return null;
  }

  /** When the caller goes away while it waits, the response it will not see is let go. */
  async #unlessGone<T>(wait: () => Promise<T>, outcome: Outcome): Promise<T> {
    try {
      return await wait();
    } catch (gone) {
      letGo(outcome);
      this.#tell({ kind: 'aborted', reason: gone });
      throw gone;
    }
  }

  #finish(outcome: Outcome): CallResult {
    this.#tell(outcome);
    if (retryCause(outcome) !== null) {
      this.#target.counts.failures += 1;
      this.#journey.noteFailedCall();
    }
    if (outcome.kind === 'aborted') throw outcome.reason;
    if (outcome.kind !== 'response') throw faultOf(outcome, this.#target.slugKey);
    return { ok: true, response: outcome.response, attempts: this.#retries + 1 };
  }

  #tell(outcome: Outcome): void {
    const { events, clock } = this.#context;
    if (!events.hears('call')) return;
    events.emit('call', {
      target: this.#target.slugKey,
      outcome: outcome.kind,
      status: outcome.kind === 'response' ? outcome.response.status : null,
      attempts: this.#retries + 1,
      durationMs: clock.now() - this.#startedAt,
    });
  }
}

/** Forgets a response nobody will read. Not waited for: its deadline bounds it. */
function letGo(outcome: Outcome): void {
  if (outcome.kind === 'response') void outcome.response.body.dump();
}
