import { describe, expect, it } from 'vitest';
import type { Scope } from './decision.ts';
import { MINUTE_MS } from './duration.ts';
import { defaultLogin, defaultOtp, type ScorePolicy } from './policy.ts';
import { Ruling } from './ruling.ts';
import { judgeScore, raiseScore } from './score.ts';
import { cleanStanding, type Standing } from './standing.ts';

const { ladder } = defaultLogin;
const intervalMs = 10 * MINUTE_MS;

/** Score and score time after a failure of 3 points at `now`. */
function raised(before: Partial<Standing>, now: number): [number, number] {
  const holder = { standing: { ...cleanStanding, ...before } };
  raiseScore({ scope: 'K4', holder, now, own: true }, 3, intervalMs, ladder);
  return [holder.standing.score, holder.standing.scoreAt];
}

describe('decay (§5)', () => {
  const start = 100 * MINUTE_MS;

  it('forgets one point per whole interval and keeps the rest of it', () => {
    const before = { score: 5, scoreAt: start };
    expect(raised(before, start + intervalMs - 1)).toEqual([8, start]);
    expect(raised(before, start + intervalMs)).toEqual([7, start + intervalMs]);
    expect(raised(before, start + 3 * intervalMs - 1)).toEqual([6, start + 2 * intervalMs]);
  });

  it('ends at 0, and begins with what is added then', () => {
    const before = { score: 2, scoreAt: start };
    expect(raised(before, start + 2 * intervalMs + 5)).toEqual([3, start + 2 * intervalMs + 5]);
    expect(raised(before, start + 9 * intervalMs + 5)).toEqual([3, start + 9 * intervalMs + 5]);
    expect(raised({}, start)).toEqual([3, start]);
  });

  it('goes on with the rest of the interval while a point is left', () => {
    expect(raised({ score: 2, scoreAt: start }, start + intervalMs + 5)).toEqual([4, start + intervalMs]);
  });

  it('pauses until a time that lies ahead, also for a key without a score', () => {
    const ahead = start + 3 * intervalMs;
    expect(raised({ score: 5, scoreAt: ahead }, start)).toEqual([8, ahead]);
    expect(raised({ score: 0, scoreAt: ahead }, start)).toEqual([3, ahead]);
  });

  it('is half as fast while the key remembers level 2 or more', () => {
    const at = start + 4 * intervalMs;
    const remembering = (memory: number) => raised({ score: 9, scoreAt: start, memory, hardUntil: at }, at);
    expect([remembering(1), remembering(2), remembering(3)]).toEqual([
      [8, at],
      [10, at],
      [10, at],
    ]);
  });
});

describe('thresholds (§5)', () => {
  function judged(score: number, policy: ScorePolicy, scope: Scope = 'K4'): string[] {
    const ruling = new Ruling({ ladder });
    judgeScore(
      ruling,
      { scope, holder: { standing: { ...cleanStanding, score } }, now: 0, own: true },
      policy,
    );
    return ruling.settle().map(({ rule, outcome, level }) => `${rule} ${outcome} ${level}`);
  }
  const soft = ['score SOFT_BLOCK 1'];
  const hard = ['score HARD_BLOCK 2'];
  const severe = ['score HARD_BLOCK 3'];

  it('of login: 5–7 SOFT, 8–11 HARD, from 12 on an escalation from level 3', () => {
    const at = [4, 5, 7, 8, 11, 12, 40].map((score) => judged(score, defaultLogin.score));
    expect(at).toEqual([[], soft, soft, hard, hard, severe, severe]);
  });

  it('of otp: 4–6 SOFT, 7–9 HARD, from 10 on an escalation from level 3', () => {
    const at = [3, 4, 6, 7, 9, 10, 40].map((score) => judged(score, defaultOtp.score));
    expect(at).toEqual([[], soft, soft, hard, hard, severe, severe]);
  });

  it('of K1, a single signal: never more than SOFT', () => {
    expect([4, 5, 8, 12].map((score) => judged(score, defaultLogin.score, 'K1'))).toEqual([
      [],
      soft,
      soft,
      soft,
    ]);
  });
});
