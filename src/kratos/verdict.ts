import type { Mode } from '../core/decision.ts';
import { retryAfterSeconds } from '../core/duration.ts';
import type { AttemptTally } from './attempt-counters.ts';

/** Who is locked: the account, the address, or everybody because the store cannot be asked. */
export type LockReason = 'identifier' | 'ip' | 'store';

/** An attempt that may go on. */
export interface Allowed {
  readonly allowed: true;
  /** The highest count of the identifiers; 0 where none was counted. */
  readonly identifierAttempts: number;
  readonly ipAttempts: number;
  readonly mode: Mode;
  /** The counters after this attempt; null where none were asked. */
  readonly tally: AttemptTally | null;
  /** When it was counted by the local caps, in place of the counters; left out where it was not. */
  readonly cappedAt?: number;
}

/** An attempt that must not go on. */
export interface Blocked {
  readonly allowed: false;
  readonly reason: LockReason;
  /** At least 1. */
  readonly retryAfterSeconds: number;
  readonly mode: Mode;
}

export type Verdict = Allowed | Blocked;

/** How many attempts are let through in a window. */
export interface Maxima {
  readonly maxIdentifierAttempts: number;
  readonly maxIpAttempts: number;
}

/** Locked above the maximum. Where both are, the one that lasts longer is told; in a tie the identifier. */
export function verdictOn(tally: AttemptTally, maxima: Maxima): Verdict {
  const { identifiers, ip } = tally;
  const lockedFor = identifiers
    .filter(({ attempts }) => attempts > maxima.maxIdentifierAttempts)
    .map(({ remainingMs }) => remainingMs);
  const identifierMs = lockedFor.length === 0 ? null : Math.max(...lockedFor);
  const ipMs = ip !== null && ip.attempts > maxima.maxIpAttempts ? ip.remainingMs : null;
  if (identifierMs === null && ipMs === null) {
    return {
      allowed: true,
      identifierAttempts: Math.max(0, ...identifiers.map(({ attempts }) => attempts)),
      ipAttempts: ip?.attempts ?? 0,
      mode: 'NORMAL',
      tally,
    };
  }
  const isIdentifier = identifierMs !== null && (ipMs === null || identifierMs >= ipMs);
  return blocked(isIdentifier ? 'identifier' : 'ip', (isIdentifier ? identifierMs : ipMs) ?? 0, 'NORMAL');
}

export function blocked(reason: LockReason, remainingMs: number, mode: Mode): Blocked {
  return { allowed: false, reason, retryAfterSeconds: retryAfterSeconds(remainingMs), mode };
}
