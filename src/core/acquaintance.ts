import type { Scope } from './decision.ts';
import type { BookEntry } from './state.ts';
import type { ShownDevice } from './subject.ts';
import { isToken } from './window.ts';

/** How well the account knows the device of a request (engine contract §2). */
export interface Acquaintance {
  /** In the account's book, and shown with more than passive traits. */
  readonly known: boolean;
  /** Bound in the book, and shown with a session token. */
  readonly trusted: boolean;
}

const stranger: Acquaintance = { known: false, trusted: false };

export function acquaintanceOf(device: ShownDevice | null, book: readonly BookEntry[]): Acquaintance {
  if (device === null || device.confidence === 'LOW') return stranger;
  const entry = book.find(({ id }) => isToken(id, device.token));
  if (entry === undefined) return stranger;
  return { known: true, trusted: device.confidence === 'HIGH' && entry.bound };
}

/** Whom a block stops (§4): a trusted device answers only for itself, a known one not for its network. */
export function stops(scope: Scope, { known, trusted }: Acquaintance, ownerLane: boolean): boolean {
  if (scope === 'K1' || scope === 'P48' || scope === 'P40') return !known;
  return !(trusted && ownerLane && (scope === 'K4' || scope === 'K2'));
}
