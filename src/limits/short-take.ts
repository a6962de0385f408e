import { backlog, type Quota } from '../core/bucket.ts';
import type { ClientRecord } from '../core/client-state.ts';
import type { Records } from '../core/records.ts';
import { cleanStanding } from '../core/standing.ts';
import { type Allowance, milliCost } from './allowance.ts';
import { noteAskedShort } from './asked-window.ts';
import type { ClientKey } from './client-keys.ts';
import { sightMs, usualRetention } from './client-record.ts';
import { moreAt, remainingOf, type Taken } from './take.ts';

/**
 * The short way of a call, which nearly every one goes: its client is known, was never blocked, has asked within the last
 * second and pays. Then only a few numbers of its record change, and what `take` finds out besides is known already.
 */
export class ShortTake implements Taken {
  readonly key: ClientKey;
  readonly quota: Quota;
  readonly takenMilli: number;
  /** In thousandths. */
  readonly blockAbove: number;
  readonly refusal = null;
  readonly shadowBlock = null;
  t = 0;
  remaining = 0;
  moreAt = 0;

  constructor(key: ClientKey, quota: Quota, cost: number, { blockAbove }: Allowance) {
    this.key = key;
    this.quota = quota;
    this.takenMilli = cost * milliCost;
    this.blockAbove = blockAbove * milliCost;
  }
}

/** Does to the record what `take` would. False, and nothing is changed, where there is more to it. */
export function takeShort(record: ClientRecord, now: number, short: ShortTake): boolean {
  const { quota, takenMilli } = short;
  const { limit, periodMs, capacity } = quota;
  if (record.standing !== cleanStanding || record.limit !== limit || takenMilli === 0) return false;
  // What has expired counts as absent, whether or not the store has dropped it.
  if (now < record.at || now >= record.at + sightMs) return false;
  const owed = backlog(record, limit, now) + takenMilli * periodMs;
  const owedMs = Math.floor(owed / limit);
  // Debts that outlast the usual time are kept for longer.
  if (owed > capacity * periodMs || owedMs >= sightMs) return false;
  if (!noteAskedShort(record, takenMilli, now, short.blockAbove)) return false;
  record.at = now;
  record.tatMs = now + owedMs;
  record.tatUnits = owed - owedMs * limit;
  short.t = now;
  short.remaining = remainingOf(owed, quota);
  short.moreAt = moreAt(short.remaining, owed, quota, now);
  return true;
}

/** The same in a step, where the store lends its record. False where it does not, or there is more to it. */
export function takeLent(records: Records, short: ShortTake, now: number): boolean {
  const record = records.own?.(short.key);
  if (record === undefined || !takeShort(record, now, short)) return false;
  records.put(short.key, record, usualRetention);
  return true;
}
