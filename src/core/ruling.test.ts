import { describe, expect, it } from 'vitest';
import type { Scope } from './decision.ts';
import { MINUTE_MS, SECOND_MS } from './duration.ts';
import { defaultApi, defaultLogin } from './policy.ts';
import { type Judged, Ruling } from './ruling.ts';
import { blockHard, blockSoft, cleanStanding, copyStanding, type Standing } from './standing.ts';

const now = 1_000_000;
const { ladder } = defaultLogin;

/** A key with a clean record of its own. */
const keyOf = (scope: Scope, own = true, standing: Standing = cleanStanding): Judged => ({
  scope,
  holder: { standing: copyStanding(standing) },
  now,
  own,
});

/** What a key remembers after a HARD block of this level that has just ended. */
function remembering(level: number): Standing {
  const standing = copyStanding(cleanStanding);
  blockHard(standing, level, 0, ladder);
  standing.hardUntil = now;
  return standing;
}

describe('a HARD that is spoken (§10)', () => {
  it('blocks once all have spoken, for as long as its level lasts, and is a reason', () => {
    const ruling = new Ruling({ ladder });
    const account = keyOf('K4');
    ruling.hard('score', account, 2);
    expect(account.holder.standing.hardUntil).toBe(0);
    expect(ruling.settle()).toEqual([
      { rule: 'score', scope: 'K4', outcome: 'HARD_BLOCK', level: 2, until: now + MINUTE_MS },
    ]);
    expect(account.holder.standing).toMatchObject({ hardLevel: 2, hardAt: now, hardUntil: now + MINUTE_MS });
  });

  it('beside others on the same key is a reason of its own level; the highest is set', () => {
    for (const levels of [
      [2, 4, 3],
      [4, 2, 3],
      [3, 2, 4],
    ]) {
      const ruling = new Ruling({ ladder });
      const account = keyOf('K4');
      for (const level of levels) ruling.hard('score', account, level);
      expect(ruling.settle().map(({ level }) => level)).toEqual(levels);
      expect(account.holder.standing).toMatchObject({
        hardLevel: 4,
        memory: 4,
        hardUntil: now + 30 * MINUTE_MS,
      });
    }
  });

  it('is dropped on a key whose HARD is running: no reason, no change', () => {
    const blocked = keyOf('K4', true, {
      ...cleanStanding,
      hardLevel: 2,
      hardAt: now - 1,
      hardUntil: now + 1,
    });
    const before = copyStanding(blocked.holder.standing);
    const ruling = new Ruling({ ladder });
    ruling.hard('score', blocked, 6);
    ruling.escalate('rotation.repeat', blocked, 4);
    expect([ruling.settle(), ruling.hasHard(), blocked.holder.standing]).toEqual([[], false, before]);
  });

  it('is set anew on a key whose HARD ends now', () => {
    const ended = keyOf('K4', true, { ...cleanStanding, hardLevel: 2, hardAt: 0, hardUntil: now });
    const ruling = new Ruling({ ladder });
    ruling.hard('score', ended, 2);
    expect(ruling.settle().map(({ until }) => until)).toEqual([now + MINUTE_MS]);
  });

  it('on another’s key blocks it and is no reason', () => {
    const ruling = new Ruling({ ladder });
    const other = keyOf('K5', false);
    ruling.escalate('rotation', other, 2);
    expect([ruling.settle(), other.holder.standing.hardUntil]).toEqual([[], now + MINUTE_MS]);
  });
});

describe('escalate (§10)', () => {
  const escalated = (scope: Scope, memory: number, base: number, policy: { ladder: typeof ladder }) => {
    const ruling = new Ruling(policy);
    ruling.escalate('score', keyOf(scope, true, remembering(memory)), base);
    return ruling.settle()[0]?.level;
  };

  it('begins at its base and goes one above what the key remembers, to level 6', () => {
    expect([1, 2, 5, 6].map((memory) => escalated('K4', memory, 2, defaultLogin))).toEqual([2, 3, 6, 6]);
  });

  it.each(['K1', 'P48', 'P40'] as const)('goes no higher than 3 on %s, which is advisory', (scope) => {
    expect([escalated(scope, 2, 2, defaultLogin), escalated(scope, 6, 2, defaultLogin)]).toEqual([3, 3]);
  });

  it.each(['K4', 'K5', 'K3', 'D', 'K2'] as const)('goes on to 6 on %s', (scope) => {
    expect(escalated(scope, 5, 2, defaultLogin)).toBe(6);
  });

  it('goes no higher than 4 in api, nor above a top that is lower than the advisory one', () => {
    expect([escalated('K3', 6, 2, defaultApi), escalated('K1', 6, 3, defaultApi)]).toEqual([4, 3]);
    expect(escalated('K1', 6, 2, { ladder: { ...ladder, maxLevel: 2 } })).toBe(2);
  });
});

describe('a SOFT that is spoken (§10)', () => {
  it('is stored and told', () => {
    const ruling = new Ruling({ ladder });
    const account = keyOf('K4');
    ruling.soft('score', account, 1);
    const until = now + 15 * SECOND_MS;
    expect(ruling.settle()).toEqual([{ rule: 'score', scope: 'K4', outcome: 'SOFT_BLOCK', level: 1, until }]);
    expect(account.holder.standing).toMatchObject({ softLevel: 1, softUntil: until });
  });

  it('is told as it is stored: an earlier one may be higher and longer', () => {
    const earlier = copyStanding(cleanStanding);
    blockSoft(earlier, 3, now - 1_000, ladder);
    const ruling = new Ruling({ ladder });
    ruling.soft('flood', keyOf('K4', true, earlier), 1);
    expect(ruling.settle()).toMatchObject([{ rule: 'flood', level: 3, until: now - 1_000 + 5 * MINUTE_MS }]);
  });

  it('is stored beside a HARD too; both are reasons', () => {
    const ruling = new Ruling({ ladder });
    const account = keyOf('K4');
    ruling.soft('guard', account, 2);
    ruling.soft('flood', account, 1);
    ruling.hard('score', account, 2);
    expect(ruling.settle().map(({ rule, level }) => `${rule} ${level}`)).toEqual([
      'score 2',
      'guard 2',
      'flood 2',
    ]);
    expect(account.holder.standing).toMatchObject({ softLevel: 2, hardLevel: 2 });
  });

  it('on another’s key is stored and is no reason', () => {
    const ruling = new Ruling({ ladder });
    const other = keyOf('K5', false);
    ruling.soft('flood', other, 1);
    expect([ruling.settle(), ruling.hasSoft('K5'), other.holder.standing.softLevel]).toEqual([[], false, 1]);
  });
});

describe('what has been spoken', () => {
  it('is nothing at first, and changes nothing', () => {
    const ruling = new Ruling({ ladder });
    expect([ruling.hasHard(), ruling.hasHard('K4'), ruling.hasSoft('K4'), ruling.settle()]).toEqual([
      false,
      false,
      false,
      [],
    ]);
  });

  it('counts on the request’s own keys, by scope where one is asked for', () => {
    const ruling = new Ruling({ ladder });
    ruling.hard('rotation', keyOf('K4', false), 2);
    expect([ruling.hasHard(), ruling.hasHard('K4')]).toEqual([false, false]);
    ruling.hard('rotation', keyOf('K5'), 2);
    expect([ruling.hasHard(), ruling.hasHard('K5'), ruling.hasHard('K4')]).toEqual([true, true, false]);
    ruling.soft('flood', keyOf('K4', false), 1);
    ruling.soft('score', keyOf('K2'), 1);
    expect([ruling.hasSoft('K2'), ruling.hasSoft('K4'), ruling.hasHard('K2')]).toEqual([true, false, false]);
  });
});

describe('a rule in shadow', () => {
  const shadow = ['spray', 'flood'] as const;

  it('is told with what it would have done, blocks nothing and counts as not spoken', () => {
    const ruling = new Ruling({ ladder, shadow });
    const [network, account] = [keyOf('K1'), keyOf('K4')];
    ruling.escalate('spray', network, 2);
    ruling.soft('flood', account, 1);
    expect([ruling.hasHard(), ruling.hasSoft('K4')]).toEqual([false, false]);
    expect(ruling.settle()).toEqual([
      { rule: 'spray', scope: 'K1', outcome: 'HARD_BLOCK', level: 2, until: now + MINUTE_MS },
      { rule: 'flood', scope: 'K4', outcome: 'SOFT_BLOCK', level: 1, until: now + 15 * SECOND_MS },
    ]);
    expect([network.holder.standing, account.holder.standing]).toEqual([cleanStanding, cleanStanding]);
  });

  it('is told beside the others, and not of another’s key', () => {
    const ruling = new Ruling({ ladder, shadow });
    ruling.hard('spray', keyOf('K1', false), 2);
    ruling.hard('spray', keyOf('K1'), 2);
    ruling.hard('score', keyOf('K4'), 2);
    expect(ruling.settle().map(({ rule, scope }) => `${rule} ${scope}`)).toEqual(['score K4', 'spray K1']);
  });
});
