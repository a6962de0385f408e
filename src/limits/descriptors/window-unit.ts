import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts';

/**
 * The units of time a limit may be counted in, with the lengths Envoy's rate limit service gives them: a month is 30
 * days, a year 365.
 */
export const windowUnits = {
  second: SECOND_MS,
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
} as const;

/** The name of a unit, in lower case. */
export type WindowUnit = keyof typeof windowUnits;

/** The unit a document names, in any case; null when there is none of that name. */
export function unitNamed(name: string): WindowUnit | null {
  const lower = name.toLowerCase();
  return Object.hasOwn(windowUnits, lower) ? (lower as WindowUnit) : null;
}
