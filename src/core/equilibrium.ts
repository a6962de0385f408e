import type { AccountDraft } from './account-draft.ts';
import type { Correlation } from './policy.ts';
import type { Ruling } from './ruling.ts';
import { countWithin, noteTime } from './times.ts';

/**
 * §8 anti-equilibrium: an account that keeps entering SOFT is being probed just below the thresholds. After three
 * entries the next failure is HARD.
 */
export function judgeEquilibrium(ruling: Ruling, { record, key }: AccountDraft, rule: Correlation): void {
  const { softs } = record;
  if (softs.length < rule.count || countWithin(softs, key.now, rule.windowMs) < rule.count) return;
  ruling.escalate('equilibrium', key, 2);
  record.softs = [];
}

/**
 * Notes that this operation has brought the account into SOFT, unless it was in one already or a HARD came with it.
 * `entered` says whether a SOFT was spoken on the account.
 */
export function noteSoft(ruling: Ruling, account: AccountDraft, rule: Correlation, entered: boolean): void {
  const { record, key, wasSoft } = account;
  if (!entered || wasSoft || ruling.hasHard('K4')) return;
  record.softs = noteTime(record.softs, key.now, rule.count);
}
