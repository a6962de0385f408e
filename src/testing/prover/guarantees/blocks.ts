import { type Reason, type Scope, scopes } from '../../../core/decision.ts';
import { HOUR_MS, MINUTE_MS } from '../../../core/duration.ts';
import type { Policy } from '../../../core/policy.ts';
import type { Key } from '../../../core/records.ts';
import { seenIn } from '../../../core/watch.ts';
import type { Operated } from '../proof-engine.ts';
import { type Guarantee, matrix } from './guarantee.ts';
import { acquaintance, liveRecord, standingIn } from './view.ts';

/** How blocks come about, grow and end. */

const isAdvisory = (scope: Scope): boolean => scope === 'K1' || scope === 'P48' || scope === 'P40';

/** HARD blocks on the request's own keys that this operation has set. */
const freshBlocks = ({ decision }: Operated): readonly Reason[] =>
  decision.reasons.filter(({ rule, outcome }) => outcome === 'HARD_BLOCK' && rule !== 'blocked');

export const noSingleSignal: Guarantee = {
  id: 'no-single-signal',
  concerns: 'credentials',
  says: 'A first failure of which nothing was known is never HARD, and no address is blocked for one account’s failures.',
  promised: [matrix('No decision is based on a single signal')],
  breach: (operated) => {
    const { op, call } = operated;
    if (op !== 'fail') return null;
    const [block] = freshBlocks(operated);
    if (block !== undefined && isUnheardOf(operated))
      return `the first failure ever was HARD on ${block.scope}`;
    const advisory = freshBlocks(operated).find(({ scope, rule }) => isAdvisory(scope) && rule !== 'prefix');
    if (advisory === undefined || call.policy.kind !== 'credential') return null;
    return accountsSeen(operated) < 2
      ? `${advisory.scope} was blocked for the failures of one account`
      : null;
  },
};

function isUnheardOf({ call, before, t }: Operated): boolean {
  const { keys, subject, keyspace } = call.request;
  const { account, network, agent, networkDevice, device, p48, p40 } = keys;
  const p32 = subject.macros && keyspace.macro('P32', subject.macros.p32);
  const all: readonly (Key | null)[] = [account, network, agent, networkDevice, device, p48, p40, p32];
  return all.every((key) => liveRecord(before, key, t, call.policy) === undefined);
}

function accountsSeen({ call, before, t }: Operated): number {
  const { keys, subject } = call.request;
  const network = liveRecord(before, keys.network, t, call.policy);
  const seen = network === undefined ? [] : seenIn(network.spray);
  return new Set([...seen.map(({ id }) => id), subject.account?.hash]).size;
}

export const ipOnlyIsNeverFinal: Guarantee = {
  id: 'ip-only-is-never-final',
  concerns: 'every policy',
  says: 'A block that rests on an IP prefix alone ends within an hour and never stops a device that the account knows.',
  promised: [matrix('IP-only blocking is never final')],
  breach: (operated) => {
    const { op, t, decision } = operated;
    const { known } = acquaintance(operated);
    for (const { scope, outcome, until, level } of decision.reasons) {
      if (!isAdvisory(scope) || outcome !== 'HARD_BLOCK') continue;
      if (known && op !== 'consume') return `${op} of a known device was stopped by ${scope}`;
      if (until - t > HOUR_MS) return `${scope} is blocked at level ${level} for ${until - t} ms`;
    }
    return null;
  },
};

/** As long as every HARD level is remembered at least. */
const REMEMBERED_MS = 10 * MINUTE_MS;

export const escalationPersists: Guarantee = {
  id: 'escalation-persists',
  concerns: 'every policy',
  says: 'Who is blocked again by an escalating rule within 10 min of the end of a block goes a level up, to the top.',
  promised: [matrix('Progressive escalation with persistence')],
  breach: (operated) => {
    for (const { scope, rule, level } of freshBlocks(operated)) {
      const stood = standingIn(operated.before, operated, scope);
      if (stood === null || (rule === 'score' && level <= 2)) continue;
      const { hardLevel, hardUntil } = stood.standing;
      const isRemembered = hardLevel > 0 && stood.now < hardUntil + REMEMBERED_MS;
      const expected = Math.min(hardLevel + 1, highestLevel(scope, operated.call.policy));
      if (isRemembered && level < expected)
        return `${rule} on ${scope} gave level ${level} soon after a block of level ${hardLevel}`;
    }
    return null;
  },
};

function highestLevel(scope: Scope, { ladder }: Policy): number {
  return isAdvisory(scope) ? Math.min(ladder.maxLevel, ladder.maxAdvisoryLevel) : ladder.maxLevel;
}

/** Whether a block that ran was changed; what arrives while it runs neither lengthens nor ends it. */
export function changedBlock(operated: Operated): string | null {
  for (const scope of scopes) {
    const was = standingIn(operated.before, operated, scope);
    if (was === null || was.now >= was.standing.hardUntil) continue;
    const is = standingIn(operated.after, operated, scope);
    if (is === null) return `${scope} was dropped while its block ran`;
    if (is.standing.hardUntil !== was.standing.hardUntil || is.standing.hardLevel !== was.standing.hardLevel)
      return `the block on ${scope} was changed while it ran`;
  }
  return null;
}
