import type { Outcome } from './transport.ts';

/** Failures that may be tried again. */
export type RetryCause = 'timeout' | 'unreachable' | '429' | '502' | '503' | '504';

/** Why a retry that the failure would allow was not made. */
export type WithholdReason =
  | 'failed-below'
  | 'tree-budget'
  | 'target-budget'
  | 'deadline'
  | 'breaker'
  | 'rate'
  | 'not-idempotent';

const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/**
 * Whether doing the request twice is the same as doing it once (RFC 9110 §9.2.2, or by its key). A key of nothing but
 * spaces is none: no service can tell two requests by it.
 */
export function isIdempotent(method: string, idempotencyKey: string | undefined): boolean {
  return (
    idempotentMethods.has(method) || (typeof idempotencyKey === 'string' && idempotencyKey.trim() !== '')
  );
}

const statusCauses: ReadonlyMap<number, RetryCause> = new Map([
  [429, '429'],
  [502, '502'],
  [503, '503'],
  [504, '504'],
]);

/** Nearly every answer is below 429: those are not looked up. */
function causeOf(status: number): RetryCause | null {
  return status < 429 ? null : (statusCauses.get(status) ?? null);
}

/** The cause for a retry that the outcome gives; null when there is none. */
export function retryCause(outcome: Outcome): RetryCause | null {
  switch (outcome.kind) {
    case 'response':
      return causeOf(outcome.response.status);
    case 'timeout':
    case 'unreachable':
      return outcome.kind;
    case 'aborted':
    case 'misused':
      return null;
  }
}
