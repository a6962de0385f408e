import { retryAfterSeconds } from '../core/duration.ts';
import { barePath } from './request-path.ts';
import type { Verdict } from './verdict.ts';

/** The body of a refusal, RFC 9457. */
export interface LimitProblem {
  readonly type: string;
  readonly title: 'Too Many Requests';
  readonly status: 429;
  readonly detail: 'Rate limit exceeded';
  readonly code: 'RATE_LIMIT';
  /** Whole seconds, as text. */
  readonly retryAfter: string;
  readonly requestId: string;
  /** The path that was asked for, without its query. */
  readonly instance: string;
}

export const problemMediaType = 'application/problem+json';

/** As much of a path as is told back: whoever sent more knows it. */
const longestInstance = 4_096;

/** Problem types of draft-ietf-httpapi-ratelimit-headers. */
const problemTypes = 'https://iana.org/assignments/http-problem-types#';

/** What a refused call is answered with, under status 429 and {@link problemMediaType}. */
export function limitProblem(verdict: Verdict, requestId: string, path: string): LimitProblem {
  return {
    ...refusalProblem(verdict, requestId),
    instance: barePath(path).slice(0, longestInstance),
  };
}

/** The same where the path that was asked for is not known. */
export function refusalProblem(
  { rule, retryAfterMs }: Pick<Verdict, 'rule' | 'retryAfterMs'>,
  requestId: string,
): Omit<LimitProblem, 'instance'> {
  return {
    type: `${problemTypes}${rule === 'limit' ? 'quota-exceeded' : 'abnormal-usage-detected'}`,
    title: 'Too Many Requests',
    status: 429,
    detail: 'Rate limit exceeded',
    code: 'RATE_LIMIT',
    retryAfter: String(retryAfterSeconds(retryAfterMs)),
    requestId,
  };
}
