import { describe, expect, it } from 'vitest';
import type { Denied } from './admission.ts';
import { overloadAnswer } from './overload-problem.ts';

const denied: Denied = {
  admitted: false,
  reason: 'queue-full',
  route: 'create',
  waitedMs: 0,
  retryAfterMs: 1_001,
};

describe('overloadAnswer', () => {
  it('is a problem document with all the fields of the contract', () => {
    expect(overloadAnswer(denied, { requestId: 'r-1', instance: '/create?x=1' })).toEqual({
      status: 503,
      headers: {
        'content-type': 'application/problem+json',
        'retry-after': '2',
        'cache-control': 'no-store',
      },
      problem: {
        type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
        title: 'Service Unavailable',
        status: 503,
        detail: 'The service is working at its limit',
        code: 'OVERLOADED',
        retryAfter: '2',
        requestId: 'r-1',
        instance: '/create',
      },
    });
  });

  it('never says to come back in 0 seconds', () => {
    const answer = overloadAnswer({ ...denied, retryAfterMs: 0 }, { requestId: 'r', instance: '/' });
    expect(answer.headers['retry-after']).toBe('1');
  });

  it('tells nobody why or where', () => {
    const texts = (['queue-full', 'deadline', 'displaced', 'aborted'] as const).map((reason) =>
      JSON.stringify(overloadAnswer({ ...denied, reason, route: reason }, { requestId: 'r', instance: '/' })),
    );
    expect(new Set(texts).size).toBe(1);
  });
});
