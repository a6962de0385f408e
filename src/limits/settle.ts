import { backlog, bucketOwing } from '../core/bucket.ts';
import type { ClientRecord } from '../core/client-state.ts';
import { DAY_MS } from '../core/duration.ts';
import type { Key, Records } from '../core/records.ts';
import { milliCost, mostOwedMilli } from './allowance.ts';
import { clientRecord, emptyClient, readClient, writeClient } from './client-record.ts';
import { inRefill } from './take.ts';

/** A call that was charged, and what it is to cost in the end. */
export interface Settlement {
  readonly key: Key<ClientRecord>;
  /** Refill of the bucket, as {@link ClientRecord.limit}. */
  readonly limit: number;
  readonly periodMs: number;
  readonly takenMilli: number;
  /** Units of cost, at least 0. */
  readonly cost: number;
}

/**
 * Gives back what a call took too much, or takes the rest, also where that is more than the bucket holds: the client
 * then waits until it has paid, a day at most. Nobody gets more back than they owe. Strangers who share a record neither
 * pay nor get anything for it.
 */
export function settle(
  records: Records,
  { key, limit, periodMs, takenMilli, cost }: Settlement,
  t: number,
): void {
  if (records.isShared?.(key)) return;
  const stored = readClient(records, key, t);
  const now = Math.max(t, stored?.at ?? t);
  const record = stored ?? emptyClient(now, limit);
  const bucket = inRefill(record, limit, now);
  const owed = backlog(bucket, limit, now) + (cost * milliCost - takenMilli) * periodMs;
  const bounded = Math.min(Math.max(0, owed), mostOwedMilli * periodMs, DAY_MS * limit);
  const settled = bucketOwing(bounded, limit, now);
  writeClient(records, key, clientRecord(now, record.standing, settled, limit, record), t);
}
