import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/core/duration.ts';

/** A countdown: `14 s`, `4:09`, `5:59:59`, `2 d 03:00`; `0 s` when it is over. Rounded up: it never ends early. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / SECOND_MS));
  if (seconds < 60) return `${seconds} s`;
  const pad = (value: number) => String(value).padStart(2, '0');
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  if (days > 0) return `${days} d ${pad(hours)}:${pad(minutes)}`;
  if (hours > 0) return `${hours}:${pad(minutes)}:${pad(seconds % 60)}`;
  return `${minutes}:${pad(seconds % 60)}`;
}

const clockFormat = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** `14:03:59` for a time of the last 20 hours, else with its day. */
export function clockTime(atMs: number, nowMs: number): string {
  const format = Math.abs(nowMs - atMs) < 20 * HOUR_MS ? clockFormat : dayFormat;
  return format.format(atMs);
}

/**
 * The zone that clock times are in, by its name and how far it is ahead at that time: `Europe/Berlin, GMT+2`.
 *
 * @param timeZone default: that of the browser
 */
export function zoneWords(atMs: number, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZoneName: 'shortOffset',
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  const { timeZone: name } = format.resolvedOptions();
  const ahead = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value;
  return ahead === undefined || name === 'UTC' ? name : `${name}, ${ahead}`;
}

const YEAR_2000_MS = 946_684_800_000;

/** The time of a replayed event: a date where it is one of our days, else the time since zero. */
export function eventTime(t: number): string {
  if (t >= YEAR_2000_MS) return `${new Date(t).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return sinceZero(t);
}

/** `5:33:20` since zero, with days where there are some. */
export function sinceZero(t: number): string {
  const days = Math.floor(t / DAY_MS);
  const clock = new Date(t).toISOString().slice(11, 19);
  return days > 0 ? `${days} d ${clock}` : clock;
}
