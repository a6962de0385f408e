import { describe, expect, it } from 'vitest';
import {
  type Budget,
  budgetReason,
  copyBudget,
  countFailure,
  isBudgetSoft,
  issueBudget,
  makeBudget,
  presentBudget,
  renewBudget,
} from './budget.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './duration.ts';
import { defaultLogin, defaultOtp } from './policy.ts';

const { budget: login, ladder } = defaultLogin;
const { budget: otp } = defaultOtp;

/** A budget that has counted so many failures, a minute apart, the first at `from`. */
function counted(times: number, policy = login, from = 0, guardable = false) {
  const budget = makeBudget();
  const guarded = Array.from({ length: times }, (_, index) =>
    countFailure(budget, from + index * MINUTE_MS, policy, guardable),
  );
  return { budget, isGuarded: guarded.at(-1) };
}

describe('a new budget (§7)', () => {
  it('has counted nothing, is not active, and shows nothing', () => {
    expect(makeBudget()).toEqual({
      failures: [],
      epochStart: null,
      cooldownUntil: 0,
      softUntil: 0,
      guarded: false,
    });
  });

  it('is copied whole', () => {
    const { budget } = counted(3);
    const copy = copyBudget(budget);
    copy.failures.push(9);
    expect([copyBudget(budget), budget.failures.length]).toEqual([budget, 3]);
  });
});

describe('detection (§7)', () => {
  it.each([
    ['login', login, 20],
    ['otp', otp, 10],
  ])('%s becomes active with the last one of its threshold, from the oldest of them on', (_, policy, n) => {
    const before = counted(n - 1, policy, 7).budget;
    expect([before.epochStart, before.failures.length]).toEqual([null, n - 1]);
    const after = counted(n, policy, 7).budget;
    expect([after.epochStart, after.failures]).toEqual([7, []]);
  });

  it('rolls: all of them must lie within 24 hours', () => {
    const late = (at: number) => {
      const { budget } = counted(19);
      countFailure(budget, at, login, false);
      return budget;
    };
    expect(late(DAY_MS - 1).epochStart).toBe(0);
    expect(late(DAY_MS).epochStart).toBeNull();
    const rolled = late(DAY_MS);
    expect([rolled.failures.length, rolled.failures[0]]).toEqual([20, 0]);
    countFailure(rolled, DAY_MS + 1, login, false);
    expect(rolled.epochStart).toBe(MINUTE_MS);
  });

  it('counts no failure of an active epoch', () => {
    const { budget, isGuarded } = counted(25);
    expect([budget.epochStart, budget.failures, isGuarded]).toEqual([0, [], false]);
  });
});

describe('the recovery guard of otp (§7)', () => {
  it('takes the tenth failure of a device that may be the owner’s, once; the next one activates', () => {
    const { budget, isGuarded } = counted(10, otp, 0, true);
    expect([isGuarded, budget.guarded, budget.epochStart]).toEqual([true, true, null]);
    expect(countFailure(budget, 10 * MINUTE_MS, otp, true)).toBe(false);
    expect(budget.epochStart).toBe(MINUTE_MS);
  });

  it('takes none before the tenth, none of others, and none for login', () => {
    expect(counted(9, otp, 0, true)).toMatchObject({ isGuarded: false, budget: { guarded: false } });
    expect(counted(10, otp, 0, false)).toMatchObject({ isGuarded: false, budget: { epochStart: 0 } });
    expect(counted(20, login, 0, true)).toMatchObject({ isGuarded: false, budget: { epochStart: 0 } });
  });

  it('is unused again when no failure lies within 24 hours, and not before', () => {
    const usedUntil = (at: number) => {
      const { budget } = counted(10, otp, 0, true);
      countFailure(budget, at, otp, true);
      return budget.guarded;
    };
    const last = 9 * MINUTE_MS;
    expect([usedUntil(last + DAY_MS - 1), usedUntil(last + DAY_MS)]).toEqual([true, false]);
  });
});

describe('an active budget (§7)', () => {
  /** Active since 0, issued at one hour. */
  const active = (trusted = false) => {
    const { budget } = counted(20);
    issueBudget(budget, HOUR_MS, login, trusted, ladder);
    return budget;
  };

  it('is issued with the level of whom it meets, and rests for its cooldown', () => {
    expect(active()).toMatchObject({ cooldownUntil: 2 * HOUR_MS, softUntil: HOUR_MS + 5 * MINUTE_MS });
    expect(active(true)).toMatchObject({ cooldownUntil: 2 * HOUR_MS, softUntil: HOUR_MS + MINUTE_MS });
  });

  it('shows the level by the request, the end as it was issued', () => {
    const until = HOUR_MS + 5 * MINUTE_MS;
    const shown = { rule: 'budget', scope: 'K4', outcome: 'SOFT_BLOCK', until };
    expect(budgetReason(active(), login, false)).toEqual({ ...shown, level: 3 });
    expect(budgetReason(active(), login, true)).toEqual({ ...shown, level: 2 });
    expect([false, true].map((trusted) => budgetReason(active(), otp, trusted).level)).toEqual([4, 3]);
  });

  it('is SOFT until its end, and only while it is active', () => {
    const until = HOUR_MS + 5 * MINUTE_MS;
    expect([isBudgetSoft(active(), until - 1), isBudgetSoft(active(), until)]).toEqual([true, false]);
    expect(isBudgetSoft({ ...makeBudget(), softUntil: until }, 0)).toBe(false);
  });

  it('starts anew when its epoch ends, whatever it held', () => {
    const budget: Budget = { ...active(), guarded: true };
    expect(presentBudget(budget, DAY_MS - 1, login)).toBe(budget);
    expect(presentBudget(budget, DAY_MS, login)).toEqual(makeBudget());
    const draft = copyBudget(budget);
    renewBudget(draft, DAY_MS - 1, login);
    expect(draft).toEqual(budget);
    renewBudget(draft, DAY_MS, login);
    expect(draft).toEqual(makeBudget());
  });

  it('that is not active does not end', () => {
    const { budget } = counted(3);
    expect(presentBudget(budget, 9 * DAY_MS, login)).toBe(budget);
  });
});
