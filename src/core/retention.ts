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

/**
 * How long a record still matters after `t`, and the blocks on it that run until then. Nearly every write leaves no block
 * and keeps its record for as long as the one before it; that one serves again.
 */
export function retentionOf(keepMs: number, softUntil: number, hardUntil: number, t: number): Retention {
  if (softUntil > t || hardUntil > t) {
    return { keepMs, softMs: Math.max(0, softUntil - t), hardMs: Math.max(0, hardUntil - t) };
  }
  if (unblocked.keepMs !== keepMs) unblocked = { keepMs, softMs: 0, hardMs: 0 };
  return unblocked;
}

let unblocked: Retention = { keepMs: 0, softMs: 0, hardMs: 0 };
