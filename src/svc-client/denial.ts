import { retryAfterSeconds } from '../core/duration.ts';
import { requestIdHeader } from '../identity/request-id.ts';
import type { GlobalCause } from './global-breaker.ts';
import type { HopPath } from './hops.ts';

/**
 * Why a call was not made. A denial is a value: nothing was sent, and no time was lost. `retryAfterMs` says when the
 * same call could be made, as far as that is known now.
 */
export type Denial =
  | {
      readonly reason: 'target-rate' | 'global-rate' | 'target-breaker';
      readonly target: string;
      readonly retryAfterMs: number;
    }
  | {
      readonly reason: 'global-breaker';
      readonly target: string;
      readonly cause: GlobalCause;
      readonly retryAfterMs: number;
    }
  | { readonly reason: 'deadline' | 'too-many-hops'; readonly target: string }
  | { readonly reason: 'loop'; readonly target: string; readonly hops: HopPath };

export type DenialReason = Denial['reason'];

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly detail: string;
}

const overRate = { status: 429, title: 'Too Many Requests', code: 'RATE_LIMIT' };
const tripped = { status: 503, title: 'Service Unavailable', code: 'BREAKER_OPEN' };
const circling = { status: 508, title: 'Loop Detected' };

/** How each denial looks over HTTP. The keys are all reasons there are. */
const problemKinds: Readonly<Record<DenialReason, ProblemKind>> = {
  'target-rate': { ...overRate, detail: 'The rate of calls to this service is used up' },
  'global-rate': { ...overRate, detail: 'The rate of calls to all services is used up' },
  'target-breaker': { ...tripped, detail: 'The service does not answer at present' },
  'global-breaker': { ...tripped, detail: 'Calls of this priority are not made at present' },
  deadline: {
    status: 504,
    title: 'Gateway Timeout',
    code: 'DEADLINE_EXCEEDED',
    detail: 'No time is left for this call',
  },
  loop: { ...circling, code: 'LOOP_DETECTED', detail: 'The services call each other in a circle' },
  'too-many-hops': { ...circling, code: 'TOO_MANY_HOPS', detail: 'The call tree is too deep' },
};

/** All reasons, for validation of `shadow`. */
export function isDenialReason(text: unknown): text is DenialReason {
  return typeof text === 'string' && Object.hasOwn(problemKinds, text);
}

/** A denial as `application/problem+json`: what the `fetch` form and the server side answer with. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The response header that tells a synthetic answer from one of the service. */
export const DENIED_HEADER = 'x-portcullis-denied';

/** Renders a denial. */
export function problemOf(denial: Denial, requestId: string): Problem {
  const { status, title, code, detail } = problemKinds[denial.reason];
  // A denial without one does not end by waiting.
  const retryAfter = 'retryAfterMs' in denial ? String(retryAfterSeconds(denial.retryAfterMs)) : null;
  const waiting = retryAfter === null ? {} : { retryAfter };
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      [DENIED_HEADER]: denial.reason,
      [requestIdHeader]: requestId,
      ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
    },
    body: JSON.stringify({ type: 'about:blank', title, status, detail, code, ...waiting, requestId }),
  };
}
