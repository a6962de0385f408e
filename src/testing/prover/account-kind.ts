import { MINUTE_MS } from '../../core/duration.ts';
import type { CredentialPolicy } from '../../core/policy.ts';
import { remembered } from '../../core/standing.ts';
import type { AccountDevice, AccountRecord } from '../../core/state.ts';
import { countWithin } from '../../core/times.ts';
import { kindOf } from './boundaries.ts';
import { ownerSignals, VICTIM } from './cast.ts';
import type { State } from './play.ts';
import type { RecordMap } from './proof-engine.ts';

/** The attacked account's record. */
export function victimIn(records: RecordMap): AccountRecord | undefined {
  for (const [text, record] of records)
    if (kindOf(text) === 'K4' && text.endsWith(`{${VICTIM}}`)) return record as AccountRecord;
  return undefined;
}

/** What the account holds against the owner's known device. */
export function knownDeviceOf({ devices }: AccountRecord): AccountDevice | undefined {
  return devices.find(({ id }) => id === ownerSignals('known').device?.id);
}

/** How an account stands, in so few words that many states share them; times in steps of five minutes. */
export function accountKind({ records, t }: State, { ladder, score, correlation }: CredentialPolicy): string {
  const account = victimIn(records);
  if (account === undefined) return '';
  const { standing, missingAt, softs, budget, rotations } = account;
  const known = knownDeviceOf(account)?.standing;
  const steps = (ms: number, most: number) => Math.max(-2, Math.min(most, Math.floor(ms / (5 * MINUTE_MS))));
  return [
    standing.score,
    steps(t - standing.scoreAt, 4),
    remembered(standing, t, ladder),
    missingAt === null ? -9 : steps(t - missingAt, Math.ceil(score.missingDeviceAgainMs / (5 * MINUTE_MS))),
    countWithin(softs, t, correlation.equilibrium.windowMs),
    budget.epochStart !== null,
    rotations.length,
    known === undefined
      ? -9
      : `${known.score} ${steps(t - known.scoreAt, 2)} ${remembered(known, t, ladder)}`,
  ].join();
}
