import { isWhole, outOfRange } from '../core/amounts.ts';
import { DAY_MS } from '../core/duration.ts';
import { checkedNote, type OperatorNote } from './operator-note.ts';

/** Who holds something in place, why and for how long. */
export interface PinOrder extends OperatorNote {
  /** In milliseconds, whole; of caps and targets at most a day: what somebody sets in a hurry must not stay for ever. */
  readonly forMs: number;
}

/** @throws Fault `INPUT_INVALID` when nobody says who, why or for how long. */
export function checkedPinOrder(order: PinOrder, longestMs = DAY_MS, shortestMs = 1): PinOrder {
  const { by, why } = checkedNote(order);
  return { by, why, forMs: checkedSpan('forMs', order.forMs, longestMs, shortestMs) };
}

/** @throws Fault `INPUT_INVALID` unless it is a whole number of milliseconds from `shortestMs` to `longestMs`. */
export function checkedSpan(name: string, spanMs: number, longestMs: number, shortestMs = 1): number {
  if (isWhole(spanMs, shortestMs, longestMs)) return spanMs;
  throw outOfRange('INPUT_INVALID', name, `a whole number of ms from ${shortestMs} to ${longestMs}`, spanMs);
}
