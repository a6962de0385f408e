import { findAccountDevice } from './account-devices.ts';
import { isBudgetSoft, presentBudget, renewBudget } from './budget.ts';
import { draftOf, type Opened, openDraft, storeDraft } from './draft.ts';
import { type CredentialPolicy, isInShadow } from './policy.ts';
import { accountKind } from './record-kinds.ts';
import type { Draft, Key, Records } from './records.ts';
import type { Request } from './request.ts';
import { isSoftBlocked } from './standing.ts';
import type { AccountDevice, AccountRecord } from './state.ts';
import type { Token } from './subject.ts';
import { renameSeen } from './watch.ts';

/** An account's record opened for one operation: K4 as the rules judge it, and its K5 entries. */
export interface AccountDraft {
  readonly key: Opened<AccountRecord>;
  readonly record: Draft<AccountRecord>;
  /** The K5 entry of the request's own device, if it has one. */
  ownDevice: Draft<AccountDevice> | null;
  /** Whether a SOFT, stored or of the budget, was running before this operation. */
  readonly wasSoft: boolean;
}

export function openAccount(
  records: Records,
  key: Key<AccountRecord>,
  t: number,
  { subject, policy }: Request<CredentialPolicy>,
): AccountDraft {
  const draft = draftOf(records, key, accountKind);
  const opened = openDraft(draft, draft?.at, key, accountKind, t, policy.retention.recordMs);
  const { holder: record, now } = opened;
  const budget = presentBudget(record.budget, now, policy.budget);
  const wasSoft =
    isSoftBlocked(record.standing, now) || (isBudgetSoft(budget, now) && !isInShadow(policy, 'budget'));
  const { device } = subject;
  const ownDevice = device === null ? null : (findAccountDevice(record.devices, device.token) ?? null);
  return { key: opened, record, ownDevice, wasSoft };
}

/**
 * From here on the operation changes the account: a budget whose epoch has ended starts anew, and the request's device has
 * one name everywhere. Windows block their devices by name: one that had another name there than its entry would go free.
 */
export function beginChange(
  { record, key }: AccountDraft,
  { budget }: CredentialPolicy,
  device: Token | null,
): void {
  renewBudget(record.budget, key.now, budget);
  if (device?.was) renameDevice(record, device.was, device.hash);
}

function renameDevice({ devices, rotation, flood }: Draft<AccountRecord>, from: string, to: string): void {
  for (const device of devices) if (device.id === from) device.id = to;
  renameSeen(rotation, from, to);
  renameSeen(flood, from, to);
}

export function writeAccount(
  records: Records,
  { key, record }: AccountDraft,
  t: number,
  { retention }: CredentialPolicy,
): void {
  record.at = key.now;
  storeDraft(records, key, record.standing, t, retention.recordMs, record.devices);
}
