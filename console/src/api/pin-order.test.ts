import { describe, expect, it } from 'vitest';
import { type PinForm, pinOrder, readPin } from './pin-order.ts';

const form: PinForm = {
  kind: 'signed-in',
  ratePerSecond: 5,
  whom: 'u/1',
  policy: 'login',
  mode: 'caps',
  scenario: 'path-scan',
  rule: 'rotation.repeat',
  forMs: 60_000,
};

describe('a pin', () => {
  it.each([
    ['signed-in', 'v1/pins/limits/signed-in', { ratePerSecond: 5, forMs: 60_000 }],
    ['user', 'v1/pins/limits/user', { ratePerSecond: 5, forMs: 60_000, user: 'u/1' }],
    ['network', 'v1/pins/limits/network', { ratePerSecond: 5, forMs: 60_000, ip: 'u/1' }],
    ['failure', 'v1/pins/failure/login', { mode: 'caps', forMs: 60_000 }],
    ['scenario', 'v1/pins/scenarios/path-scan', { forMs: 60_000 }],
    ['shadow', 'v1/pins/shadow/login/rotation.repeat', { forMs: 60_000 }],
  ] as const)('of kind %s goes to its own path, and whom it is for never into one', (kind, path, body) => {
    expect(pinOrder({ ...form, kind })).toEqual({ path, body });
  });

  it('is told in words', () => {
    const told = [
      { kind: 'limit', for: 'anonymous', ratePerSecond: 2 },
      { kind: 'failure', policy: 'otp', mode: 'closed' },
      { kind: 'shadow', policy: 'login', rule: 'spray' },
      { kind: 'novelty' },
    ].flatMap((pin) => readPin({ name: 'n', by: 'a', why: 'b', until: 1, ...pin }));
    expect(told.map(({ what }) => what)).toEqual([
      'Limit of anonymous callers: 2 a second',
      'Without the store otp refuses everybody',
      'Rule spray of login runs in shadow',
      'novelty',
    ]);
  });
});
