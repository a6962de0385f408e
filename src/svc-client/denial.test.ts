import { describe, expect, it } from 'vitest';
import { type Denial, isDenialReason, problemOf } from './denial.ts';

const target = 'stock@1';
const denials: readonly (readonly [Denial, number, string, string | undefined])[] = [
  [{ reason: 'target-rate', target, retryAfterMs: 1 }, 429, 'RATE_LIMIT', '1'],
  [{ reason: 'global-rate', target, retryAfterMs: 1_001 }, 429, 'RATE_LIMIT', '2'],
  [{ reason: 'target-breaker', target, retryAfterMs: 0 }, 503, 'BREAKER_OPEN', '1'],
  [{ reason: 'global-breaker', target, cause: 'latency', retryAfterMs: 5_000 }, 503, 'BREAKER_OPEN', '5'],
  [{ reason: 'deadline', target }, 504, 'DEADLINE_EXCEEDED', undefined],
  [{ reason: 'loop', target, hops: ['a@1'] }, 508, 'LOOP_DETECTED', undefined],
  [{ reason: 'too-many-hops', target }, 508, 'TOO_MANY_HOPS', undefined],
];

describe('a denial over HTTP', () => {
  it.each(denials)('is problem+json: %j', (denial, status, code, retryAfter) => {
    const problem = problemOf(denial, 'r1');
    expect(problem.status).toBe(status);
    expect(problem.headers['content-type']).toBe('application/problem+json');
    expect(problem.headers['x-portcullis-denied']).toBe(denial.reason);
    expect(problem.headers['retry-after']).toBe(retryAfter);
    expect(JSON.parse(problem.body)).toMatchObject({ type: 'about:blank', status, code, requestId: 'r1' });
    expect(JSON.parse(problem.body).retryAfter).toBe(retryAfter);
  });

  it('says nothing about the services behind', () => {
    const { body } = problemOf({ reason: 'loop', target, hops: ['hidden@1'] }, 'r1');
    expect(body).not.toContain('hidden');
    expect(body).not.toContain(target);
  });

  it('has a reason out of a closed list', () => {
    expect(denials.every(([{ reason }]) => isDenialReason(reason))).toBe(true);
    expect(isDenialReason('toString')).toBe(false);
    expect(isDenialReason(7)).toBe(false);
  });
});
