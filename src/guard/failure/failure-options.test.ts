import { describe, expect, it } from 'vitest';
import { defaultPolicies } from '../../core/policy.ts';
import { createGuard } from '../../index.ts';
import { type FailureOptions, readFailureOptions } from './failure-options.ts';
import type { DegradedCap } from './failure-policy.ts';

const cap = (scope: DegradedCap['scope']): DegradedCap => ({ scope, count: 3, windowMs: 60_000 });
const guardWith = (caps: Readonly<Record<string, readonly DegradedCap[]>>) => () =>
  createGuard({ secret: 'a secret of enough bytes', failure: { caps } });

describe('caps', () => {
  it('are refused on accounts where a policy knows none', () => {
    expect(guardWith({ api: [cap('K1'), cap('K4')] })).toThrow(
      /^failure\.caps\.api\[1\]\.scope must be K2 or K1/,
    );
    expect(guardWith({ api: [cap('K1'), cap('K2')], login: [cap('K4')] })).not.toThrow();
  });

  it('are refused where there is none: then nothing would bound a policy without its store', () => {
    expect(guardWith({ login: [] })).toThrow(/^failure\.caps\.login must have one cap at least/);
  });

  it('are those of one-time codes for a policy of another name, whatever objects have under it', () => {
    const { capsOf } = readFailureOptions();
    const [login, otp] = defaultPolicies;
    if (login === undefined || otp === undefined) expect.unreachable();
    for (const name of ['admin', 'constructor', 'toString'])
      expect(capsOf({ ...login, name })).toEqual(capsOf(otp));
    expect(capsOf(login)).not.toEqual(capsOf(otp));
  });

  it('are refused for a policy that there is not', () => {
    expect(guardWith({ logn: [cap('K4')] })).toThrow(/^failure\.caps\.logn is for no policy/);
    expect(guardWith({ constructor: [cap('K1')] })).toThrow(/is for no policy/);
  });
});

describe('times that a timer waits for', () => {
  const longestMs = 2 ** 31 - 1;
  const guardOf = (failure: FailureOptions) => () =>
    createGuard({ secret: 'a secret of enough bytes', failure });

  it.each([
    ['failure.deadlineMs', (ms: number) => ({ deadlineMs: ms })],
    ['failure.breaker.probeEveryMs', (ms: number) => ({ breaker: { probeEveryMs: ms } })],
  ])('are refused where no timer can wait as long, for it would not wait at all: %s', (path, failureOf) => {
    expect(guardOf(failureOf(longestMs))).not.toThrow();
    expect(guardOf(failureOf(longestMs + 1))).toThrow(`${path} must be a whole number from 1 to 2147483647`);
  });
});
