import { defaultApi } from '../core/policy.ts';
import type { Key, Records, StoredRecord } from '../core/records.ts';
import { cleanStanding, type Holder, isHardBlocked } from '../core/standing.ts';

/** How one key of a scenario stands: whom it degrades, and whether it is blocked. */
export interface SubjectRecord extends Holder, StoredRecord {
  at: number;
  /** Running and past; at most one for each scenario. */
  degraded: readonly Degradation[];
  /** The scenario that placed the last block. */
  blockedBy: string | null;
  /** Until when limiters keep a block of it that a scenario has placed there. Absent: none ever has. */
  blockedElsewhereUntil?: number;
}

export interface Degradation {
  /** The scenario's id: its name, or another one while it is in shadow. */
  readonly by: string;
  readonly until: number;
}

/** The ladder of limits: abuse is slowed down and sent away for a while, not banished. */
export const ladder = defaultApi.ladder;

export const emptySubject: SubjectRecord = { at: 0, standing: cleanStanding, degraded: [], blockedBy: null };

/** The record, unless it has expired. */
export function readSubject(records: Records, key: Key<SubjectRecord>, t: number): SubjectRecord | undefined {
  const record = records.get(key);
  return record !== undefined && t < expiryOf(record) ? record : undefined;
}

export function writeSubject(
  records: Records,
  key: Key<SubjectRecord>,
  record: SubjectRecord,
  t: number,
): void {
  const { hardUntil } = record.standing;
  records.put(key, record, {
    keepMs: Math.max(1, keptUntil(records, key, record) - t),
    softMs: Math.max(0, degradedUntil(record) - t),
    hardMs: Math.max(0, hardUntil - t),
  });
}

/** While a key rotation runs a record outlives the one of before, which would count again without it. */
function keptUntil(records: Records, key: Key<SubjectRecord>, record: SubjectRecord): number {
  const before = key.was === null ? undefined : records.get(key);
  return before === undefined ? expiryOf(record) : Math.max(expiryOf(record), expiryOf(before));
}

/** Until when the scenario degrades this key; 0 when it does not. */
export function degradationBy({ degraded }: SubjectRecord, by: string): number {
  for (const degradation of degraded) if (degradation.by === by) return degradation.until;
  return 0;
}

/** Whether a block runs that scenarios have placed, here or elsewhere. */
export function isBlocked({ standing, blockedElsewhereUntil = 0 }: SubjectRecord, now: number): boolean {
  return isHardBlocked(standing, now) || now < blockedElsewhereUntil;
}

/** Notes that limiters keep a block of this key until then. */
export function noteBlockElsewhere(
  records: Records,
  key: Key<SubjectRecord>,
  until: number,
  t: number,
): void {
  const record = readSubject(records, key, t) ?? emptySubject;
  writeSubject(records, key, { ...record, at: Math.max(t, record.at), blockedElsewhereUntil: until }, t);
}

/** With this degradation instead of the scenario's last one, and without those that are over. */
export function withDegradation(
  record: SubjectRecord,
  by: string,
  until: number,
  now: number,
): SubjectRecord {
  const others = record.degraded.filter((degradation) => degradation.by !== by && now < degradation.until);
  return { ...record, at: now, degraded: until > now ? [...others, { by, until }] : others };
}

function degradedUntil({ degraded }: SubjectRecord): number {
  let last = 0;
  for (const { until } of degraded) last = Math.max(last, until);
  return last;
}

/** From when on the record says the same as none. */
function expiryOf(record: SubjectRecord): number {
  const { standing, blockedElsewhereUntil = 0 } = record;
  let forgottenAt = standing.hardUntil;
  for (let level = standing.memory; level > 0; level -= 1) forgottenAt += ladder.memoryMs[level - 1] ?? 0;
  return Math.max(record.at, forgottenAt, degradedUntil(record), blockedElsewhereUntil);
}
