import type { Key, Records, StoredRecord } from './records.ts';
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
    softUntil = Math.max(softUntil, standing.softUntil);
    hardUntil = Math.max(hardUntil, standing.hardUntil);
  }
  records.put(key, record, {
    keepMs: record.at + keepMs - t,
    softMs: Math.max(0, softUntil - t),
    hardMs: Math.max(0, hardUntil - t),
  });
}

const noParts: readonly Readonly<Holder>[] = [];
