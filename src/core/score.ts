import type { LadderPolicy, ScorePolicy } from './policy.ts';
import type { Judged, Ruling } from './ruling.ts';
import { ownStanding, remembered } from './standing.ts';

/** Scores (engine contract §5): stepwise decay, then the delta, then the thresholds. */

const SLOW_DECAY_FROM_LEVEL = 2;

/**
 * Forgets one point per whole interval since the score's time, keeps the rest of the interval, then adds the delta. A
 * key that remembers level 2 or more forgets at half the speed.
 */
export function raiseScore(
  { holder, now }: Judged,
  delta: number,
  intervalMs: number,
  ladder: LadderPolicy,
): void {
  const standing = ownStanding(holder);
  const slow = remembered(standing, now, ladder) >= SLOW_DECAY_FROM_LEVEL;
  const stepMs = slow ? 2 * intervalMs : intervalMs;
  const steps = Math.max(0, Math.floor((now - standing.scoreAt) / stepMs));
  const left = Math.max(0, standing.score - steps);
  const scoreAt = standing.scoreAt + steps * stepMs;
  standing.score = left + delta;
  standing.scoreAt = left === 0 ? Math.max(scoreAt, now) : scoreAt;
}

/** What the score of a key that this failure has raised leads to. K1 is a single signal and never more than SOFT. */
export function judgeScore(ruling: Ruling, key: Judged, policy: ScorePolicy): void {
  const { score } = key.holder.standing;
  if (score < policy.softFrom) return;
  if (key.scope === 'K1' || score < policy.hardFrom) ruling.soft('score', key, 1);
  else if (score < policy.severeFrom) ruling.hard('score', key, 2);
  else ruling.escalate('score', key, 3);
}
