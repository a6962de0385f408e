import type { Key, Records, Retention, StoredRecord } from './records.ts';

/** Expiry (engine contract §1, §3): a record past it counts as absent, whether or not the store has dropped it. */

export const isLive = (record: StoredRecord, t: number, keepMs: number): boolean => t < record.at + keepMs;

/** The record, if there is one that has not expired. */
export function readLive<R extends StoredRecord>(
  records: Records,
  key: Key<R> | null,
  t: number,
  keepMs: number,
): R | undefined {
  if (key === null) return undefined;
  const record = records.get(key);
  return record !== undefined && isLive(record, t, keepMs) ? record : undefined;
}

/** Nearly every write leaves no block and keeps its record for as long as the one before it; that one serves again. */
export function retentionOf(keepMs: number, softMs: number, hardMs: number): Retention {
  if (softMs > 0 || hardMs > 0) return { keepMs, softMs: Math.max(0, softMs), hardMs: Math.max(0, hardMs) };
  if (unblocked.keepMs !== keepMs) unblocked = { keepMs, softMs: 0, hardMs: 0 };
  return unblocked;
}

let unblocked: Retention = { keepMs: 0, softMs: 0, hardMs: 0 };
