import type { ReplayDecision } from '../replay/replay-decision.ts';

/** The highest level of the ladder. */
const LEVELS = 6;

/** How hard a decision is, from 0 for ALLOW: SOFT blocks by their level, then HARD ones by theirs. */
export function severityOf({ outcome, level }: ReplayDecision): number {
  if (outcome === 'ALLOW') return 0;
  const bounded = Math.min(LEVELS, Math.max(1, level));
  return outcome === 'SOFT_BLOCK' ? bounded : LEVELS + bounded;
}

export const SEVERITIES = 2 * LEVELS + 1;

/** What a decision has to be at least, in words. */
export function severityText(severity: number): string {
  if (severity <= 0) return 'anything';
  if (severity === 1) return 'any block';
  if (severity <= LEVELS) return `SOFT ≥ ${severity}`;
  return severity === LEVELS + 1 ? 'HARD' : `HARD ≥ ${severity - LEVELS}`;
}

/** Whether somebody would notice: another outcome, another length, or right credentials that do not count. */
export function isTreatedAlike(a: ReplayDecision, b: ReplayDecision): boolean {
  return a.outcome === b.outcome && a.level === b.level && a.until === b.until && a.deferred === b.deferred;
}
