import { durationOf, rememberedLevel } from './ladder.ts';
import type { LadderPolicy } from './policy.ts';

/**
 * How a key stands: its score, its blocks and the level it remembers (engine contract §5, §10). Records hold these
 * fields flat; a step changes them on its own copy only.
 */
export interface Standing {
  score: number;
  /** From when the score decays; may lie ahead while decay pauses. */
  scoreAt: number;
  softLevel: number;
  softUntil: number;
  hardLevel: number;
  /** When the last HARD block began; null if there was none. */
  hardAt: number | null;
  hardUntil: number;
  memory: number;
}

/** A key nothing is known of. */
export const cleanStanding: Readonly<Standing> = {
  score: 0,
  scoreAt: 0,
  softLevel: 0,
  softUntil: 0,
  hardLevel: 0,
  hardAt: null,
  hardUntil: 0,
  memory: 0,
};

export const isHardBlocked = (standing: Readonly<Standing>, now: number): boolean => now < standing.hardUntil;

export const isSoftBlocked = (standing: Readonly<Standing>, now: number): boolean => now < standing.softUntil;

/** The level this key remembers now. */
export function remembered(standing: Readonly<Standing>, now: number, ladder: LadderPolicy): number {
  return rememberedLevel(standing.memory, standing.hardUntil, now, ladder);
}

/** Blocks the key. A block soon after the previous one's begin pauses the decay of the score. */
export function blockHard(standing: Standing, level: number, now: number, ladder: LadderPolicy): void {
  standing.memory = Math.max(level, remembered(standing, now, ladder));
  if (standing.hardAt !== null && standing.hardAt > now - ladder.cycleMs) {
    standing.scoreAt = now + ladder.decayPauseMs;
  }
  standing.hardLevel = level;
  standing.hardAt = now;
  standing.hardUntil = now + durationOf(level, ladder);
}

/** Softly blocks the key; a running SOFT is never shortened or lowered. */
export function blockSoft(standing: Standing, level: number, now: number, ladder: LadderPolicy): void {
  standing.softLevel = isSoftBlocked(standing, now) ? Math.max(standing.softLevel, level) : level;
  standing.softUntil = Math.max(standing.softUntil, now + durationOf(level, ladder));
}

/** An operator's lift: both blocks end, score and memory stay. */
export function lift(standing: Standing, now: number): void {
  standing.hardUntil = Math.min(standing.hardUntil, now);
  endSoft(standing, now);
}

export function endSoft(standing: Standing, now: number): void {
  standing.softUntil = Math.min(standing.softUntil, now);
  standing.softLevel = 0;
}
