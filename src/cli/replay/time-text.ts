import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts';

const YEAR_2000_MS = 946_684_800_000;

/** A date where the time is one of our days, else the time since zero: `2015-12-10T07:13:56Z`, `t = 04:00:18.586`. */
export function clockText(t: number): string {
  if (t >= YEAR_2000_MS) return new Date(t).toISOString().replace('.000Z', 'Z');
  // Nothing happens before zero, but a column of a chart may begin there.
  const sinceMs = Math.max(0, t);
  const days = Math.floor(sinceMs / DAY_MS);
  const clock = new Date(sinceMs % DAY_MS)
    .toISOString()
    .slice(11, 23)
    .replace(/\.000$/, '');
  return `t = ${days > 0 ? `${days} d ` : ''}${clock}`;
}

const units: readonly (readonly [number, string])[] = [
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'min'],
  [SECOND_MS, 's'],
];

/** A length of time in its two largest units: `4 h 9 min`, `34 min 8 s`; below a second in ms. */
export function spanText(ms: number): string {
  const largest = units.findIndex(([unitMs]) => ms >= unitMs);
  if (largest === -1) return `${ms} ms`;
  const parts: string[] = [];
  let left = ms;
  for (const [unitMs, unit] of units.slice(largest, largest + 2)) {
    const count = Math.floor(left / unitMs);
    if (count > 0) parts.push(`${count} ${unit}`);
    left -= count * unitMs;
  }
  return parts.join(' ');
}

/** `1 event`, `2 events`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
