import { SECOND_MS } from '../core/duration.ts';
import type { Verdict } from './verdict.ts';

/** A quota policy item of the `RateLimit-Policy` field (draft-ietf-httpapi-ratelimit-headers). */
export interface QuotaPolicyItem {
  readonly policy: string;
  readonly quota: number;
  /** `requests` if absent. */
  readonly unit?: string | undefined;
  readonly windowSeconds?: number | undefined;
  /** Base64 of the partition key. */
  readonly partitionKey?: string | undefined;
}

/** A service limit item of the `RateLimit` field. */
export interface ServiceLimitItem {
  readonly policy: string;
  readonly remaining: number;
  /** Until additional quota is made available. */
  readonly resetSeconds?: number | undefined;
  readonly partitionKey?: string | undefined;
}

export function formatPolicies(items: readonly QuotaPolicyItem[]): string {
  return items
    .map(
      ({ policy, quota, unit, windowSeconds, partitionKey }) =>
        `${quoted(policy)};q=${quota}${unit === undefined ? '' : `;qu=${quoted(unit)}`}${numberOf('w', windowSeconds)}${bytesOf(partitionKey)}`,
    )
    .join(',');
}

export function formatLimits(items: readonly ServiceLimitItem[]): string {
  return items.map(formatLimit).join(',');
}

function formatLimit({ policy, remaining, resetSeconds, partitionKey }: ServiceLimitItem): string {
  return `${quoted(policy)};r=${remaining}${numberOf('t', resetSeconds)}${bytesOf(partitionKey)}`;
}

/** Structured Fields, RFC 9651: backslashes and quotes are escaped. */
function quoted(text: string): string {
  const plain = !text.includes('"') && !text.includes('\\');
  return `"${plain ? text : text.replace(/[\\"]/g, '\\$&')}"`;
}

const numberOf = (name: string, value: number | undefined) =>
  value === undefined ? '' : `;${name}=${value}`;
const bytesOf = (base64: string | undefined) => (base64 === undefined ? '' : `;pk=:${base64}:`);

/** Whole seconds, rounded up, so that nobody comes back too early; never 0. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.max(1, Math.ceil(retryAfterMs / SECOND_MS));
}

/** Which headers an answer carries. */
export interface HeaderOptions {
  /** `RateLimit` and `RateLimit-Policy`. Default true. */
  readonly standardHeaders?: boolean | undefined;
  /** `X-RateLimit-Limit`, `-Remaining` and `-Reset` (seconds since 1970). Default false. */
  readonly legacyHeaders?: boolean | undefined;
}

export type HeaderList = readonly (readonly [name: string, value: string])[];

/**
 * The headers an answer tells its client about its quota in, and, when it was refused, when to come back. On a sign-in
 * route the remaining quota is not told.
 */
export function rateLimitHeaders(verdict: Verdict, options: HeaderOptions = {}): HeaderList {
  const { standardHeaders = true, legacyHeaders = false } = options;
  const headers: [string, string][] = [];
  if (!verdict.allowed) headers.push(['Retry-After', String(retryAfterSeconds(verdict.retryAfterMs))]);
  if (verdict.quota === null) return headers;
  if (standardHeaders) headers.push(...standard(verdict, verdict.quota));
  if (legacyHeaders && !verdict.signIn) headers.push(...legacy(verdict.quota));
  return headers;
}

type Quota = NonNullable<Verdict['quota']>;

function standard({ signIn }: Verdict, quota: Quota): [string, string][] {
  const { policy, policyField, remaining, moreInMs } = quota;
  const policies: [string, string] = ['RateLimit-Policy', policyField];
  if (signIn) return [policies];
  const resetSeconds = Math.ceil(moreInMs / SECOND_MS);
  return [policies, ['RateLimit', formatLimit({ policy, remaining, resetSeconds })]];
}

function legacy({ capacity, remaining, moreAt }: Quota): [string, string][] {
  return [
    ['X-RateLimit-Limit', String(capacity)],
    ['X-RateLimit-Remaining', String(remaining)],
    ['X-RateLimit-Reset', String(Math.ceil(moreAt / SECOND_MS))],
  ];
}
