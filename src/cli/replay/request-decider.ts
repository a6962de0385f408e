import type { ScenarioFinding } from '../../abuse/events.ts';
import type { RequestEntry } from '../../abuse/log-formats/log-entry.ts';
import type { RequestEvent } from '../../abuse/request-event.ts';
import type { ScenarioRun } from '../../abuse/run-scenarios.ts';
import type { SignKey } from '../../abuse/scenario.ts';
import type { Call } from '../../limits/call.ts';
import { ladder } from '../../limits/client-record.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { Verdict } from '../../limits/verdict.ts';
import { decisionOf, type ReplayDecision, type ReplayReason } from './replay-decision.ts';
import { type BlockBegun, RunningBlocks } from './running-blocks.ts';
import { Suspects } from './suspects.ts';

const UNAUTHORIZED = 401;
const REFUSED = 429;

/** Decides on requests. */
export interface RequestJudge {
  /** @throws Fault `INPUT_INVALID` when the request's `ip` is no address */
  decide(entry: RequestEntry): ReplayDecision | Promise<ReplayDecision>;
}

/** Asks a judge once about each request, though two sides want to know. */
export function askedOnce(judge: RequestJudge): RequestJudge {
  let asked: RequestEntry | null = null;
  let answer: ReplayDecision | Promise<ReplayDecision> | null = null;
  return {
    decide(entry) {
      if (asked !== entry || answer === null) {
        answer = judge.decide(entry);
        asked = entry;
      }
      return answer;
    },
  };
}

/**
 * Asks the limiter and the scenarios about requests of a log, at the log's own time. A refusal for an empty bucket, and the
 * quiet degradation of a caller, are SOFT blocks until they end; a block is a HARD one, at the level of its length.
 */
export class RequestDecider implements RequestJudge {
  readonly #limiter: Limiter;
  readonly #scenarios: ScenarioRun | null;
  readonly #suspects = new Suspects();
  readonly #blocks = new RunningBlocks();

  readonly #eventOf: (entry: RequestEntry) => RequestEvent;

  /** @param readEvent default {@link eventOf} */
  constructor(
    limiter: Limiter,
    scenarios: ScenarioRun | null,
    readEvent: (entry: RequestEntry) => RequestEvent = eventOf,
  ) {
    this.#limiter = limiter;
    this.#scenarios = scenarios;
    this.#eventOf = readEvent;
  }

  /** The limiter speaks first. */
  decide(entry: RequestEntry): ReplayDecision | Promise<ReplayDecision> {
    const event = this.#eventOf(entry);
    const call = this.#callOf(event, entry);
    const verdict = this.#limiter.takeAtOnce?.(call) ?? this.#limiter.take(call);
    return verdict instanceof Promise
      ? verdict.then((later) => this.#conclude(event, later, entry))
      : this.#conclude(event, verdict, entry);
  }

  #conclude(event: RequestEvent, verdict: Verdict, entry: RequestEntry): ReplayDecision {
    const reasons = verdict.rule === null ? noReasons : [this.#reasonOf(verdict, event, entry.t)];
    if (verdict.rule === 'blocked' || verdict.skipped !== null || this.#scenarios === null)
      return decisionOf(reasons, entry.t);
    // What is over its limit would have been answered with 429, whatever the log says.
    const findings = this.#scenarios.observe(
      verdict.allowed ? event : { ...event, status: REFUSED },
      entry.t,
    );
    const all =
      findings.length === 0 ? reasons : this.#withFindings(reasons, findings, verdict, event, entry);
    return decisionOf(all, entry.t);
  }

  /** With the caller's standing, where something may be held against it. */
  #callOf(event: RequestEvent, entry: RequestEntry): Call {
    if (this.#scenarios === null || !this.#suspects.mayInclude(entry)) return event;
    return { ...event, standing: this.#scenarios.standing(event, entry.t) };
  }

  #withFindings(
    reasons: readonly ReplayReason[],
    findings: readonly ScenarioFinding[],
    verdict: Verdict,
    event: RequestEvent,
    entry: RequestEntry,
  ): readonly ReplayReason[] {
    const all = [...reasons];
    for (const finding of findings) {
      if (finding.shadow) continue;
      this.#suspects.note(finding, entry);
      all.push(this.#foundReason(finding, verdict, event, entry.t));
    }
    return all;
  }

  #reasonOf({ rule, caller, retryAfterMs }: Verdict, event: RequestEvent, t: number): ReplayReason {
    const scope = caller === 'user' ? 'K4' : 'K2';
    const until = t + retryAfterMs;
    if (rule === 'limit') return { rule, scope, outcome: 'SOFT_BLOCK', level: 1, until };
    const begun = rule === 'blocked' ? this.#blocks.find(event, until) : null;
    const block = begun ?? { scope, level: levelOf(retryAfterMs) };
    if (rule !== 'blocked') this.#blocks.note(event, until, block);
    return hardReason(rule ?? 'blocked', block, until);
  }

  #foundReason(
    { scenario, what, key, until }: ScenarioFinding,
    { caller }: Verdict,
    event: RequestEvent,
    t: number,
  ): ReplayReason {
    const end = until ?? t;
    const scope = scopeOf(key, caller);
    if (what !== 'blocked') return { rule: scenario, scope, outcome: 'SOFT_BLOCK', level: 1, until: end };
    const block = { scope, level: levelOf(end - t) };
    this.#blocks.note(event, end, block);
    return hardReason(scenario, block, end);
  }
}

function hardReason(rule: string, { scope, level }: BlockBegun, until: number): ReplayReason {
  return { rule, scope, outcome: 'HARD_BLOCK', level, until };
}

const noReasons: readonly ReplayReason[] = [];

/** A server logs a name that it has not let in as well. */
function eventOf({ method, path, ip, ua, status, user }: RequestEntry): RequestEvent {
  return { method: method.toUpperCase(), path, ip, ua, user: status === UNAUTHORIZED ? null : user, status };
}

/** The same event for both sides, so that what one of them finds out about it serves the other. */
export function eventOnce(): (entry: RequestEntry) => RequestEvent {
  let asked: RequestEntry | null = null;
  let event: RequestEvent | null = null;
  return (entry) => {
    if (asked !== entry || event === null) {
      asked = entry;
      event = eventOf(entry);
    }
    return event;
  };
}

/** The key of the engine that a sign counts by; signs that rest on something else are named as they are. */
function scopeOf(key: SignKey, caller: Verdict['caller']): string {
  if (key === 'network') return 'K1';
  if (key === 'user' || (key === 'client' && caller === 'user')) return 'K4';
  return key === 'client' ? 'K2' : key;
}

/** The lowest level whose blocks last that long. */
function levelOf(durationMs: number): number {
  const index = ladder.durationsMs.findIndex((levelMs) => levelMs >= durationMs);
  return index < 0 ? ladder.durationsMs.length : index + 1;
}
