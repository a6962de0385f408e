import type { Key, Records, Retention, StoredRecord } from './records.ts';

/** Expiry (engine contract §1, §3): a record past it counts as absent, whether or not the store has dropped it. */

/** @param at when the record was written last */
export const isLive = (at: number, t: number, keepMs: number): boolean => t < at + keepMs;

/**
 * The record, if there is one that has not expired. Its time is handed in by whoever knows the record's kind: see decision
 * 0011.
 */
export function ifLive<R extends StoredRecord>(
  record: R | undefined,
  at: number | undefined,
  t: number,
  keepMs: number,
): R | undefined {
  return at !== undefined && isLive(at, t, keepMs) ? record : undefined;
}

/** What is stored under a key, if there is one. */
export function find<R extends StoredRecord>(records: Records, key: Key<R> | null): R | undefined {
  return key === null ? undefined : records.get(key);
}

/** Both at once. */
export function readLive<R extends StoredRecord>(
  records: Records,
  key: Key<R> | null,
  t: number,
  keepMs: number,
): R | undefined {
  const record = find(records, key);
  return ifLive(record, record?.at, t, keepMs);
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
