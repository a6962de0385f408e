import { DAY_MS, HOUR_MS } from '../core/duration.ts';
import { amountOf, Fault, shapeOf } from '../core/fault.ts';

/** Who changes a limit, why and for how long. */
export interface PinOrder {
  /** 1 to 500 characters, as `why`. */
  readonly who: string;
  readonly why: string;
  /** In milliseconds, whole, at most 30 days: what an operator sets in a hurry must not stay for ever. */
  readonly forMs: number;
}

type Actor = Pick<PinOrder, 'who' | 'why'>;

const LONGEST_TEXT = 500;
const LONGEST_PIN_MS = 30 * DAY_MS;

/** @throws Fault `INPUT_INVALID` when nobody says who, why or for how long. */
export function checkPin(order: PinOrder): PinOrder {
  const actor = checkActor(order);
  return { ...actor, forMs: checkSpan(order.forMs, LONGEST_PIN_MS) };
}

/** @throws Fault `INPUT_INVALID` when nobody says who or why. */
export function checkActor(actor: Actor): Actor {
  if (typeof actor !== 'object' || actor === null) {
    throw new Fault('INPUT_INVALID', `expected an object with who and why, got ${shapeOf(actor)}`);
  }
  return { who: checkText('who', actor.who), why: checkText('why', actor.why) };
}

/** @throws Fault `INPUT_INVALID` unless it is a name. */
export function checkResource(resource: string): string {
  return checkText('resource', resource);
}

/** @throws Fault `INPUT_INVALID` unless it is from 1 ms to an hour. */
export function checkSaturationMs(forMs: number): number {
  return checkSpan(forMs, HOUR_MS);
}

function checkText(name: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_TEXT) return value;
  throw new Fault(
    'INPUT_INVALID',
    `${name}: expected a text of 1 to ${LONGEST_TEXT} characters, got ${shapeOf(value)}`,
  );
}

function checkSpan(forMs: number, longestMs: number): number {
  if (Number.isInteger(forMs) && forMs >= 1 && forMs <= longestMs) return forMs;
  throw new Fault(
    'INPUT_INVALID',
    `forMs: expected a whole number of ms from 1 to ${longestMs}, got ${amountOf(forMs)}`,
  );
}
