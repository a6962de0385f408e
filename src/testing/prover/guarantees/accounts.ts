import { DAY_MS } from '../../../core/duration.ts';
import { rememberedLevel } from '../../../core/ladder.ts';
import type { CredentialPolicy } from '../../../core/policy.ts';
import { otherAgentKey } from '../../../core/request.ts';
import type { AccountRecord } from '../../../core/state.ts';
import { isWithin } from '../../../core/times.ts';
import type { Operated } from '../proof-engine.ts';
import { failure, type Guarantee, matrix } from './guarantee.ts';
import { accountIn, acquaintance, liveRecord, standingIn } from './view.ts';

/** What an account keeps and whom it lets in. */

export const rotationResetsNothing: Guarantee = {
  id: 'rotation-resets-nothing',
  concerns: 'credentials',
  says: 'Whoever comes next, an account’s score falls by decay alone, and its level, blocks and counted failures stay.',
  promised: [matrix('Device rotation does not reset account memory')],
  breach: (operated) => {
    const { policy } = operated.call;
    const was = accountIn(operated.before, operated);
    const is = accountIn(operated.after, operated);
    if (policy.kind !== 'credential' || was === undefined || was === is) return null;
    return is === undefined ? 'an account’s record is gone' : lossOf(was, is, policy);
  },
};

function lossOf(
  was: AccountRecord,
  is: AccountRecord,
  { score, ladder, budget }: CredentialPolicy,
): string | null {
  const steps = Math.max(0, Math.floor((is.at - was.standing.scoreAt) / score.decayMs.account));
  if (is.standing.score < was.standing.score - steps)
    return `the account’s score fell from ${was.standing.score} to ${is.standing.score}`;
  const levelOf = ({ standing }: AccountRecord) =>
    rememberedLevel(standing.memory, standing.hardUntil, is.at, ladder);
  if (levelOf(is) < levelOf(was)) return 'the account forgot its level before its time';
  if (is.at < was.standing.hardUntil && is.standing.hardUntil < was.standing.hardUntil)
    return 'the account’s block was shortened';
  const hasStarted = was.budget.epochStart !== null || is.budget.epochStart !== null;
  if (hasStarted || is.budget.failures.length >= budget.threshold) return null;
  const lost = was.budget.failures.find(
    (at) => isWithin(at, is.at, DAY_MS) && !is.budget.failures.includes(at),
  );
  return lost === undefined ? null : 'a counted failure is gone';
}

export const deviceAwareness: Guarantee = {
  id: 'missing-device-counts',
  concerns: 'credentials',
  says: 'A failure without a device raises the score of its agent and counts towards the account’s budget.',
  promised: [matrix('Device awareness is mandatory')],
  breach: (operated) => {
    const { op, call, t, decision } = operated;
    const { keys, subject } = call.request;
    if (op !== 'fail' || subject.device !== null || wasBlocked(operated)) return null;
    const agents = [keys.agent, otherAgentKey(call.request)].map((key) =>
      liveRecord(operated.after, key, t, call.policy),
    );
    if (!agents.some((agent) => agent !== undefined && agent.at >= t && agent.standing.score > 0))
      return `a missing device cost its agent nothing (${decision.outcome})`;
    const budget = accountIn(operated.after, operated)?.budget;
    const isCounted = budget !== undefined && (budget.epochStart !== null || budget.failures.at(-1) === t);
    return isCounted ? null : 'a missing device was not counted towards the budget';
  },
};

/** Whether a block ran that closed a group to the request. */
const wasBlocked = ({ decision }: Operated): boolean =>
  decision.reasons.some(({ rule, outcome }) => rule === 'blocked' && outcome === 'HARD_BLOCK');

export const failuresLeaveAMark: Guarantee = {
  id: 'failures-leave-a-mark',
  concerns: 'every policy',
  says: 'Wrong credentials that were looked at are noted in the account, and no running block is passed.',
  promised: [failure('Authentication is never silently unprotected')],
  breach: (operated) => passedBlock(operated) ?? unnoted(operated),
};

const own = ['K5', 'K3', 'D'] as const;
const account = ['K4', 'K2'] as const;
const network = ['K1', 'P48', 'P40'] as const;

/** Whom a block stops is told here once more, apart from the core (engine contract §4). */
function passedBlock(operated: Operated): string | null {
  const { op, call, decision, before } = operated;
  const { known, trusted } = acquaintance(operated);
  const meant = [...own, ...(trusted && call.policy.ownerLane ? [] : account), ...(known ? [] : network)];
  const passed = meant.find((scope) => {
    const stood = standingIn(before, operated, scope);
    return stood !== null && stood.now < stood.standing.hardUntil;
  });
  return passed !== undefined && decision.outcome !== 'HARD_BLOCK'
    ? `${op} passed a running block on ${passed}`
    : null;
}

function unnoted(operated: Operated): string | null {
  const { op, t } = operated;
  if (op !== 'fail' || wasBlocked(operated)) return null;
  const is = accountIn(operated.after, operated);
  return is !== undefined && is !== accountIn(operated.before, operated) && is.at >= t
    ? null
    : 'a failure left nothing behind in its account';
}

export const trustedOwnerGetsIn: Guarantee = {
  id: 'trusted-owner-gets-in',
  concerns: 'credentials',
  says: 'Whatever others do to the account, a trusted device is stopped by its own failures only.',
  promised: [failure('RateLimiter cannot be used as a permanent lockout lever')],
  breach: (operated) => {
    const { op, decision } = operated;
    if (op === 'fail' || !acquaintance(operated).trusted || decision.outcome === 'ALLOW' || decision.deferred)
      return null;
    const others = decision.reasons.find(
      ({ scope, outcome, rule }) =>
        outcome === decision.outcome && rule === 'blocked' && !own.some((mine) => mine === scope),
    );
    return others === undefined
      ? null
      : `a trusted device was refused at ${op} by ${others.scope}, level ${others.level}`;
  },
};
