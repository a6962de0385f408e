import { SECOND_MS } from '../core/duration.ts';

/** Headers of a response, names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

function single(headers: ResponseHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : null;
}

/**
 * How long `Retry-After` asks to wait, in milliseconds; null when it is absent or unreadable. A date is measured
 * against the response's own `Date`, so that the clocks of the two sides never meet. However many seconds are asked for,
 * they are asked for: `Infinity` is the longest.
 */
export function retryAfterMs(headers: ResponseHeaders): number | null {
  const value = single(headers, 'retry-after');
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value) * SECOND_MS;
  const until = Date.parse(value);
  const sentAt = Date.parse(single(headers, 'date') ?? '');
  return Number.isNaN(until - sentAt) ? null : Math.max(0, until - sentAt);
}
