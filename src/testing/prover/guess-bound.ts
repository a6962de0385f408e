import { DAY_MS } from '../../core/duration.ts';
import type { CredentialPolicy, LadderPolicy } from '../../core/policy.ts';

/**
 * No strategy without a device of the owner's gets more than this; null where the argument does not hold.
 *
 * A guess without a device is free once per `missingDeviceAgainMs`. Every other one raises the account's score by `cheapest`
 * at least, so there are at most (points forgotten + score at the end) / `cheapest` of them. A point is forgotten per
 * interval. The score stays below `severeFrom`, but for guesses that are answered by an ever higher level: one for each
 * level, and at the top one per block. To wait until a level is forgotten instead is no gain as long as a block and its
 * memory take longer than the points of one guess take to decay.
 */
export function guessBound({ score, ladder }: CredentialPolicy, withinMs = DAY_MS): number | null {
  const cheapest = Math.min(score.newDevice, score.missingDeviceAgain);
  const first = Math.min(3, ladder.maxLevel);
  const cycles = ladder.durationsMs.map((ms, index) => ms + (ladder.memoryMs[index] ?? 0));
  const isSlow = cycles.slice(first - 1).every((ms) => ms >= cheapest * score.decayMs.account);
  if (cheapest === 0 || !isSlow) return null;
  const free = Math.ceil(withinMs / score.missingDeviceAgainMs);
  const forgotten = Math.floor(withinMs / score.decayMs.account);
  const paid = Math.floor((forgotten + score.severeFrom - 1) / cheapest);
  return free + paid + severeGuesses(ladder, first, withinMs);
}

/** Guesses that are answered by one level after the other, and then by the highest again and again. */
function severeGuesses({ durationsMs, maxLevel }: LadderPolicy, first: number, withinMs: number): number {
  let count = 0;
  for (let sinceMs = 0, level = first; sinceMs < withinMs; level = Math.min(level + 1, maxLevel)) {
    count += 1;
    sinceMs += durationsMs[level - 1] ?? withinMs;
  }
  return count;
}
