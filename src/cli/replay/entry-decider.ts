import type { LogEntry, LoginEntry, RequestEntry } from '../../abuse/log-formats/log-entry.ts';
import { allow } from '../../core/decision.ts';
import { Fault } from '../../core/fault.ts';
import { parseAddress } from '../../identity/address.ts';
import type { LoginRoutes } from './login-routes.ts';
import type { Decide } from './replay.ts';
import { decisionOf, type ReplayDecision } from './replay-decision.ts';
import type { RequestJudge } from './request-decider.ts';

/** Who is asked about the entries of a log. */
export interface EntryJudges {
  /** About logins. */
  readonly login: Decide;
  /** About requests; null for logs that have none. */
  readonly request: RequestJudge | null;
  /** Sets the time of the stores. */
  readonly setTime: (t: number) => void;
  /** Requests that are logins too; null: none. */
  readonly routes: LoginRoutes | null;
  /** Told of a login that the log gives no name for. */
  readonly onNameless: () => void;
}

/** A way to decide the entries of a log. A request that is a login too gets one decision, with the reasons of both. */
export function decideEntries(
  judges: EntryJudges,
): (entry: LogEntry) => ReplayDecision | Promise<ReplayDecision> {
  return (entry) => {
    if (entry.t < 0) throw new Fault('INPUT_INVALID', 'the time must not be before 1970');
    return entry.kind === 'login' ? judges.login(entry) : decideRequest(entry, judges);
  };
}

function decideRequest(entry: RequestEntry, judges: EntryJudges): ReplayDecision | Promise<ReplayDecision> {
  // The limits ask a user for no address, and would take what stands there in a line of another form for one.
  if (entry.user !== null) parseAddress(entry.ip);
  judges.setTime(entry.t);
  const attempt = attemptOf(entry, judges);
  const decided = judges.request === null ? allow() : judges.request.decide(entry);
  // Nearly every request is no login, and its decision is handed on as it is: a promise would cost as much as a rule.
  return attempt === null ? decided : decideLogin(attempt, decided, judges);
}

async function decideLogin(
  attempt: LoginEntry,
  decided: ReplayDecision | Promise<ReplayDecision>,
  judges: EntryJudges,
): Promise<ReplayDecision> {
  const { reasons } = await decided;
  const decision = await judges.login(attempt);
  return reasons.length === 0
    ? decision
    : decisionOf([...decision.reasons, ...reasons], attempt.t, decision.mode);
}

function attemptOf(entry: RequestEntry, { routes, onNameless }: EntryJudges): LoginEntry | null {
  const attempt = routes?.attemptOf(entry) ?? null;
  if (attempt !== 'nameless') return attempt;
  onNameless();
  return null;
}
