import { problemMediaType, requestIdHeader, retryAfterSeconds } from '../limits/index.ts';
import { barePath } from '../limits/request-path.ts';
import type { Answer } from './arrival.ts';

/** Why a sign-in was not let through: too many attempts, wrong credentials, or no account told. */
export type DenialReason = 'blocked' | 'credentials' | 'input';

const problems = {
  blocked: { title: 'Too Many Requests', status: 429, detail: 'Too many attempts', code: 'ATTEMPT_LIMIT' },
  credentials: { title: 'Unauthorized', status: 401, detail: 'Wrong credentials', code: 'CREDENTIALS_WRONG' },
  input: { title: 'Bad Request', status: 400, detail: 'No account was given', code: 'INPUT_INVALID' },
} as const;

/** The same words for every account, known or not; of a block only its end is told. */
export function attemptProblem(
  reason: DenialReason,
  retryAfterMs: number,
  requestId: string,
  path: string,
): Answer {
  const problem = problems[reason];
  const seconds = String(retryAfterSeconds(retryAfterMs));
  return {
    status: problem.status,
    headers: [
      [requestIdHeader, requestId],
      ['Content-Type', problemMediaType],
      ['Cache-Control', 'no-store'],
      ...(reason === 'blocked' ? [['Retry-After', seconds] as const] : []),
    ],
    body: JSON.stringify({
      type: 'about:blank',
      ...problem,
      ...(reason === 'blocked' ? { retryAfter: seconds } : {}),
      requestId,
      instance: barePath(path),
    }),
  };
}
