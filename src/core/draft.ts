import type { Scope } from './decision.ts';
import type { Key, Records, StoredRecord } from './records.ts';
import { readLive } from './retention.ts';
import type { Judged } from './ruling.ts';
import type { Standing } from './standing.ts';

/** A record opened for one operation: rules change the copy, the step stores it. */
export interface Opened<R extends StoredRecord> {
  readonly key: Key<R>;
  readonly record: R;
  readonly judged: Judged;
  /** Whether there was none before. */
  readonly made: boolean;
}

/** Copies the record, or an empty one, at the time inside it: per record, time never runs backwards. */
export function open<R extends StoredRecord & Standing>(
  records: Records,
  key: Key<R>,
  scope: Scope,
  empty: R,
  t: number,
  keepMs: number,
): Opened<R> {
  const stored = readLive(records, key, t, keepMs);
  const source = stored ?? empty;
  const now = Math.max(t, source.at);
  const record = { ...source, at: now };
  return { key, record, judged: { scope, standing: record, now, own: true }, made: stored === undefined };
}
