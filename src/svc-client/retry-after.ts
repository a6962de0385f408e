import { SECOND_MS } from '../core/duration.ts';

/** Headers of a response, names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

function linesOf(headers: ResponseHeaders, name: string): readonly string[] {
  const value = headers[name] ?? [];
  return typeof value === 'string' ? [value] : value;
}

/**
 * How long `Retry-After` asks to wait, in milliseconds; null when it is absent or unreadable. A date is measured
 * against the response's own `Date`, so that the clocks of the two sides never meet; against ours only where it has none. However
 * many seconds are asked for, they are asked for: `Infinity` is the longest. Where a service and a proxy in front of it both ask,
 * the longer counts.
 *
 * @param receivedAt our time of day, in milliseconds; default now
 */
export function retryAfterMs(headers: ResponseHeaders, receivedAt: number = Date.now()): number | null {
  const [date = ''] = linesOf(headers, 'date');
  const sentAt = timeOf(date) || receivedAt;
  const asked = linesOf(headers, 'retry-after').map((line) => askedMs(line.trim(), sentAt));
  const longest = Math.max(...asked.filter((ms) => !Number.isNaN(ms)));
  return longest < 0 ? null : longest;
}

/** `NaN` when it is unreadable. */
function askedMs(line: string, sentAt: number): number {
  if (/^\d+$/.test(line)) return Number(line) * SECOND_MS;
  return Math.max(0, timeOf(line) - sentAt);
}

/** Of a date of HTTP, which begins with its day. The oldest form does not name its zone, which is the same. */
function timeOf(date: string): number {
  if (!/^[a-z]/i.test(date)) return Number.NaN;
  return Date.parse(date.endsWith('GMT') ? date : `${date} GMT`);
}
