import { assertNumber } from '../core/amounts.ts';
/**
 * Pressure: from 0 (all is well) to 1 (nothing gets through), what a service tells its gateway.
 *
 *   d level ⁄ dt = RISE × share × (1 − level) − LEAK × level
 *
 * `share` is the mean, over the calls asked for, of 1 for a call that was shed and of the limit's strain otherwise. If the
 * gateway lets through 1 − level of the traffic and x of that is shed, then 1 − level should become (1 − level)(1 − x):
 * that is the first term. The second forgets, so that the gateway tries again. Both are slow against the second
 * that the signal takes to arrive, or the loop would swing. A gateway that does nothing sees x ⁄ (x + 0.1).
 */
import { SECOND_MS } from '../core/duration.ts';

const RISE_PER_SECOND = 1;
const LEAK_PER_SECOND = 0.1;

/** Shares of fewer calls than come in this time are mostly chance. */
const STEP_MS = 100;

/** What is counted between two reads stands for this long at most: a burst before a silence must not be taken for all of it. */
const LONGEST_SHARE_MS = SECOND_MS;

/** The level after `elapsedMs` of this share: the exact solution of the formula above. */
export function nextPressure(level: number, share: number, elapsedMs: number): number {
  const rate = RISE_PER_SECOND * share + LEAK_PER_SECOND;
  const target = (RISE_PER_SECOND * share) / rate;
  return target + (level - target) * Math.exp((-rate * elapsedMs) / SECOND_MS);
}

/** Counts what is asked for and shed, and makes it into a level. One for all the caps of a service. */
export class PressureMeter {
  private level = 0;
  private at: number | null = null;
  private asked = 0;
  private burden = 0;

  /**
   * One call was asked for; `burden` is 1 if it was shed, else the strain it ran under. What is no number counts as none: a limit
   * of somebody else may divide by nothing, and from one such sum on there would be no level any more.
   */
  count(burden: number): void {
    this.asked += 1;
    if (burden > 0) this.burden += Math.min(1, burden);
  }

  /**
   * The level now. Read it every second or so: what lies between two reads is averaged, for a second at most. Over the rest
   * of a longer time only the leak runs.
   */
  read(now: number): number {
    if (this.at === null) this.at = now;
    const elapsedMs = now - this.at;
    if (elapsedMs < STEP_MS) return this.level;
    const share = this.asked === 0 ? 0 : this.burden / this.asked;
    const risen = nextPressure(this.level, share, Math.min(elapsedMs, LONGEST_SHARE_MS));
    this.level = nextPressure(risen, 0, Math.max(0, elapsedMs - LONGEST_SHARE_MS));
    this.at = now;
    this.asked = 0;
    this.burden = 0;
    return this.level;
  }
}

/** The least share of the refill rate that a gateway leaves to its clients, whatever the pressure. */
export const REFILL_FLOOR = 0.1;

/**
 * By how much a gateway scales the refill rate of its buckets: 1 without pressure, down to the floor. A pressure that is
 * no number counts as none, so that a broken signal never throttles.
 *
 * @param floor from 0 to 1, default {@link REFILL_FLOOR}
 * @throws Fault `CONFIG_INVALID` when the floor is none
 */
export function refillScale(pressure: number, floor: number = REFILL_FLOOR): number {
  assertNumber('CONFIG_INVALID', 'floor', floor, 0, 1);
  if (typeof pressure !== 'number' || !(pressure > 0)) return 1;
  return Math.max(floor, 1 - Math.min(1, pressure));
}

/** The response header a service tells its pressure with. For the gateway alone, which takes it off. */
export const PRESSURE_HEADER = 'x-portcullis-pressure';

/** The header's value: two decimals. */
export function formatPressure(pressure: number): string {
  return Math.min(1, Math.max(0, pressure)).toFixed(2);
}

/** Reads the header's value; null unless it is a plain decimal from 0 to 1. */
export function parsePressure(value: string | null | undefined): number | null {
  if (value === null || value === undefined || !/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/.test(value))
    return null;
  return Number(value);
}
