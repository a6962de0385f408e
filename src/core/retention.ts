import type { Key, Records, Retention, StoredRecord } from './records.ts';
import type { Holder } from './standing.ts';

/** Expiry (engine contract §1, §3): a record past it counts as absent, whether or not the store has dropped it. */

/** The record, if there is one that has not expired. */
export function readLive<R extends StoredRecord>(
  records: Records,
  key: Key<R> | null,
  t: number,
  keepMs: number,
): R | undefined {
  if (key === null) return undefined;
  const record = records.get(key);
  return record !== undefined && t < record.at + keepMs ? record : undefined;
}

/** Stores a record, with how long it and the blocks on it, and on the parts it holds, still matter. */
export function write<R extends StoredRecord & Holder>(
  records: Records,
  key: Key<R>,
  record: R,
  t: number,
  keepMs: number,
  parts: readonly Readonly<Holder>[] = noParts,
): void {
  let { softUntil, hardUntil } = record.standing;
  for (const { standing } of parts) {
    if (standing.softUntil > softUntil) softUntil = standing.softUntil;
    if (standing.hardUntil > hardUntil) hardUntil = standing.hardUntil;
  }
  records.put(key, record, retentionOf(record.at + keepMs - t, softUntil - t, hardUntil - t));
}

/** Nearly every write leaves no block and keeps its record for as long as the one before it; that one serves again. */
function retentionOf(keepMs: number, softMs: number, hardMs: number): Retention {
  if (softMs > 0 || hardMs > 0) return { keepMs, softMs: Math.max(0, softMs), hardMs: Math.max(0, hardMs) };
  if (unblocked.keepMs !== keepMs) unblocked = { keepMs, softMs: 0, hardMs: 0 };
  return unblocked;
}

let unblocked: Retention = { keepMs: 0, softMs: 0, hardMs: 0 };

const noParts: readonly Readonly<Holder>[] = [];
