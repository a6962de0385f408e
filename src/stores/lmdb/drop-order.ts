import { MINUTE_MS } from '../../core/duration.ts';
import type { Entry } from './entry.ts';

/**
 * The place of a record in the order of dropping: those without a block by the minute of their expiry, then those with
 * one by the minute in which it ends. It goes by minutes so that a record that is written often keeps its
 * place, and most writes leave the order alone.
 */
export type Place = readonly [band: 'free' | 'held', minute: number, text: string];

export function placeOf(text: string, { expiresAt, heldUntil }: Entry): Place {
  return heldUntil > 0 ? ['held', minuteOf(heldUntil), text] : ['free', minuteOf(expiresAt), text];
}

export function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS);
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one[0] === other[0] && one[1] === other[1];
}
