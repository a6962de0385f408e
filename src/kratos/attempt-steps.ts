import type { Key, Records, StoredRecord } from '../core/records.ts';
import type { Tally } from './attempt-counters.ts';

/** Attempts in one window. A record whose window is over, or that has none left, counts as absent. */
export interface AttemptRecord extends StoredRecord {
  readonly attempts: number;
  /** Store time in ms at which the window ends. */
  readonly resetAt: number;
}

export type AttemptKey = Key<AttemptRecord>;

/** The record of a window that is open; null without one. Time never runs backwards inside a record. */
function openWindow(records: Records, key: AttemptKey, t: number): AttemptRecord | null {
  const record = records.get(key);
  return record !== undefined && record.attempts > 0 && Math.max(t, record.at) < record.resetAt
    ? record
    : null;
}

function put(records: Records, key: AttemptKey, attempts: number, resetAt: number, t: number): void {
  const at = Math.max(t, records.get(key)?.at ?? t);
  records.put(key, { at, attempts, resetAt }, { keepMs: Math.max(1, resetAt - t), softMs: 0, hardMs: 0 });
}

/** Adds one attempt. The first one opens the window; no later one moves its end. */
export function countAttempt(records: Records, key: AttemptKey, windowMs: number, t: number): Tally {
  const open = openWindow(records, key, t);
  const now = Math.max(t, records.get(key)?.at ?? t);
  const attempts = (open?.attempts ?? 0) + 1;
  const resetAt = open?.resetAt ?? now + windowMs;
  put(records, key, attempts, resetAt, t);
  return { attempts, remainingMs: Math.max(0, resetAt - t), window: resetAt };
}

/** The same for an address, and for what one identifier has of it, which ends with the address's window. */
export function countShared(
  records: Records,
  key: AttemptKey,
  share: AttemptKey,
  windowMs: number,
  t: number,
): Tally {
  const tally = countAttempt(records, key, windowMs, t);
  put(records, share, shareIn(records, share, tally.window, t) + 1, tally.window, t);
  return tally;
}

/** Takes one attempt back, if the window it was counted in is still open. */
export function takeAttempt(
  records: Records,
  key: AttemptKey,
  share: AttemptKey | null,
  window: number,
  t: number,
): void {
  const open = openWindow(records, key, t);
  if (open === null || open.resetAt !== window) return;
  put(records, key, open.attempts - 1, window, t);
  if (share === null) return;
  const shared = shareIn(records, share, window, t);
  if (shared > 0) put(records, share, shared - 1, window, t);
}

/**
 * Ends the window. The empty record stays for as long as the window would have lasted: without it, the record under the
 * previous secret would show again.
 */
export function clearAttempts(records: Records, key: AttemptKey, t: number): void {
  const open = openWindow(records, key, t);
  if (open !== null) put(records, key, 0, open.resetAt, t);
}

/** Takes from an address what one identifier has added to it in the window that is open. */
export function takeShare(records: Records, key: AttemptKey, share: AttemptKey, t: number): void {
  const open = openWindow(records, key, t);
  if (open === null) return;
  const shared = shareIn(records, share, open.resetAt, t);
  if (shared === 0) return;
  put(records, key, Math.max(0, open.attempts - shared), open.resetAt, t);
  put(records, share, 0, open.resetAt, t);
}

/** What was added in another window of the address is no share of this one. */
function shareIn(records: Records, share: AttemptKey, window: number, t: number): number {
  const open = openWindow(records, share, t);
  return open?.resetAt === window ? open.attempts : 0;
}
