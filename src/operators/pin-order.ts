import { isWhole, outOfRange } from '../core/amounts.ts';
import { DAY_MS } from '../core/duration.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { checkedText } from './operator-note.ts';

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

/** @throws Fault `INPUT_INVALID` when nobody says who, why or for how long. */
export function checkPinOrder(order: PinOrder): PinOrder {
  const { who, why } = checkPinActor(order);
  return { who, why, forMs: checkSpan('forMs', order.forMs, DAY_MS) };
}

/** @throws Fault `INPUT_INVALID` when nobody says who or why. */
export function checkPinActor(actor: PinActor): PinActor {
  if (typeof actor !== 'object' || actor === null) {
    throw new Fault('INPUT_INVALID', `who and why must be in an object, got ${shapeOf(actor)}`);
  }
  return { who: checkedText('who', actor.who), why: checkedText('why', actor.why) };
}

/** @throws Fault `INPUT_INVALID` unless it is a whole number of milliseconds from `shortestMs` to `longestMs`. */
export function checkSpan(name: string, spanMs: number, longestMs: number, shortestMs = 1): number {
  if (isWhole(spanMs, shortestMs, longestMs)) return spanMs;
  throw outOfRange('INPUT_INVALID', name, `a whole number of ms from ${shortestMs} to ${longestMs}`, spanMs);
}
