import { CONTRACT_VERSION } from '../../core/keys.ts';
import type { Key, Records, StoredRecord } from '../../core/records.ts';
import type { Pin } from './pin.ts';

/** All pins of an environment, in one record: there are few, and every node reads all of them. */
export interface PinRecord extends StoredRecord {
  readonly pins: readonly Pin[];
}

export const pinKey = (environment: string): Key<PinRecord> => ({
  text: `portcullis:${environment}:pins:${CONTRACT_VERSION}:set:{pins}`,
  was: null,
  form: 'pins',
});

/** The pins that have not ended. */
export function livePins(records: Records, key: Key<PinRecord>, now: number): readonly Pin[] {
  return (records.get(key)?.pins ?? []).filter(({ until }) => until > now);
}

interface NewPin {
  readonly pin: Pin;
  /** Those that pins of the same may have. */
  readonly ids: readonly string[];
  /** How many there may be in all. */
  readonly most: number;
}

/** Sets a pin in place of those of the same. False when there are as many as there may be. */
export function putPin(
  records: Records,
  key: Key<PinRecord>,
  { pin, ids, most }: NewPin,
  now: number,
): boolean {
  const others = livePins(records, key, now).filter(({ id }) => !ids.includes(id));
  if (others.length >= most) return false;
  writePins(records, key, [...others, pin], now);
  return true;
}

/** False when there was none. */
export function removePin(records: Records, key: Key<PinRecord>, id: string, now: number): boolean {
  const pins = livePins(records, key, now);
  const others = pins.filter((pin) => pin.id !== id);
  if (others.length === pins.length) return false;
  writePins(records, key, others, now);
  return true;
}

/** The record goes with its last pin. */
function writePins(records: Records, key: Key<PinRecord>, pins: readonly Pin[], now: number): void {
  const keepMs = Math.max(1, ...pins.map(({ until }) => until - now));
  records.put(key, { at: now, pins }, { keepMs, softMs: 0, hardMs: 0 });
}
