import { type Budget, freshBudget, isBudgetSoft, presentBudget } from './budget.ts';
import { type CredentialPolicy, isInShadow } from './policy.ts';
import type { Judged } from './ruling.ts';
import { cleanStanding, isSoftBlocked } from './standing.ts';
import type { AccountDevice, AccountRecord } from './state.ts';
import { emptyWatchedWindow } from './watch.ts';

/** An account's record opened for one operation: rules change the draft, the step stores it. */
export interface AccountDraft {
  readonly record: AccountRecord;
  /** K5 entries that are the draft's own; the others are still the stored record's. */
  opened: readonly AccountDevice[];
  /** K4 as the rules judge it. */
  readonly key: Judged;
  /** The request's own K5 entry, if it has one. */
  ownDevice: AccountDevice | null;
  /** Whether a SOFT, stored or of the budget, was running before this operation. */
  readonly wasSoft: boolean;
}

export const emptyAccount: AccountRecord = {
  at: 0,
  standing: cleanStanding,
  missingAt: null,
  devices: [],
  devicesMadeAt: [],
  rotation: emptyWatchedWindow,
  rotations: [],
  flood: emptyWatchedWindow,
  floodUntil: 0,
  softs: [],
  budget: freshBudget,
};

/** Copies the record, or an empty one, at the time inside it; a budget whose epoch has ended starts anew. */
export function openAccount(
  stored: AccountRecord | undefined,
  t: number,
  policy: CredentialPolicy,
): AccountDraft {
  const source = stored ?? emptyAccount;
  const now = Math.max(t, source.at);
  const record = copyAccount(source, now, presentBudget(source.budget, now, policy.budget));
  const key: Judged = { scope: 'K4', holder: record, now, own: true };
  const wasSoft =
    isSoftBlocked(record.standing, now) ||
    (isBudgetSoft(record.budget, now) && !isInShadow(policy, 'budget'));
  return { record, opened: noneOpened, key, ownDevice: null, wasSoft };
}

const noneOpened: readonly AccountDevice[] = [];

/** Names the fields instead of spreading them, which costs ten times as much. */
function copyAccount(source: AccountRecord, at: number, budget: Budget): AccountRecord {
  return {
    at,
    standing: source.standing,
    missingAt: source.missingAt,
    devices: source.devices,
    devicesMadeAt: source.devicesMadeAt,
    rotation: source.rotation,
    rotations: source.rotations,
    flood: source.flood,
    floodUntil: source.floodUntil,
    softs: source.softs,
    budget,
  };
}
