import type { Scope } from './decision.ts';
import type { Draft, Key, Records, StoredRecord } from './records.ts';
import { isLive, retentionOf } from './retention.ts';
import type { Judged } from './ruling.ts';
import type { Holder, Standing } from './standing.ts';

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
  const draft = draftOf(records, key, kind);
  return openDraft(draft, draft?.at, key, kind, t, keepMs);
}

/** Stores what was opened, with how long it and the blocks on it, and on the parts it holds, still matter. */
export function write<R extends StoredRecord & Holder>(
  records: Records,
  opened: Opened<R>,
  t: number,
  keepMs: number,
  parts?: readonly Holder[],
): void {
  const record: Holder & { at: number } = opened.holder;
  record.at = opened.now;
  storeDraft(records, opened, record.standing, t, keepMs, parts);
}

/*
 * The same in parts, for those who open records of one kind only: every failure comes by there, and what is read of the
 * records of all kinds in one place takes several times as long to find (decision 0011).
 */

/** The record for a step to change, its own or a copy. */
export function draftOf<R extends StoredRecord>(
  records: Records,
  key: Key<R>,
  kind: RecordKind<R>,
): Draft<R> | undefined {
  const own = records.own?.(key);
  if (own !== undefined) return own;
  const stored = records.get(key);
  return stored === undefined ? undefined : kind.copy(stored);
}

/** @param at when the draft was written last */
export function openDraft<R extends StoredRecord & Holder>(
  draft: Draft<R> | undefined,
  at: number | undefined,
  key: Key<R>,
  kind: RecordKind<R>,
  t: number,
  keepMs: number,
): Opened<R> {
  const { scope } = kind;
  if (draft === undefined || at === undefined || !isLive(at, t, keepMs)) {
    return { scope, holder: kind.make(), now: t, own: true, key, made: true };
  }
  return { scope, holder: draft, now: Math.max(t, at), own: true, key, made: false };
}

/**
 * Whoever calls it has noted the time in the record.
 *
 * @param standing that of the record
 */
export function storeDraft<R extends StoredRecord & Holder>(
  records: Records,
  { key, holder, now }: Opened<R>,
  standing: Standing,
  t: number,
  keepMs: number,
  parts: readonly Holder[] = noParts,
): void {
  let { softUntil, hardUntil } = standing;
  for (let place = 0; place < parts.length; place += 1) {
    const { standing: other } = parts[place] as Holder;
    if (other.softUntil > softUntil) softUntil = other.softUntil;
    if (other.hardUntil > hardUntil) hardUntil = other.hardUntil;
  }
  records.put(key, holder, retentionOf(keepMs + (now - t), softUntil, hardUntil, t));
}

const noParts: readonly Holder[] = [];
