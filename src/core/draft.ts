import type { Scope } from './decision.ts';
import type { Draft, Key, Records, StoredRecord } from './records.ts';
import { isLive, retentionOf } from './retention.ts';
import type { Judged } from './ruling.ts';
import type { Holder } from './standing.ts';

/**
 * A record opened for one operation. Rules change the draft, the step stores it; a step that will not store it changes
 * nothing of it.
 */
export interface Opened<R extends StoredRecord & Holder> extends Judged {
  readonly key: Key<R>;
  readonly holder: Draft<R>;
  /** Whether there was none before. */
  readonly made: boolean;
}

/** A kind of record: what it is before anything is known, and how it is copied. */
export interface RecordKind<R extends StoredRecord> {
  readonly scope: Scope;
  make(): Draft<R>;
  /** A function per kind, so that the engine compiles a copy for each instead of one that fits all. */
  copy(record: R): Draft<R>;
}

/** Opens the record, or a new one, at the time inside it: per record, time never runs backwards. */
export function open<R extends StoredRecord & Holder>(
  records: Records,
  key: Key<R>,
  kind: RecordKind<R>,
  t: number,
  keepMs: number,
): Opened<R> {
  const own = records.own?.(key);
  const stored = own ?? records.get(key);
  const made = stored === undefined || !isLive(stored, t, keepMs);
  const holder = made ? kind.make() : (own ?? kind.copy(stored as R));
  return { scope: kind.scope, holder, now: Math.max(t, holder.at), own: true, key, made };
}

/** Stores what was opened, with how long it and the blocks on it, and on the parts it holds, still matter. */
export function write<R extends StoredRecord & Holder>(
  records: Records,
  { key, holder, now }: Opened<R>,
  t: number,
  keepMs: number,
  parts: readonly Holder[] = noParts,
): void {
  const record: Holder & { at: number } = holder;
  record.at = now;
  let { softUntil, hardUntil } = record.standing;
  if (parts.length > 0) {
    for (const { standing } of parts) {
      if (standing.softUntil > softUntil) softUntil = standing.softUntil;
      if (standing.hardUntil > hardUntil) hardUntil = standing.hardUntil;
    }
  }
  records.put(key, holder, retentionOf(keepMs + (now - t), softUntil, hardUntil, t));
}

const noParts: readonly Holder[] = [];
