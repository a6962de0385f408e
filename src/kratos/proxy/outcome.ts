import type { LoginOutcome } from '../events.ts';
import { type RawHeaders, valuesOf } from './headers.ts';

/** The head of an answer, as it is judged and sent on. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: RawHeaders;
}

/** Kratos's answer to a login by API begins with the token of its session. */
const sessionToken = /"session_token"\s*:\s*"[^"]/;

/** Whether the body has to begin before it can be said how a login has ended. */
export function needsBody(head: AnswerHead, sessionCookie: string): boolean {
  return head.status === 200 && !setsCookie(head.headers, sessionCookie);
}

/**
 * How a login has ended, by what Kratos answers: a session cookie, 200 or a redirection to the return URL against 400 or a
 * redirection back to the flow. Everything else (a flow that is over, a CSRF violation, a second factor that is due, a fault)
 * says nothing about the credentials.
 *
 * @param bodyStart of an answer that {@link needsBody}
 */
export function outcomeOf(head: AnswerHead, sessionCookie: string, bodyStart: string): LoginOutcome {
  const { status, headers } = head;
  if (status < 400 && setsCookie(headers, sessionCookie)) return 'success';
  if (status === 200) return sessionToken.test(bodyStart) ? 'success' : 'likely-success';
  if (status === 400) return 'failure';
  if (status !== 302 && status !== 303) return 'unknown';
  return leadsToFlow(valuesOf(headers, 'location')[0] ?? '') ? 'failure' : 'likely-success';
}

/**
 * The field `flow` of a query, in any of its spellings. The query may be that of a return URL, which a client chooses: `URLSearchParams`
 * would hold everybody up with an exception for each field that is not well encoded.
 */
const flowField = /(?:^|&)(?:f|%66)(?:l|%6[cC])(?:o|%6[fF])(?:w|%77)(?:[=&]|$)/;

function leadsToFlow(location: string): boolean {
  const query = location.split('#', 1)[0]?.split('?')[1] ?? '';
  return flowField.test(query);
}

function setsCookie(headers: RawHeaders, name: string): boolean {
  return valuesOf(headers, 'set-cookie').some(
    (cookie) =>
      cookie.startsWith(`${name}=`) &&
      !/^[^=]*="?"?\s*(;|$)/.test(cookie) &&
      !/;\s*max-age=(0|-)/i.test(cookie),
  );
}
