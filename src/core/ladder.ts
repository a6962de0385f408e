import { invariant } from './fault.ts';
import type { LadderPolicy } from './policy.ts';

/** The penalty ladder (engine contract §10): how long a level lasts and how long it is remembered. */

/** Duration of a block of this level, in ms. */
export function durationOf(level: number, ladder: LadderPolicy): number {
  const duration = ladder.durationsMs[level - 1];
  invariant(duration !== undefined, `the ladder has no level ${level}`);
  return duration;
}

/**
 * The level a key remembers: all of it while its last HARD block runs, one less after each level's own time from
 * the end of that block on.
 */
export function rememberedLevel(memory: number, blockEnd: number, now: number, ladder: LadderPolicy): number {
  let level = memory;
  let since = blockEnd;
  while (level > 0) {
    since += ladder.memoryMs[level - 1] ?? 0;
    if (now < since) break;
    level -= 1;
  }
  return level;
}

/** `base`, or one more than what is remembered; never above `max`. */
export function escalate(base: number, remembered: number, max: number): number {
  return Math.min(max, remembered < base ? base : remembered + 1);
}
