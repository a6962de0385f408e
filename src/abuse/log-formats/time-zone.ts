import { HOUR_MS, MINUTE_MS } from '../../core/duration.ts';
import { Fault, shapeOf } from '../../core/fault.ts';

/** Turns a wall clock's time, counted as if it were UTC, into UTC. In milliseconds. */
export type TimeZone = (wallMs: number) => number;

export const utc: TimeZone = (wallMs) => wallMs;

/** Clocks on Earth are at most 14 hours ahead. */
const fixedOffset = /^([+-])(0\d|1[0-4]):?([0-5]\d)$/;

/**
 * A time zone by its name: `UTC`, an offset such as `+02:00`, or a name of the IANA database such as `Europe/Berlin`. An hour
 * that a wall clock shows twice, in autumn, is taken as its first; one that it skips as if it had not been skipped.
 *
 * @throws Fault `INPUT_INVALID` when there is no such zone.
 */
export function timeZoneOf(name: string): TimeZone {
  if (/^(UTC|Z|GMT)$/i.test(name)) return utc;
  const offset = fixedOffset.exec(name);
  if (offset !== null) {
    const offsetMs = offsetMsOf(offset[1] ?? '+', Number(offset[2]), Number(offset[3]));
    return (wallMs) => wallMs - offsetMs;
  }
  return zoneOfDatabase(name);
}

/** The milliseconds of an offset such as `-0730`. */
export function offsetMsOf(sign: string, hours: number, minutes: number): number {
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

/** Offsets change on whole quarters of an hour at most, so one is asked for once per quarter. */
function zoneOfDatabase(name: string): TimeZone {
  const format = formatOf(name);
  const offsetAt = (utcMs: number): number => {
    const parts = Object.fromEntries(
      format.formatToParts(utcMs).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(utcMs / 1_000) * 1_000;
  };
  let knownQuarter = Number.NaN;
  let knownOffsetMs = 0;
  return (wallMs) => {
    const quarter = Math.floor(wallMs / (HOUR_MS / 4));
    if (quarter !== knownQuarter) {
      knownQuarter = quarter;
      const before = offsetAt(wallMs - 24 * HOUR_MS);
      const after = offsetAt(wallMs + 24 * HOUR_MS);
      const isBefore = offsetAt(wallMs - before) === before || offsetAt(wallMs - after) !== after;
      knownOffsetMs = isBefore ? before : after;
    }
    return wallMs - knownOffsetMs;
  };
}

function formatOf(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (cause) {
    throw new Fault(
      'INPUT_INVALID',
      `a time zone must be UTC, an offset such as +02:00 or a name such as Europe/Berlin, got ${shapeOf(name)}`,
      { cause },
    );
  }
}
