import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationWords, lockoutMessage } from './lockout-words.ts';
import { blocked, verdictOn } from './verdict.ts';

const maxima = { maxIdentifierAttempts: 10, maxIpAttempts: 20 };
const tally = (attempts: number, remainingMs: number) => ({ attempts, remainingMs, window: 0 });

describe('a verdict', () => {
  test.each([
    ['at the maximum', [10, 5_000], [20, 5_000], null],
    ['an account above it', [11, 5_000], [11, 9_000], ['identifier', 5]],
    ['an address above it', [10, 9_000], [21, 5_000], ['ip', 5]],
    ['both, the address for longer', [11, 5_000], [21, 9_001], ['ip', 10]],
    ['both, the account for longer', [11, 9_001], [21, 5_000], ['identifier', 10]],
    ['both, as long', [11, 5_000], [21, 5_000], ['identifier', 5]],
    ['a window that ends right now', [11, 0], [1, 5_000], ['identifier', 1]],
  ] as const)('on %s', (_, [id, idMs], [ip, ipMs], expected) => {
    const verdict = verdictOn({ identifiers: [tally(id, idMs)], ip: tally(ip, ipMs) }, maxima);
    expect(verdict.allowed ? null : [verdict.reason, verdict.retryAfterSeconds]).toEqual(expected);
  });

  test('locks whatever is above its maximum, and nothing else', () => {
    const count = fc.nat({ max: 30 });
    fc.assert(
      fc.property(fc.array(count, { maxLength: 4 }), fc.option(count), (ids, ip) => {
        const identifiers = ids.map((attempts) => tally(attempts, 1_000));
        const verdict = verdictOn({ identifiers, ip: ip === null ? null : tally(ip, 1_000) }, maxima);
        expect(verdict.allowed).toBe(ids.every((attempts) => attempts <= 10) && (ip ?? 0) <= 20);
      }),
    );
  });
});

describe('words', () => {
  test.each([
    [1, '1 second'],
    [45, '45 seconds'],
    [59, '59 seconds'],
    [60, '1 minute'],
    [61, '2 minutes'],
    [120, '2 minutes'],
    [3_599, '60 minutes'],
    [3_600, '1 hour'],
    [86_400, '24 hours'],
  ])('%d s is %s', (seconds, words) => {
    expect(durationWords(seconds)).toBe(words);
  });

  test('never promise too much', () => {
    const units = { second: 1, minute: 60, hour: 3_600 };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), (seconds) => {
        const [, count = '', unit = ''] = /^(\d+) (second|minute|hour)s?$/.exec(durationWords(seconds)) ?? [];
        expect(Number(count) * units[unit as keyof typeof units]).toBeGreaterThanOrEqual(seconds);
      }),
    );
  });

  test('are the same for an account and for one that does not exist, and say more only of the store', () => {
    expect(lockoutMessage(blocked('identifier', 90_000, 'NORMAL'))).toBe(
      lockoutMessage(blocked('ip', 90_000, 'NORMAL')),
    );
    expect(lockoutMessage(blocked('store', 60_000, 'FAIL_CLOSED'))).toBe(
      'Signing in is not possible right now. Please try again in 1 minute.',
    );
  });
});
