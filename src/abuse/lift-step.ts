import type { Key, Records } from '../core/records.ts';
import { lifted } from '../core/standing.ts';
import { isBlocked, readSubject, type SubjectRecord, writeSubject } from './subject-record.ts';

/** Ends what is held against a key by hand; the level it remembers stays. False when nothing was. */
export function liftStep(records: Records, key: Key<SubjectRecord>, t: number): boolean {
  const record = readSubject(records, key, t);
  if (record === undefined) return false;
  const now = Math.max(t, record.at);
  const degrades = record.degraded.some(({ until }) => now < until);
  if (!degrades && !isBlocked(record, now)) return false;
  const standing = lifted(record.standing, now);
  writeSubject(records, key, { ...record, at: now, degraded: [], standing, blockedElsewhereUntil: 0 }, t);
  return true;
}
