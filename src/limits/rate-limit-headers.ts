import { retryAfterSeconds, SECOND_MS } from '../core/duration.ts';
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

/** Which headers an answer carries. */
export interface HeaderOptions {
  /** `RateLimit` and `RateLimit-Policy`. Default true. */
  readonly standardHeaders?: boolean | undefined;
  /** `X-RateLimit-Limit`, `-Remaining` and `-Reset` (seconds since 1970). Default false. */
  readonly legacyHeaders?: boolean | undefined;
}

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** What the headers are called. */
export type HeaderNames = Readonly<
  Record<'retryAfter' | 'policy' | 'limit' | 'legacyLimit' | 'legacyRemaining' | 'legacyReset', string>
>;

const usualNames: HeaderNames = {
  retryAfter: 'Retry-After',
  policy: 'RateLimit-Policy',
  limit: 'RateLimit',
  legacyLimit: 'X-RateLimit-Limit',
  legacyRemaining: 'X-RateLimit-Remaining',
  legacyReset: 'X-RateLimit-Reset',
};

/** Servers look headers up in lower case; a name that is so already need not be turned into it for every answer. */
export const lowerCaseNames: HeaderNames = {
  retryAfter: 'retry-after',
  policy: 'ratelimit-policy',
  limit: 'ratelimit',
  legacyLimit: 'x-ratelimit-limit',
  legacyRemaining: 'x-ratelimit-remaining',
  legacyReset: 'x-ratelimit-reset',
};

/**
 * The headers an answer tells its client about its quota in, and, when it was refused, when to come back. On a sign-in
 * route the remaining quota is not told.
 */
export function rateLimitHeaders(verdict: Verdict, options: HeaderOptions = {}): HeaderList {
  const headers: [string, string][] = [];
  writeRateLimitHeaders(verdict, options, usualNames, headers, addHeader);
  return headers;
}

/** Sets a header of an answer; null takes off what another limiter may have set. */
export type HeaderWriter<Target> = (target: Target, name: string, value: string | null) => void;

export function addHeader(headers: [string, string][], name: string, value: string | null): void {
  if (value !== null) headers.push([name, value]);
}

/** The same, one after the other into an answer: neither a list nor a function is made for every one. */
export function writeRateLimitHeaders<Target>(
  { allowed, quota, retryAfterMs, signIn }: Verdict,
  { standardHeaders = true, legacyHeaders = false }: HeaderOptions,
  names: HeaderNames,
  target: Target,
  write: HeaderWriter<Target>,
): void {
  if (!allowed) write(target, names.retryAfter, String(retryAfterSeconds(retryAfterMs)));
  if (signIn) takeOffQuota(names, target, write);
  if (quota === null) return;
  if (standardHeaders) write(target, names.policy, quota.policyField);
  if (signIn) return;
  if (standardHeaders) write(target, names.limit, limitField(quota));
  if (legacyHeaders) writeLegacy(quota, names, target, write);
}

/** All that tells a remaining quota, whoever has told it. */
export function takeOffQuota<Target>(names: HeaderNames, target: Target, write: HeaderWriter<Target>): void {
  write(target, names.limit, null);
  write(target, names.legacyLimit, null);
  write(target, names.legacyRemaining, null);
  write(target, names.legacyReset, null);
}

type Quota = NonNullable<Verdict['quota']>;

function writeLegacy<Target>(
  { capacity, remaining, moreAt }: Quota,
  names: HeaderNames,
  target: Target,
  write: HeaderWriter<Target>,
): void {
  write(target, names.legacyLimit, String(capacity));
  write(target, names.legacyRemaining, String(remaining));
  write(target, names.legacyReset, String(Math.ceil(moreAt / SECOND_MS)));
}

interface WrittenField {
  readonly policy: string;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly text: string;
}

/** A power of two. */
const rememberedFields = 1_024;
const written: (WrittenField | undefined)[] = new Array(rememberedFields).fill(undefined);

/** Clients are mostly told one of a few things: what was written lately is not written again. */
function limitField({ policy, remaining, moreInMs }: Quota): string {
  const resetSeconds = Math.ceil(moreInMs / SECOND_MS);
  const place = (remaining + resetSeconds * 61) & (rememberedFields - 1);
  const known = written[place];
  if (
    known !== undefined &&
    known.remaining === remaining &&
    known.resetSeconds === resetSeconds &&
    known.policy === policy
  ) {
    return known.text;
  }
  const text = formatLimit({ policy, remaining, resetSeconds });
  written[place] = { policy, remaining, resetSeconds, text };
  return text;
}
