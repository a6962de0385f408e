import { SECOND_MS } from '../../core/duration.ts';
import type { DescriptorStatus, DescriptorVerdict } from '../../limits/descriptors/descriptor-limiter.ts';
import type { WindowLimit } from '../../limits/descriptors/descriptor-tree.ts';
import { problemMediaType, requestIdHeader } from '../../limits/index.ts';
import { refusalProblem } from '../../limits/problem.ts';
import { formatLimits, formatPolicies } from '../../limits/rate-limit-headers.ts';
import { unitNumbers } from './rate-limit-request.ts';

/** `RateLimitResponse`. */
export interface RateLimitResponseMessage {
  readonly overall_code: number;
  readonly statuses: readonly StatusMessage[];
  readonly response_headers_to_add: readonly HeaderMessage[];
  readonly raw_body: Uint8Array;
}

interface StatusMessage {
  readonly code: number;
  readonly current_limit: object | null;
  readonly limit_remaining: number;
  readonly duration_until_reset: { readonly seconds: number } | null;
}

interface HeaderMessage {
  readonly key: string;
  readonly value: string;
}

const okCode = 1;
const overLimitCode = 2;
/** What the rate limit service says where there is no end. */
const unlimitedRemaining = 2 ** 32 - 1;
const noBody = new Uint8Array(0);

/** The answer to a verdict. Headers tell of the descriptor that is nearest to its limit, or furthest from its end. */
export function rateLimitAnswer(
  verdict: DescriptorVerdict,
  domain: string,
  requestId: () => string,
): RateLimitResponseMessage {
  const strictest = strictestOf(verdict.statuses);
  return {
    overall_code: verdict.over ? overLimitCode : okCode,
    statuses: verdict.statuses.map(statusMessage),
    ...(verdict.over
      ? refusal(verdict.statuses, strictest, domain, requestId())
      : { response_headers_to_add: quotaHeaders(strictest, domain), raw_body: noBody }),
  };
}

function statusMessage({ over, limit, remaining, resetMs }: DescriptorStatus): StatusMessage {
  return {
    code: over ? overLimitCode : okCode,
    current_limit: limit === null ? null : limitMessage(limit),
    limit_remaining: remaining ?? unlimitedRemaining,
    // Whole seconds, as the rate limit service has them: Envoy shows the seconds alone, and 0 would say "now".
    duration_until_reset: limit === null ? null : { seconds: Math.ceil(resetMs / SECOND_MS) },
  };
}

/** What stays the same for a limit of the configuration is made once. */
const limitMessages = new WeakMap<WindowLimit, object>();
const policyHeaders = new WeakMap<WindowLimit, { readonly domain: string; readonly header: HeaderMessage }>();

function limitMessage(limit: WindowLimit): object {
  const known = limitMessages.get(limit);
  if (known !== undefined) return known;
  const { unit, requests, name } = limit;
  const message = { requests_per_unit: requests, unit: unitNumbers[unit], name: name ?? '' };
  limitMessages.set(limit, message);
  return message;
}

function policyHeader(limit: WindowLimit, domain: string, policy: string): HeaderMessage {
  const known = policyHeaders.get(limit);
  if (known?.domain === domain) return known.header;
  const windowSeconds = limit.windowMs / SECOND_MS;
  const value = formatPolicies([{ policy, quota: limit.requests, windowSeconds }]);
  const header = { key: 'RateLimit-Policy', value };
  policyHeaders.set(limit, { domain, header });
  return header;
}

type Limited = DescriptorStatus & { readonly limit: WindowLimit };

function strictestOf(statuses: readonly DescriptorStatus[]): Limited | null {
  let strictest: Limited | null = null;
  for (const status of statuses) {
    if (isLimited(status) && (strictest === null || isStricter(status, strictest))) strictest = status;
  }
  return strictest;
}

function isLimited(status: DescriptorStatus): status is Limited {
  return status.limit !== null && !status.limit.shadow;
}

function isStricter(one: Limited, other: Limited): boolean {
  if (one.over !== other.over) return one.over;
  if (one.over) return one.resetMs > other.resetMs;
  return (one.remaining ?? unlimitedRemaining) < (other.remaining ?? unlimitedRemaining);
}

function quotaHeaders(strictest: Limited | null, domain: string): HeaderMessage[] {
  if (strictest === null) return [];
  const { limit, remaining, resetMs } = strictest;
  const policy = policyName(limit.name ?? domain);
  const resetSeconds = Math.ceil(resetMs / SECOND_MS);
  return [
    policyHeader(limit, domain, policy),
    { key: 'RateLimit', value: formatLimits([{ policy, remaining: remaining ?? 0, resetSeconds }]) },
  ];
}

/** A header takes visible ASCII and spaces; a domain may be any text. */
function policyName(name: string): string {
  return /^[ -~]+$/.test(name) ? name : 'default';
}

function refusal(
  statuses: readonly DescriptorStatus[],
  strictest: Limited | null,
  domain: string,
  requestId: string,
): Pick<RateLimitResponseMessage, 'response_headers_to_add' | 'raw_body'> {
  const waits = statuses.filter(({ over }) => over).map(({ resetMs }) => resetMs);
  const problem = refusalProblem({ rule: 'limit', retryAfterMs: Math.max(...waits) }, requestId);
  return {
    response_headers_to_add: [
      { key: 'Retry-After', value: problem.retryAfter },
      { key: 'Content-Type', value: problemMediaType },
      { key: requestIdHeader, value: requestId },
      ...quotaHeaders(strictest, domain),
    ],
    raw_body: Buffer.from(JSON.stringify(problem)),
  };
}
