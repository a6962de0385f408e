import type { Blocked } from './verdict.ts';

const units = [
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
] as const;

/** A time to wait in words, never shorter than it is: `45 seconds`, `2 minutes`, `3 hours`. */
export function durationWords(seconds: number): string {
  const unit = units.find((candidate) => seconds > candidate.seconds - 1) ?? { name: 'second', seconds: 1 };
  const count = Math.ceil(seconds / unit.seconds);
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}

/**
 * What somebody who is locked out is told: for how long. Never what was wrong, nor whether there is such an account: the
 * same words come for one that does not exist.
 */
export function lockoutMessage({ reason, retryAfterSeconds }: Blocked): string {
  const why = reason === 'store' ? 'Signing in is not possible right now.' : 'Too many sign-in attempts.';
  return `${why} Please try again in ${durationWords(retryAfterSeconds)}.`;
}
