import { lowerCaseNames, takeOffQuota } from '../limits/rate-limit-headers.ts';
import type { Arrival } from './arrival.ts';

/**
 * Requests that are sign-ins to a gate on their way; and answers to them, where a framework hands the answer back: what comes
 * in between may replace the request.
 */
const signIns = new WeakSet<object>();

/** Whether a gate on the way of the request has found it to be a sign-in: then no limiter tells its quota. */
export const isSignIn = (request: object): boolean => signIns.has(request);

export function markSignIn(request: object): void {
  signIns.add(request);
}

/** The answer to a request, which tells those who hand it on what the request was. */
export function signedIn<Answer extends object>(request: object, answer: Answer): Answer {
  if (isSignIn(request)) markSignIn(answer);
  return answer;
}

/** The same at a gate that sets no quota of its own: what a limiter before it has told is taken off the answer. */
export function coverQuota({ request, answer }: Arrival): void {
  markSignIn(request);
  if (answer !== undefined && answer.headersSent !== true) takeOffQuota(lowerCaseNames, answer, removeHeader);
}

function removeHeader(answer: NonNullable<Arrival['answer']>, name: string): void {
  answer.removeHeader(name);
}
