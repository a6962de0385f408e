import { DAY_MS } from '../../core/duration.ts';

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
