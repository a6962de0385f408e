import { escalate } from '../core/ladder.ts';
import type { Records } from '../core/records.ts';
import { blockHard, isHardBlocked, lift, remembered } from '../core/standing.ts';
import { admit } from './agent-admission.ts';
import type { ClientKeys } from './client-keys.ts';
import { emptyClient, ladder, writeClient } from './client-record.ts';

/** Ends a block by hand; what is remembered of it stays. False when none was running. */
export function liftBlock(records: Records, keys: ClientKeys, t: number): boolean {
  const { key, record } = admit(records, keys, t);
  const now = Math.max(t, record?.at ?? t);
  if (record === undefined || !isHardBlocked(record, now)) return false;
  const lifted = { ...record, at: now };
  lift(lifted, now);
  writeClient(records, key, lifted, t);
  return true;
}

/** Blocks a client from a level of the ladder on. Gives the end of the block, also of one that was running. */
export function placeBlock(
  records: Records,
  keys: ClientKeys,
  fromLevel: number,
  limit: number,
  t: number,
): number {
  const { key, record: stored } = admit(records, keys, t);
  const now = Math.max(t, stored?.at ?? t);
  if (stored !== undefined && isHardBlocked(stored, now)) return stored.hardUntil;
  const record = stored === undefined ? emptyClient(now, limit) : { ...stored, at: now };
  blockHard(record, escalate(fromLevel, remembered(record, now, ladder), ladder.maxLevel), now, ladder);
  writeClient(records, key, record, t);
  return record.hardUntil;
}
