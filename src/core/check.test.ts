import { describe, expect, it } from 'vitest';
import { alice } from '../../test/engine/alice.ts';
import { makeBudget } from './budget.ts';
import { check } from './check.ts';
import type { Decision } from './decision.ts';
import { HOUR_MS } from './duration.ts';
import { Keyspace } from './keys.ts';
import { type CredentialPolicy, defaultLogin, defaultOtp } from './policy.ts';
import { accountKind } from './record-kinds.ts';
import type { Records, StoredRecord } from './records.ts';
import { openRequest } from './request.ts';
import { cleanStanding, type Standing } from './standing.ts';
import type { AccountRecord } from './state.ts';

const t = 10 * HOUR_MS;
const running = { ...makeBudget(), epochStart: t - HOUR_MS, softUntil: t + 500 };
const soft: Standing = { ...cleanStanding, softLevel: 1, softUntil: t + 300 };

/** What a check says of an account whose record is this. */
function checked(account: Partial<AccountRecord>, policy: CredentialPolicy = defaultLogin): Decision {
  const { keys, ...request } = openRequest(
    policy,
    new Keyspace('live', policy.name),
    alice({ device: null }),
  );
  const record = { ...accountKind.make(), at: t, ...account };
  const records: Records = {
    get: <R extends StoredRecord>({ text }: { text: string }) =>
      (text === keys.account?.text ? record : undefined) as StoredRecord | undefined as R | undefined,
    put: () => expect.unreachable('a check writes nothing'),
  };
  const course = check({ ...request, keys }).look(records, t);
  expect(course.steps).toEqual([]);
  return course.decide([]);
}

const rulesOf = ({ reasons }: Decision) => reasons.map(({ rule, outcome }) => `${rule} ${outcome}`);

describe('check (§4.1)', () => {
  it('of an account with nothing against it allows', () => {
    expect(checked({}).outcome).toBe('ALLOW');
  });

  it('of a running budget alone is a SOFT block that is deferred', () => {
    const decision = checked({ budget: running });
    expect(decision).toMatchObject({ outcome: 'SOFT_BLOCK', level: 3, until: t + 500, deferred: true });
    expect(rulesOf(decision)).toEqual(['budget SOFT_BLOCK']);
  });

  it('of a stored SOFT is not deferred, also beside a running budget; both are listed', () => {
    const decision = checked({ standing: soft, budget: running });
    expect(rulesOf(decision)).toEqual(['blocked SOFT_BLOCK', 'budget SOFT_BLOCK']);
    expect([decision.deferred, checked({ standing: soft }).deferred]).toEqual([false, false]);
  });

  it('of a HARD lists no SOFT, and is not deferred', () => {
    const decision = checked({ standing: { ...soft, hardLevel: 2, hardUntil: t + 1 }, budget: running });
    expect([rulesOf(decision), decision.deferred]).toEqual([['blocked HARD_BLOCK'], false]);
  });

  it('shows no budget of otp', () => {
    expect(checked({ budget: running }, defaultOtp).outcome).toBe('ALLOW');
  });

  it('tells of a budget in shadow beside an ALLOW that is not deferred', () => {
    const decision = checked({ budget: running }, { ...defaultLogin, shadow: ['budget'] });
    expect([decision.outcome, decision.deferred, decision.reasons]).toEqual(['ALLOW', false, []]);
    expect(decision.shadow?.map(({ rule }) => rule)).toEqual(['budget']);
  });
});
