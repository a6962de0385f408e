import { durationOf, rememberedLevel } from './ladder.ts';
import type { LadderPolicy } from './policy.ts';
import type { Draft } from './records.ts';

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
  readonly standing: Standing;
}

/** Whether blocks can be told from it. What a store lists without knowing its key may be anything. */
export function isStanding(value: unknown): value is Standing {
  if (typeof value !== 'object' || value === null) return false;
  const { softLevel, softUntil, hardLevel, hardUntil } = value as Partial<Standing>;
  return [softLevel, softUntil, hardLevel, hardUntil].every(Number.isSafeInteger);
}

function makeStanding(): Draft<Standing> {
  return {
    score: 0,
    scoreAt: 0,
    softLevel: 0,
    softUntil: 0,
    hardLevel: 0,
    hardAt: null,
    hardUntil: 0,
    memory: 0,
  };
}

/**
 * A key nothing is known of. All such keys share it: there are many more of them than of any others. So in plain JSON it
 * is null.
 */
export const cleanStanding: Standing = Object.freeze(
  Object.defineProperty(makeStanding(), 'toJSON', { value: () => null }),
);

/** The holder's standing, to be changed: its own from the first change on. */
export function ownStanding(holder: Draft<Holder>): Draft<Standing> {
  if (holder.standing === cleanStanding) holder.standing = makeStanding();
  return holder.standing;
}

/** The same standing for a draft, which makes it its own before it changes it. */
export function draftStanding(standing: Standing): Draft<Standing> {
  return standing === cleanStanding ? standing : copyStanding(standing);
}

/** Names the fields instead of spreading them, which costs ten times as much. */
export function copyStanding(standing: Standing): Draft<Standing> {
  const { score, scoreAt, softLevel, softUntil, hardLevel, hardAt, hardUntil, memory } = standing;
  return { score, scoreAt, softLevel, softUntil, hardLevel, hardAt, hardUntil, memory };
}

export const isHardBlocked = (standing: Standing, now: number): boolean => now < standing.hardUntil;

export const isSoftBlocked = (standing: Standing, now: number): boolean => now < standing.softUntil;

/** The level this key remembers now. */
export function remembered({ memory, hardUntil }: Standing, now: number, ladder: LadderPolicy): number {
  return memory === 0 ? 0 : rememberedLevel(memory, hardUntil, now, ladder);
}

/** Blocks at this level. A block soon after the previous one's begin pauses the decay of the score. */
export function blockHard(
  standing: Draft<Standing>,
  level: number,
  now: number,
  ladder: LadderPolicy,
): Draft<Standing> {
  const cycles = standing.hardAt !== null && standing.hardAt > now - ladder.cycleMs;
  if (cycles) standing.scoreAt = now + ladder.decayPauseMs;
  standing.memory = Math.max(level, remembered(standing, now, ladder));
  standing.hardLevel = level;
  standing.hardAt = now;
  standing.hardUntil = now + durationOf(level, ladder);
  return standing;
}

/** Blocks softly; a running SOFT is never shortened or lowered. */
export function blockSoft(standing: Draft<Standing>, level: number, now: number, ladder: LadderPolicy): void {
  standing.softLevel = isSoftBlocked(standing, now) ? Math.max(standing.softLevel, level) : level;
  standing.softUntil = Math.max(standing.softUntil, now + durationOf(level, ladder));
}

/** Ends a SOFT block. */
export function endSoft(standing: Draft<Standing>, now: number): void {
  standing.softLevel = 0;
  standing.softUntil = Math.min(standing.softUntil, now);
}

/** An operator's lift: both blocks have ended, score and memory stay. */
export function endBlocks(standing: Draft<Standing>, now: number): Draft<Standing> {
  endSoft(standing, now);
  standing.hardUntil = Math.min(standing.hardUntil, now);
  return standing;
}

/** Another standing, blocked at this level. */
export function hardBlocked(standing: Standing, level: number, now: number, ladder: LadderPolicy): Standing {
  return blockHard(copyStanding(standing), level, now, ladder);
}

/** Another standing, after an operator's lift. */
export function lifted(standing: Standing, now: number): Standing {
  return endBlocks(copyStanding(standing), now);
}
