import type { ClientRecord } from '../core/client-state.ts';
import { durationOf, escalate } from '../core/ladder.ts';
import type { Key, Records } from '../core/records.ts';
import { cleanStanding, hardBlocked, isHardBlocked, lifted, remembered } from '../core/standing.ts';
import { admit } from './agent-admission.ts';
import type { ClientKey } from './client-keys.ts';
import { clientRecord, emptyClient, ladder, writeClient } from './client-record.ts';

/** Whether there was a block to lift, and where. */
interface Lift {
  readonly isLifted: boolean;
  readonly key: Key<ClientRecord>;
}

/** Ends a block by hand; what is remembered of it stays. */
export function liftBlock(records: Records, client: ClientKey, t: number): Lift {
  const { key, record } = admit(records, client, t);
  const now = Math.max(t, record?.at ?? t);
  if (record === undefined || !isHardBlocked(record.standing, now)) return { isLifted: false, key };
  writeClient(records, key, clientRecord(now, lifted(record.standing, now), record, record.limit, record), t);
  return { isLifted: true, key };
}

/**
 * Blocks a client from a level of the ladder on. Gives the end of the block, also of one that was running and lasts longer.
 * What runs is not escalated: two who block the same client at once mean one block.
 */
export function placeBlock(
  records: Records,
  client: ClientKey,
  fromLevel: number,
  limit: number,
  t: number,
): number {
  const { key, record: stored } = admit(records, client, t);
  const now = Math.max(t, stored?.at ?? t);
  const held = stored?.standing ?? cleanStanding;
  const runs = isHardBlocked(held, now);
  const level = runs ? fromLevel : escalate(fromLevel, remembered(held, now, ladder), ladder.maxLevel);
  if (runs && held.hardUntil >= now + durationOf(level, ladder)) return held.hardUntil;
  const standing = hardBlocked(held, level, now, ladder);
  const record = stored ?? emptyClient(now, limit);
  writeClient(records, key, clientRecord(now, standing, record, record.limit, record), t);
  return standing.hardUntil;
}
