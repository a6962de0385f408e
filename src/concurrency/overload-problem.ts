import { retryAfterSeconds } from '../core/duration.ts';
import type { Denied } from './admission.ts';

/** A problem document (RFC 9457) with the fields that every denial of the rails has. */
export interface OverloadProblem {
  readonly type: string;
  readonly title: 'Service Unavailable';
  readonly status: 503;
  readonly detail: string;
  readonly code: 'OVERLOADED';
  /** Whole seconds, as text like the header. */
  readonly retryAfter: string;
  readonly requestId: string;
  /** The path that was asked for, without its query. */
  readonly instance: string;
}

/** The problem type of draft-ietf-httpapi-ratelimit-headers for this. */
const problemType = 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity';

/** Which request was denied. */
export interface DeniedRequest {
  readonly requestId: string;
  /** The path that was asked for; a query is cut off. */
  readonly instance: string;
}

/** An answer in no framework's words. */
export interface OverloadAnswer {
  readonly status: 503;
  readonly headers: Readonly<Record<'content-type' | 'retry-after' | 'cache-control', string>>;
  readonly problem: OverloadProblem;
}

/** The answer to a denied call. Does not tell why it was denied: that is the operator's business. */
export function overloadAnswer(denied: Denied, request: DeniedRequest): OverloadAnswer {
  const retryAfter = String(retryAfterSeconds(denied.retryAfterMs));
  return {
    status: 503,
    headers: {
      'content-type': 'application/problem+json',
      'retry-after': retryAfter,
      'cache-control': 'no-store',
    },
    problem: {
      type: problemType,
      title: 'Service Unavailable',
      status: 503,
      detail: 'The service is working at its limit',
      code: 'OVERLOADED',
      retryAfter,
      requestId: request.requestId,
      instance: request.instance.replace(/[?#].*$/s, ''),
    },
  };
}
