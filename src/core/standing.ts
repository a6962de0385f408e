import { durationOf, rememberedLevel } from './ladder.ts';
import type { LadderPolicy } from './policy.ts';

/** How a key stands: its score, its blocks and the level it remembers (engine contract §5, §10). */
export interface Standing {
  readonly score: number;
  /** From when the score decays; may lie ahead while decay pauses. */
  readonly scoreAt: number;
  readonly softLevel: number;
  readonly softUntil: number;
  readonly hardLevel: number;
  /** When the last HARD block began; null if there was none. */
  readonly hardAt: number | null;
  readonly hardUntil: number;
  readonly memory: number;
}

/** Whatever has a standing: a record, or a device of an account. */
export interface Holder {
  standing: Standing;
}

/** A key nothing is known of. */
export const cleanStanding: Standing = {
  score: 0,
  scoreAt: 0,
  softLevel: 0,
  softUntil: 0,
  hardLevel: 0,
  hardAt: null,
  hardUntil: 0,
  memory: 0,
};

export const isHardBlocked = (standing: Standing, now: number): boolean => now < standing.hardUntil;

export const isSoftBlocked = (standing: Standing, now: number): boolean => now < standing.softUntil;

/** The level this key remembers now. */
export function remembered({ memory, hardUntil }: Standing, now: number, ladder: LadderPolicy): number {
  return memory === 0 ? 0 : rememberedLevel(memory, hardUntil, now, ladder);
}

/** With another score. Names the fields instead of spreading them, which costs ten times as much: every failure comes by. */
export function scored(standing: Standing, score: number, scoreAt: number): Standing {
  const { softLevel, softUntil, hardLevel, hardAt, hardUntil, memory } = standing;
  return { score, scoreAt, softLevel, softUntil, hardLevel, hardAt, hardUntil, memory };
}

/** Blocked at this level. A block soon after the previous one's begin pauses the decay of the score. */
export function hardBlocked(standing: Standing, level: number, now: number, ladder: LadderPolicy): Standing {
  const { score, softLevel, softUntil } = standing;
  const cycles = standing.hardAt !== null && standing.hardAt > now - ladder.cycleMs;
  return {
    score,
    scoreAt: cycles ? now + ladder.decayPauseMs : standing.scoreAt,
    softLevel,
    softUntil,
    hardLevel: level,
    hardAt: now,
    hardUntil: now + durationOf(level, ladder),
    memory: Math.max(level, remembered(standing, now, ladder)),
  };
}

/** Softly blocked; a running SOFT is never shortened or lowered. */
export function softBlocked(standing: Standing, level: number, now: number, ladder: LadderPolicy): Standing {
  const { score, scoreAt, hardLevel, hardAt, hardUntil, memory } = standing;
  const softLevel = isSoftBlocked(standing, now) ? Math.max(standing.softLevel, level) : level;
  const softUntil = Math.max(standing.softUntil, now + durationOf(level, ladder));
  return { score, scoreAt, softLevel, softUntil, hardLevel, hardAt, hardUntil, memory };
}

/** After an operator's lift: both blocks have ended, score and memory stay. */
export function lifted(standing: Standing, now: number): Standing {
  return { ...withoutSoft(standing, now), hardUntil: Math.min(standing.hardUntil, now) };
}

export function withoutSoft(standing: Standing, now: number): Standing {
  return { ...standing, softLevel: 0, softUntil: Math.min(standing.softUntil, now) };
}
