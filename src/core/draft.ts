import type { Scope } from './decision.ts';
import type { Key, Records, StoredRecord } from './records.ts';
import { readLive } from './retention.ts';
import type { Judged } from './ruling.ts';
import type { Holder } from './standing.ts';

/** A record opened for one operation: rules change the copy, the step stores it. */
export interface Opened<R extends StoredRecord & Holder> extends Judged {
  readonly key: Key<R>;
  readonly holder: R;
  /** Whether there was none before. */
  readonly made: boolean;
}

/** A kind of record: what it is before anything is known, and how it is copied. */
export interface RecordKind<R extends StoredRecord> {
  readonly scope: Scope;
  readonly empty: R;
  /** A function per kind, so that the engine compiles a copy for each instead of one that fits all. */
  copy(record: R, at: number): R;
}

/** Copies the record, or an empty one, at the time inside it: per record, time never runs backwards. */
export function open<R extends StoredRecord & Holder>(
  records: Records,
  key: Key<R>,
  kind: RecordKind<R>,
  t: number,
  keepMs: number,
): Opened<R> {
  const stored = readLive(records, key, t, keepMs);
  const source = stored ?? kind.empty;
  const now = Math.max(t, source.at);
  return {
    scope: kind.scope,
    holder: kind.copy(source, now),
    now,
    own: true,
    key,
    made: stored === undefined,
  };
}
