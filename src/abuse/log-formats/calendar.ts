/** Times as logs write them. All results are milliseconds, or null where the text names no moment. */

const months = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** The number of a month from 0, by its English three letters; −1 for anything else. */
export function monthOf(text: string, at = 0): number {
  const found = months.indexOf(text.slice(at, at + 3));
  return found % 3 === 0 ? found / 3 : -1;
}

/** A wall clock's time as if it were UTC; null when the calendar has no such moment since 1970. A leap second counts as the next one. */
export function wallTime(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | null {
  if (year < 1970 || !(month >= 0 && month < 12 && day >= 1 && day <= 31)) return null;
  if (!(hour < 24 && minute < 60 && second <= 60)) return null;
  if (day > 28 && day > daysIn(year, month)) return null;
  return Date.UTC(year, month, day, hour, minute, second);
}

/** The latest time a `Date` can name; arithmetic on it stays exact. */
export const MAX_TIME_MS = 8_640_000_000_000_000;

/**
 * The same time; null where it is none that a replay can go by. An offset may lead from the first day of 1970 to before it, and a
 * number of microseconds beyond the last day there is.
 */
export function momentOf(t: number): number | null {
  return t >= 0 && t <= MAX_TIME_MS ? t : null;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

/** Whole milliseconds of the digits behind the decimal point of a second. */
export function fractionMs(digits: string | undefined): number {
  return digits === undefined ? 0 : Number(digits.slice(0, 3).padEnd(3, '0'));
}
