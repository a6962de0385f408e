import { DAY_MS } from './duration.ts';
import { amountOf, Fault, shapeOf } from './fault.ts';

/** Who sets or takes away a pin, and why. */
export interface PinActor {
  /** 1 to 500 characters, as `why`. */
  readonly who: string;
  readonly why: string;
}

/** Who changes a limit, why and for how long. */
export interface PinOrder extends PinActor {
  /** In milliseconds, whole, at most a day: what somebody sets in a hurry must not stay for ever. */
  readonly forMs: number;
}

const LONGEST_TEXT = 500;

/** @throws Fault `INPUT_INVALID` when nobody says who, why or for how long. */
export function checkPinOrder(order: PinOrder): PinOrder {
  const { who, why } = checkPinActor(order);
  return { who, why, forMs: checkSpan('forMs', order.forMs, DAY_MS) };
}

/** @throws Fault `INPUT_INVALID` when nobody says who or why. */
export function checkPinActor(actor: PinActor): PinActor {
  if (typeof actor !== 'object' || actor === null) {
    throw new Fault('INPUT_INVALID', `who and why: expected an object with both, got ${shapeOf(actor)}`);
  }
  return { who: checkNote('who', actor.who), why: checkNote('why', actor.why) };
}

/** @throws Fault `INPUT_INVALID` unless it is a text that says something. */
export function checkNote(name: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_TEXT) return value;
  const expected = `a text of 1 to ${LONGEST_TEXT} characters`;
  throw new Fault('INPUT_INVALID', `${name}: expected ${expected}, got ${shapeOf(value)}`);
}

/** @throws Fault `INPUT_INVALID` unless it is a whole number of milliseconds from 1 to `longestMs`. */
export function checkSpan(name: string, spanMs: number, longestMs: number): number {
  if (Number.isInteger(spanMs) && spanMs >= 1 && spanMs <= longestMs) return spanMs;
  const expected = `a whole number of ms from 1 to ${longestMs}`;
  throw new Fault('INPUT_INVALID', `${name}: expected ${expected}, got ${amountOf(spanMs)}`);
}
