import type { CredentialPolicy } from '../../core/policy.ts';
import { remembered, type Standing } from '../../core/standing.ts';
import type { AccountRecord } from '../../core/state.ts';
import { countWithin } from '../../core/times.ts';
import { knownDeviceOf, victimIn } from './account-kind.ts';
import { type Act, ownerSignals } from './cast.ts';
import type { State } from './play.ts';

/** With a device of the guesser's own, without one, and on a known one of the owner's are three ways to guess. */
export interface Ways {
  readonly device: boolean;
  readonly none: boolean;
  readonly known: boolean;
}

export function waysOf(acts: readonly Act[]): Ways {
  const ids = acts.map((act) => act.signals(0).device?.id);
  const known = ownerSignals('known').device?.id;
  return {
    device: ids.some((id) => id !== undefined && id !== known),
    none: ids.includes(undefined),
    known: ids.includes(known),
  };
}

/** A way to guess: how long it is still held up, and how long it takes from one guess to the next. */
interface Channel {
  readonly heldUpMs: number;
  readonly everyMs: number;
}

/**
 * When the account will have forgotten what it holds against the guesser: earlier is better. What holds one way of guessing
 * up counts by its share in the pace of all.
 */
export function paceOf({ records, t }: State, policy: CredentialPolicy, ways: Ways): number {
  const account = victimIn(records);
  if (account === undefined) return t;
  const channels = channelsOf(account, t, policy, ways).map(({ heldUpMs, everyMs }) => ({
    heldUpMs,
    pace: 1 / Math.max(1, everyMs),
  }));
  const whole = channels.reduce((sum, { pace }) => sum + pace, 0);
  const heldUpMs = channels.reduce((sum, { heldUpMs: ms, pace }) => sum + (ms * pace) / whole, 0);
  return t + Math.max(0, account.standing.hardUntil - t) + heldUpMs;
}

function channelsOf(account: AccountRecord, t: number, policy: CredentialPolicy, ways: Ways): Channel[] {
  const { score } = policy;
  const { standing, missingAt } = account;
  const again = score.missingDeviceAgainMs;
  const channels: Channel[] = [];
  // A guess without a device costs points as well when it comes too soon.
  if (ways.device || ways.none) {
    const { heldUpMs, everyMs } = scoredChannel(standing, score.newDevice, score.decayMs.account, t);
    channels.push({ heldUpMs: heldUpMs + suspicionMs(account, t, policy), everyMs });
  }
  if (ways.none)
    channels.push({ heldUpMs: missingAt === null ? 0 : Math.max(0, missingAt + again - t), everyMs: again });
  const known = knownDeviceOf(account)?.standing;
  if (ways.known && known !== undefined)
    channels.push(scoredChannel(known, score.knownDevice, score.decayMs.accountDevice, t));
  return channels;
}

function scoredChannel(standing: Standing, delta: number, decayMs: number, t: number): Channel {
  const heldUpMs = standing.score * decayMs - Math.min(decayMs, t - standing.scoreAt);
  return { heldUpMs, everyMs: delta * decayMs };
}

/** Points are forgotten at half the speed after a block, and three entries into SOFT lead to one. */
function suspicionMs({ standing, softs }: AccountRecord, t: number, policy: CredentialPolicy): number {
  const { ladder, correlation } = policy;
  const slowMs = remembered(standing, t, ladder) >= 2 ? (ladder.memoryMs[1] ?? 0) / 2 : 0;
  return slowMs + (countWithin(softs, t, correlation.equilibrium.windowMs) * ladder.decayPauseMs) / 2;
}
