import {
  type HeaderOptions,
  limitProblem,
  problemMediaType,
  rateLimitHeaders,
  requestIdHeader,
  type Verdict,
} from '../../limits/index.ts';
import { codes } from './grpc-status.ts';

/** `CheckResponse`: either denied or let through. */
export interface CheckResponseMessage {
  readonly status: { readonly code: number; readonly message: string };
  readonly denied_response: object | null;
  readonly ok_response: object | null;
}

/** Envoy asks only whether it is 0, and logs it. */
const deniedCode = codes.RESOURCE_EXHAUSTED;
/** `OVERWRITE_IF_EXISTS_OR_ADD`: neither a client nor an upstream can write these for us. */
const overwrite = 2;

/** What the proxy is to do with a call. */
export function checkAnswer(
  verdict: Verdict,
  requestId: string,
  path: string,
  options: HeaderOptions,
): CheckResponseMessage {
  const id = headerOption(requestIdHeader, requestId);
  const quota = rateLimitHeaders(verdict, options).map(([name, value]) => headerOption(name, value));
  if (verdict.allowed) {
    return {
      status: { code: codes.OK, message: '' },
      denied_response: null,
      ok_response: { headers: [id], response_headers_to_add: [...quota, id] },
    };
  }
  return {
    status: { code: deniedCode, message: 'Rate limit exceeded' },
    denied_response: {
      status: { code: 429 },
      headers: [...quota, id, headerOption('Content-Type', problemMediaType)],
      body: JSON.stringify(limitProblem(verdict, requestId, path)),
    },
    ok_response: null,
  };
}

const headerOption = (key: string, value: string) => ({ header: { key, value }, append_action: overwrite });
