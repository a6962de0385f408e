import { DAY_MS } from '../../core/duration.ts';
import { wallTime } from './calendar.ts';

const HALF_YEAR_MS = 183 * DAY_MS;
/** How far behind a line may be and still be a straggler; a line that is further off has a hole before it. */
const LATEST_MS = 92 * DAY_MS;
/** A leap day may be up to eight years back, around a century without one. */
const YEARS_BACK = 8;

/** A moment without its year. */
export interface YearlessTime {
  /** From 0. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/**
 * Finds the year of times that were written without one, as syslog does. The first line lies in the given year or, without
 * one, in the newest that does not put it after `reference`. From there on time moves less than half a year from line to line: when
 * it seems to fall back by more, a new year has begun; when it seems to leap ahead by more, around a new year or to after `reference`,
 * the line is a straggler of the old one.
 */
export class YearFinder {
  #year: number | null;
  #last = Number.NaN;
  readonly #reference: number;

  /** @param reference when the log was written last, as a wall clock's time in ms */
  constructor(year: number | null, reference: number) {
    this.#year = year;
    this.#reference = year === null ? reference : Number.POSITIVE_INFINITY;
  }

  /** The year of the last line; null before the first. */
  get year(): number | null {
    return this.#year;
  }

  /** The wall clock's time in ms; null when the year has no such day. */
  find(time: YearlessTime): number | null {
    const year = this.#year ?? this.#firstYear(time);
    this.#year = year;
    const here = inYear(year, time);
    const moved = (here ?? Number.NaN) - this.#last;
    if (here === null || Math.abs(moved) > HALF_YEAR_MS) return this.#neighbour(year, time, moved);
    this.#last = here;
    return here;
  }

  /** The 29th of February has no place in most years, so it is looked for on both sides. */
  #neighbour(year: number, time: YearlessTime, moved: number): number | null {
    if (!(moved > 0)) {
      const next = inYear(year + 1, time);
      if (next !== null && !(Math.abs(next - this.#last) > HALF_YEAR_MS)) {
        this.#year = year + 1;
        this.#last = next;
        return next;
      }
    }
    const here = inYear(year, time);
    const before = inYear(year - 1, time);
    if (before !== null && (this.#last - before <= LATEST_MS || this.#isTooLate(here))) return before;
    this.#last = here ?? this.#last;
    return here;
  }

  #isTooLate(t: number | null): boolean {
    return t !== null && t > this.#reference + DAY_MS;
  }

  #firstYear(time: YearlessTime): number {
    const newest = new Date(this.#reference).getUTCFullYear();
    for (let year = newest; year >= newest - YEARS_BACK; year -= 1) {
      const t = inYear(year, time);
      if (t !== null && !this.#isTooLate(t)) return year;
    }
    return newest;
  }
}

function inYear(year: number, { month, day, hour, minute, second }: YearlessTime): number | null {
  return wallTime(year, month, day, hour, minute, second);
}
