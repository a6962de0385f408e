import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './duration.ts';
import { durationOf, escalate, rememberedLevel } from './ladder.ts';
import { defaultLogin } from './policy.ts';
import {
  blockHard,
  blockSoft,
  cleanStanding,
  copyStanding,
  endBlocks,
  hardBlocked,
  isHardBlocked,
  isSoftBlocked,
  lifted,
  ownStanding,
  remembered,
} from './standing.ts';

const { ladder } = defaultLogin;
const clean = () => copyStanding(cleanStanding);

describe('the ladder (§10)', () => {
  it('falls by one after each level’s own time, from the end of the block on', () => {
    const end = 10 * HOUR_MS;
    const level = (after: number) => rememberedLevel(4, end, end + after, ladder);
    expect([level(-1), level(0), level(3 * HOUR_MS - 1), level(3 * HOUR_MS)]).toEqual([4, 4, 4, 3]);
    expect([level(4 * HOUR_MS - 1), level(4 * HOUR_MS)]).toEqual([3, 2]);
    expect([level(4.5 * HOUR_MS), level(4.5 * HOUR_MS + 10 * MINUTE_MS)]).toEqual([1, 0]);
  });

  it('escalates from the base, or one above what is remembered, up to the top', () => {
    expect([
      escalate(2, 0, 6),
      escalate(2, 1, 6),
      escalate(2, 2, 6),
      escalate(3, 5, 6),
      escalate(2, 6, 6),
      escalate(4, 3, 3),
    ]).toEqual([2, 2, 3, 6, 6, 3]);
  });
});

describe('durationOf', () => {
  it.each([0, 7, 1.5])('stops at level %d, which the ladder does not have', (level) => {
    expect(() => durationOf(level, ladder)).toThrow(
      expect.objectContaining({ code: 'INVARIANT_BROKEN', message: `the ladder has no level ${level}` }),
    );
  });
});

describe('a key nothing is known of', () => {
  it('has no score, no block and no memory', () => {
    expect(cleanStanding).toEqual({
      score: 0,
      scoreAt: 0,
      softLevel: 0,
      softUntil: 0,
      hardLevel: 0,
      hardAt: null,
      hardUntil: 0,
      memory: 0,
    });
    expect([isHardBlocked(cleanStanding, 0), isSoftBlocked(cleanStanding, 0)]).toEqual([false, false]);
    expect(remembered(cleanStanding, 0, ladder)).toBe(0);
  });

  it('is not changed by whoever holds it', () => {
    expect(JSON.stringify({ standing: cleanStanding })).toBe('{"standing":null}');
    expect(Object.isFrozen(cleanStanding)).toBe(true);
  });
});

describe('remembered (§10)', () => {
  it('is what the last HARD block left, from its end on for as long as the ladder says', () => {
    const standing = clean();
    blockHard(standing, 1, 0, ladder);
    const end = standing.hardUntil;
    expect(
      [0, end, end + 10 * MINUTE_MS - 1, end + 10 * MINUTE_MS].map((t) => remembered(standing, t, ladder)),
    ).toEqual([1, 1, 1, 0]);
  });
});

describe('blockHard', () => {
  it('lasts as long as its level, and remembers the higher of old and new', () => {
    const standing = clean();
    blockHard(standing, 4, 1_000, ladder);
    expect([standing.hardUntil, standing.memory, isHardBlocked(standing, standing.hardUntil - 1)]).toEqual([
      1_000 + 30 * MINUTE_MS,
      4,
      true,
    ]);
    expect(isHardBlocked(standing, standing.hardUntil)).toBe(false);
    blockHard(standing, 2, standing.hardUntil, ladder);
    expect([standing.hardLevel, standing.memory]).toEqual([2, 4]);
  });

  it('pauses the decay only when the previous block began within six hours', () => {
    const standing = clean();
    blockHard(standing, 2, 0, ladder);
    expect(standing.scoreAt).toBe(0);
    const soon = copyStanding(standing);
    blockHard(soon, 2, 6 * HOUR_MS - 1, ladder);
    expect(soon.scoreAt).toBe(6 * HOUR_MS - 1 + 10 * MINUTE_MS);
    blockHard(standing, 2, 6 * HOUR_MS, ladder);
    expect(standing.scoreAt).toBe(0);
  });
});

describe('blockSoft', () => {
  it('never shortens or lowers a running SOFT, and starts anew after it', () => {
    const standing = clean();
    blockSoft(standing, 2, 0, ladder);
    blockSoft(standing, 1, 10, ladder);
    expect([standing.softLevel, standing.softUntil]).toEqual([2, 60 * SECOND_MS]);
    blockSoft(standing, 1, 60 * SECOND_MS, ladder);
    expect([standing.softLevel, standing.softUntil]).toEqual([1, 75 * SECOND_MS]);
  });
});

describe('endBlocks', () => {
  it('ends both blocks; score and memory stay', () => {
    const standing = { ...clean(), score: 7 };
    blockHard(standing, 5, 0, ladder);
    blockSoft(standing, 1, 0, ladder);
    endBlocks(standing, 5_000);
    expect([
      isHardBlocked(standing, 5_000),
      isSoftBlocked(standing, 5_000),
      standing.score,
      standing.memory,
    ]).toEqual([false, false, 7, 5]);
    expect([standing.hardUntil, standing.softUntil, standing.softLevel]).toEqual([5_000, 5_000, 0]);
  });

  it('does not prolong what has ended before', () => {
    const standing = clean();
    blockHard(standing, 2, 0, ladder);
    blockSoft(standing, 1, 0, ladder);
    endBlocks(standing, HOUR_MS);
    expect([standing.hardUntil, standing.softUntil]).toEqual([60 * SECOND_MS, 15 * SECOND_MS]);
  });
});

describe('hardBlocked and lifted', () => {
  it('give another standing and leave theirs as it was', () => {
    const blocked = hardBlocked(cleanStanding, 3, 0, ladder);
    expect([blocked.hardLevel, isHardBlocked(blocked, 1), cleanStanding]).toEqual([3, true, clean()]);
    expect([isHardBlocked(lifted(blocked, 1), 1), isHardBlocked(blocked, 1)]).toEqual([false, true]);
  });
});

describe('ownStanding', () => {
  it('parts a holder from the standing that all clean keys share, once', () => {
    const holder = { standing: cleanStanding };
    const own = ownStanding(holder);
    expect([own, own === cleanStanding, ownStanding(holder) === own]).toEqual([clean(), false, true]);
  });
});
