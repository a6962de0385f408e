import { describe, expect, it } from 'vitest';
import { defaultApi, defaultLogin, defaultOtp, defaultPolicies, isInShadow, rulesOf } from './policy.ts';

/** A time as the contract writes it: `10 min`. */
function ms(text: string): number {
  const [amount = '', unit = ''] = text.split(' ');
  const unitMs = { s: 1_000, min: 60_000, h: 3_600_000, days: 86_400_000 }[unit] ?? Number.NaN;
  return Number(amount) * unitMs;
}

describe('the default policies', () => {
  it('are three, each bound to its action', () => {
    expect(defaultPolicies.map(({ name, kind, actions }) => [name, kind, actions])).toEqual([
      ['login', 'credential', ['auth.login']],
      ['otp', 'credential', ['auth.otp']],
      ['api', 'rate', ['api.heavy']],
    ]);
  });

  it('have the owner lane on (§4), keep records 72 h and the book 90 days (§3)', () => {
    for (const { ownerLane, retention } of defaultPolicies) {
      expect(ownerLane).toBe(true);
      expect(retention).toEqual({ recordMs: ms('72 h'), bookMs: ms('90 days') });
    }
  });

  it('have nothing in shadow', () => {
    expect(defaultPolicies.map((policy) => isInShadow(policy, 'score'))).toEqual([false, false, false]);
  });

  it('have the rules of their sections', () => {
    const correlated = ['equilibrium', 'rotation', 'rotation.repeat', 'dilution', 'churn', 'flood'];
    expect(new Set(rulesOf(defaultLogin))).toEqual(
      new Set(['score', 'budget', 'spray', 'prefix', ...correlated]),
    );
    expect(new Set(rulesOf(defaultOtp))).toEqual(new Set(['score', 'budget', 'guard', ...correlated]));
    expect(rulesOf(defaultApi)).toEqual(['minor', 'moderate', 'severe']);
  });
});

describe('scores (§5)', () => {
  const { score: login } = defaultLogin;
  const { score: otp } = defaultOtp;

  it.each([
    ['a known device', login.knownDevice, 2, otp.knownDevice, 4],
    ['a device not known', login.newDevice, 3, otp.newDevice, 5],
    ['a missing device', login.missingDevice, 4, otp.missingDevice, 6],
    ['a missing device again', login.missingDeviceAgain, 6, otp.missingDeviceAgain, 8],
    ['one more sprayed account, which otp does not watch', login.sprayedAccount, 5, otp.sprayedAccount, 0],
  ])('of %s', (_, forLogin, atLogin, forOtp, atOtp) => {
    expect([forLogin, forOtp]).toEqual([atLogin, atOtp]);
  });

  it('lead to SOFT, HARD and an escalation from the thresholds of the contract on', () => {
    expect([login.softFrom, login.hardFrom, login.severeFrom]).toEqual([5, 8, 12]);
    expect([otp.softFrom, otp.hardFrom, otp.severeFrom]).toEqual([4, 7, 10]);
  });

  it('decay by a point in 10, 5 and 3 minutes; a missing device is again there for half an hour', () => {
    for (const { decayMs, missingDeviceAgainMs } of [login, otp]) {
      expect(decayMs).toEqual({ account: ms('10 min'), accountDevice: ms('5 min'), network: ms('3 min') });
      expect(missingDeviceAgainMs).toBe(ms('30 min'));
    }
  });
});

describe('caps (§6)', () => {
  it.each(defaultPolicies)('of $name', ({ caps }) => {
    expect(caps).toEqual({
      accountDevices: 16,
      newAccountDevices: 10,
      newAccountDevicesMs: ms('15 min'),
      networkDevices: 50,
      networkAgents: 50,
      networkSightsMs: ms('15 min'),
      bookDevices: 16,
    });
  });
});

describe('failure budgets (§7)', () => {
  it('login: 20 eligible failures in a day, level 3, 2 for a trusted device, every 60 min, shown at check', () => {
    expect(defaultLogin.budget).toEqual({
      threshold: 20,
      epochMs: ms('24 h'),
      cooldownMs: ms('60 min'),
      level: 3,
      trustedLevel: 2,
      countsEveryFailure: false,
      knownDeviceGrace: 8,
      shownAtCheck: true,
      guardLevel: null,
    });
  });

  it('otp: any 10 failures in a day, level 4, 3 for a trusted device, every 120 min, with a guard', () => {
    expect(defaultOtp.budget).toMatchObject({
      threshold: 10,
      epochMs: ms('24 h'),
      cooldownMs: ms('120 min'),
      level: 4,
      trustedLevel: 3,
      countsEveryFailure: true,
      shownAtCheck: false,
      guardLevel: 2,
    });
  });

  it('otp: every entry of a device keeps the times of its last nine failures, as for login (§6)', () => {
    expect(defaultOtp.budget.knownDeviceGrace + 1).toBe(9);
  });
});

describe('correlation (§8, §9)', () => {
  const { spray, prefixes, ...both } = defaultLogin.correlation;

  it('watches for the same in login and otp, except sprays, which only login does', () => {
    expect(defaultOtp.correlation).toEqual({ ...both, spray: null, prefixes: null });
  });

  it('fires at the counts and windows of the contract', () => {
    expect(spray).toEqual({ count: 5, windowMs: ms('10 min') });
    expect(both).toEqual({
      watchMs: ms('30 min'),
      rotation: { count: 4, windowMs: ms('10 min') },
      rotationRepeat: { count: 3, windowMs: ms('24 h'), level: 4 },
      dilution: {
        count: 6,
        windowMs: ms('10 min'),
        confirmFromMs: ms('10 min'),
        confirmUntilMs: ms('20 min'),
      },
      churn: { count: 4, windowMs: ms('10 min') },
      flood: { count: 6, windowMs: ms('15 min'), runsMs: ms('15 min'), capacity: 16 },
      equilibrium: { count: 3, windowMs: ms('6 h') },
    });
  });

  it('asks for more accounts the wider the prefix', () => {
    expect(prefixes).toEqual({
      windowMs: ms('10 min'),
      childCapacity: 16,
      p48: { children: 2, accounts: 5 },
      p40: { children: 4, accounts: 20 },
      p32: { children: 8, accounts: 80 },
    });
  });
});

describe('the ladder (§10)', () => {
  it.each([
    [1, '15 s', '10 min'],
    [2, '60 s', '30 min'],
    [3, '5 min', '1 h'],
    [4, '30 min', '3 h'],
    [5, '6 h', '12 h'],
    [6, '24 h', '24 h'],
  ])('level %i lasts %s and is remembered for %s', (level, lasts, isRemembered) => {
    for (const { ladder } of defaultPolicies) {
      expect([ladder.durationsMs[level - 1], ladder.memoryMs[level - 1]]).toEqual([
        ms(lasts),
        ms(isRemembered),
      ]);
    }
  });

  it('ends at 6, at 4 for api, at 3 for a block on an IP prefix alone', () => {
    expect(defaultPolicies.map(({ ladder }) => ladder.maxLevel)).toEqual([6, 6, 4]);
    for (const { ladder } of defaultPolicies) {
      expect(ladder.maxAdvisoryLevel).toBe(3);
      expect([ladder.durationsMs.length, ladder.memoryMs.length]).toEqual([6, 6]);
    }
  });

  it('pauses decay for 10 minutes when blocks begin within 6 hours of each other', () => {
    for (const { ladder } of defaultPolicies) {
      expect([ladder.cycleMs, ladder.decayPauseMs]).toEqual([ms('6 h'), ms('10 min')]);
    }
  });
});

describe('api limits (§11)', () => {
  it('are 120 calls a minute for an agent, 300 for a device, 600 for a network', () => {
    expect(defaultApi.limits).toEqual({ minor: 120, moderate: 300, severe: 600 });
  });
});

describe('isInShadow', () => {
  it('holds for the rules that are named, and no other', () => {
    const policy = { shadow: ['spray', 'flood'] } as const;
    expect([isInShadow(policy, 'spray'), isInShadow(policy, 'flood'), isInShadow(policy, 'score')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(isInShadow({}, 'spray')).toBe(false);
  });
});
