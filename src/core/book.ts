import type { Draft } from './records.ts';
import type { BookEntry, BookRecord } from './state.ts';
import type { ShownDevice, Token } from './subject.ts';
import { isToken } from './window.ts';

/** The device book after a success with this device (engine contract §6). HIGH binds; nothing unbinds. */
export function enterBook(
  stored: BookRecord | undefined,
  device: ShownDevice,
  t: number,
  capacity: number,
): BookRecord {
  const now = Math.max(t, stored?.at ?? t);
  const devices = stored?.devices ?? [];
  const known = devices.find(({ id }) => isToken(id, device.token));
  const entry: BookEntry = {
    id: device.token.hash,
    ...(device.token.was !== null && { was: device.token.was }),
    bound: device.confidence === 'HIGH' || known?.bound === true,
    usedAt: now,
  };
  if (known) return { at: now, devices: devices.map((other) => (other === known ? entry : other)) };
  // Not spread: most accounts have one device, and such a list takes room for sixteen more.
  return { at: now, devices: makeRoom(devices, capacity).concat([entry]) };
}

/**
 * The same in place, where the device is in the book under its present name: nearly every success only says once more that it
 * is used. False where the book has to be another one: see decision 0008.
 */
export function refreshBook(book: Draft<BookRecord>, device: ShownDevice, t: number): boolean {
  const { token, confidence } = device;
  const entry = token.was === null ? book.devices.find(({ id }) => id === token.hash) : undefined;
  if (entry === undefined || entry.was !== undefined) return false;
  book.at = Math.max(t, book.at);
  entry.bound ||= confidence === 'HIGH';
  entry.usedAt = book.at;
  return true;
}

/**
 * A device as the book names it. While a key rotation runs, that may be under the previous secret: only a success renews
 * names in the book, and what else is kept of the account has to know its devices by them.
 */
export function asInBook(device: Token, book: readonly BookEntry[]): Token {
  const { hash, was } = device;
  return was !== null && book.some(({ id }) => id === was) ? { hash: was, was: hash } : device;
}

/** The book without this device; undefined where it does not hold it. Its 90 days run on as they did. */
export function leaveBook(book: BookRecord, device: Token): BookRecord | undefined {
  const devices = book.devices.filter(({ id }) => !isToken(id, device));
  return devices.length === book.devices.length ? undefined : { at: book.at, devices };
}

/** Whether the book holds the device that another record has under this id. */
export function isInBook(id: string, book: readonly BookEntry[]): boolean {
  return book.some((entry) => entry.id === id || entry.was === id);
}

/** When full, the longest unused unbound entry goes, else the longest unused; of equals the older one. */
function makeRoom(devices: readonly BookEntry[], capacity: number): readonly BookEntry[] {
  if (devices.length < capacity) return devices;
  const unbound = devices.filter(({ bound }) => !bound);
  const candidates = unbound.length > 0 ? unbound : devices;
  const victim = candidates.reduce((longest, entry) => (entry.usedAt < longest.usedAt ? entry : longest));
  return devices.filter((entry) => entry !== victim);
}
